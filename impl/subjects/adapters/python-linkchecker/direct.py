"""Ask LinkChecker's parser the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import io
import sys

import requests
from linkcheck import robotparser2


class Canned(requests.adapters.BaseAdapter):
    """Answers every request of a real session with the file."""

    def send(self, request, **kwargs):
        response = requests.Response()
        response.url, response.status_code, response.request = request.url, 200, request
        response.headers["Content-Type"] = "text/plain"
        response.raw = io.BytesIO(self.body)
        return response

    def close(self):
        pass


canned, session = Canned(), requests.Session()
session.mount("http://", canned)
for line in sys.stdin:
    canned.body, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        parser = robotparser2.RobotFileParser(session=session)
        parser.set_url("http://foo.test/robots.txt")
        parser.read()
        word = "allow" if parser.can_fetch(str(agent, "utf-8"), str(url, "utf-8")) else "disallow"
    except UnicodeDecodeError:  # of agent or URL: the file is decoded with replacement
        word = "unsupported"
    except Exception:
        word = "error"
    print(word)
