"""repcheck adapter for robotsparsetools, called as its README shows."""
import io
import urllib.parse
import urllib.request
import urllib.response

from repcheck_adapter import distribution, serve
from robotsparsetools import Parse


class Local(urllib.request.BaseHandler):
    """Answers every request with one file: the library insists on fetching it."""
    robots = b""

    def http_open(self, request):
        return urllib.response.addinfourl(io.BytesIO(self.robots), {}, request.full_url, 200)

    https_open = http_open


local = Local()
opener = urllib.request.OpenerDirector()
opener.add_handler(local)
urllib.request.install_opener(opener)


def ask(file, agent, url):
    local.robots, parsed = file
    at = urllib.parse.urljoin(url, "/robots.txt")
    if at not in parsed:
        parsed[at] = Parse(at)
    return parsed[at].can_crawl(url, agent)


serve(name="python-robotsparsetools", package="robotsparsetools", version=distribution("robotsparsetools"),
      lineage="python-robotsparsetools", parse=lambda robots: (robots, {}), ask=ask)
