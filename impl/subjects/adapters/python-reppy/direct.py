"""Ask reppy the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys

import reppy

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        parsed = reppy.Robots.parse(reppy.Robots.robots_url(url), robots)
        word = "allow" if parsed.agent(agent).allowed(url) else "disallow"
    except Exception:
        word = "error"
    print(word)
