"""Call robotstxt the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys

import robotstxt

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        agent, url = str(agent, "utf-8"), str(url, "utf-8")
        if len(url) > 8192 or len(robots) > 1_000_000:
            word = "unsupported"
        else:
            file = robotstxt.RobotsFile(str(robots, "utf-8", errors="replace"))
            word = "disallow" if file.test_url(url, agent)["disallowed"] else "allow"
    except UnicodeDecodeError:  # of agent or URL: the file is decoded without errors
        word = "unsupported"
    except Exception:
        word = "error"
    print(word)
