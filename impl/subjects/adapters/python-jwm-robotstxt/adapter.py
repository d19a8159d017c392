"""repcheck adapter for jwm.robotstxt, Google's C++ asked as the binding's README shows."""
from jwm.robotstxt.googlebot import RobotsMatcher
from repcheck_adapter import distribution, serve


def ask(robots, agent, url):
    # There is no parsed form: the matcher parses while it matches. Strings of C++ are octets,
    # and the binding takes bytes for them as well as str, so nothing has to be decoded.
    matcher = RobotsMatcher()
    allow = matcher.AllowedByRobots(robots, (agent,), url)
    return allow, matcher.matching_line()


serve(name="python-jwm-robotstxt", package="jwm.robotstxt", version=distribution("jwm.robotstxt"),
      lineage="google", ask=ask, features=["line"], text=False)
