"""repcheck adapter for reppy, asked as its README shows."""
from reppy.robots import Robots
from repcheck_adapter import distribution, serve


def parse(robots):
    return robots, {}


def ask(file, agent, url):
    # The library closes all URLs of other sites than the one that the file is from. The harness
    # does not say which that is, so it is the URL's own, as robots_url tells it.
    robots, sites = file
    site = Robots.robots_url(url)
    if site not in sites:
        sites[site] = Robots.parse(site, robots)
    return sites[site].allowed(url, agent)


serve(name="python-reppy", package="reppy", version=distribution("reppy"),
      lineage="rep-cpp", parse=parse, ask=ask, text=False)
