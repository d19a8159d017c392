"""Ask jwm.robotstxt the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys

import jwm.robotstxt.googlebot

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        matcher = jwm.robotstxt.googlebot.RobotsMatcher()
        word = "allow" if matcher.OneAgentAllowedByRobots(robots, agent, url) else "disallow"
    except Exception:
        word = "error"
    print(word)
