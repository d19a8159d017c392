"""Call robotstxt the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys

import robotstxt

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        file = robotstxt.RobotsFile(str(robots, "utf-8", errors="replace"))
        if len(str(url, "utf-8")) > 8192 or len(robots) > 1_000_000:
            word = "unsupported"
        else:
            word = "disallow" if file.test_url(str(url, "utf-8"), str(agent, "utf-8"))["disallowed"] else "allow"
    except UnicodeDecodeError:  # of agent or URL: the file is decoded without errors
        word = "unsupported"
    except Exception:
        word = "error"
    print(word)
