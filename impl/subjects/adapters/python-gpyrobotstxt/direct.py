"""Ask gpyrobotstxt the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys

import gpyrobotstxt.robots_cc

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        agent, url = str(agent, "utf-8"), str(url, "utf-8")
    except UnicodeDecodeError:
        print("unsupported")
        continue
    try:
        matcher = gpyrobotstxt.robots_cc.RobotsMatcher()
        word = "allow" if matcher.one_agent_allowed_by_robots(robots, agent, url) else "disallow"
    except Exception:
        word = "error"
    print(word)
