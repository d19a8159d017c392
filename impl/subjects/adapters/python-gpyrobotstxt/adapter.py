"""repcheck adapter for gpyrobotstxt, asked as its README shows."""
from gpyrobotstxt.robots_cc import RobotsMatcher
from repcheck_adapter import distribution, serve


def ask(robots, agent, url):
    # There is no parsed form: the matcher parses while it matches. It takes octets, as in the
    # README, but the agents in a list: the README's bare string would be one of each letter.
    return RobotsMatcher().allowed_by_robots(robots, [agent], url)


serve(name="python-gpyrobotstxt", package="gpyrobotstxt", version=distribution("gpyrobotstxt"),
      lineage="google", ask=ask)
