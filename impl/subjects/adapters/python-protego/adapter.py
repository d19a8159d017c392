"""repcheck adapter for Protego, called as Scrapy calls it."""
from protego import Protego
from repcheck_adapter import distribution, serve


def parse(robots):
    # As decode_robotstxt in scrapy/robotstxt.py decodes a file for Protego.
    return Protego.parse(robots.decode("utf-8-sig", errors="ignore"))


def ask(parser, agent, url):
    return parser.can_fetch(url, agent)  # the URL comes first


serve(name="python-protego", package="protego", version=distribution("protego"),
      lineage="protego", parse=parse, ask=ask)
