"""repcheck adapter for the package robotstxt, called as its README shows."""
from repcheck_adapter import Unsupported, distribution, serve
from robotstxt import robots_file


def parse(robots):
    if len(robots) > 1_000_000:  # see limits in meta.yaml
        raise Unsupported("the library compares every rule with every other")
    return robots_file(robots.decode("utf-8", "replace"))  # takes str only


def ask(robots, agent, url):
    if len(url) > 8192:  # see limits in meta.yaml
        raise Unsupported("the library compares every character of the URL with every one of the rule")
    return not robots.test_url(url, agent)["disallowed"]


serve(name="python-robotstxt", package="robotstxt", version=distribution("robotstxt"),
      lineage="python-robotstxt", parse=parse, ask=ask)
