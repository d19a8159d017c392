"""repcheck adapter for robotspy, asked as its README shows."""
import base64

from repcheck_adapter import distribution, serve
from robots import RobotsParser


def parse(robots):
    # from_uri is the README's way in and the only one that takes octets: what it does with
    # those that are no UTF-8 is its own. A data: URI spares it a server or a file.
    return RobotsParser.from_uri("data:text/plain;base64," + base64.b64encode(robots).decode())


serve(name="python-robotspy", package="robotspy", version=distribution("robotspy"),
      lineage="robotspy", parse=parse, ask=RobotsParser.can_fetch)
