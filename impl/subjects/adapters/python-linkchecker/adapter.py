"""repcheck adapter for the robots.txt parser of LinkChecker, asked as LinkChecker asks it."""
import io

import requests
from linkcheck.robotparser2 import RobotFileParser
from repcheck_adapter import distribution, serve


class Session:
    """A session of Requests that has fetched the file, as text/plain, and hands it out."""

    def __init__(self, robots):
        self.response = requests.Response()
        self.response.status_code = 200
        self.response.headers["Content-Type"] = "text/plain"
        self.response.raw = io.BytesIO(robots)
        self.response.content  # read in one piece, as get() of a real one does

    def get(self, url, **kwargs):
        return self.response


def parse(robots):
    # read() is the only caller of parse(): how it decodes and splits is part of the library.
    parser = RobotFileParser(Session(robots), "http://x.test/robots.txt")
    parser.read()
    return parser


serve(name="python-linkchecker", package="LinkChecker", version=distribution("LinkChecker"),
      lineage="python-robotparser", parse=parse, ask=RobotFileParser.can_fetch)
