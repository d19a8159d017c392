"""Ask Protego the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys

from protego import Protego

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        text = str(robots, "utf-8-sig", errors="ignore")
        word = "allow" if Protego.parse(text).can_fetch(str(url, "utf-8"), str(agent, "utf-8")) else "disallow"
    except UnicodeDecodeError:  # of agent or URL: the file is decoded without errors
        word = "unsupported"
    except Exception:
        word = "error"
    print(word)
