"""repcheck adapter for Protego, asked as its README shows."""
from protego import Protego
from repcheck_adapter import distribution, serve


def parse(robots):
    # The README parses r.text of Requests: for the UTF-8 that RFC 9309 asks servers for,
    # that is octets decoded with U+FFFD in place of what is no UTF-8, and a mark kept.
    return Protego.parse(robots.decode("utf-8", "replace"))


def ask(parser, agent, url):
    return parser.can_fetch(url, agent)  # the URL comes first


serve(name="python-protego", package="protego", version=distribution("protego"),
      lineage="protego", parse=parse, ask=ask)
