"""repcheck adapter for the urllib.robotparser that was rewritten after RFC 9309."""
import platform
from urllib.robotparser import RobotFileParser

from repcheck_adapter import serve


def parse(robots):
    parser = RobotFileParser()
    parser.parse(robots.decode("utf-8", "surrogateescape").splitlines())  # as read() does
    return parser


serve(name="python-urllib-rfc9309", package="urllib.robotparser", version=platform.python_version(),
      lineage="urllib-rfc9309", parse=parse, ask=RobotFileParser.can_fetch)
