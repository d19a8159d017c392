"""Ask urllib.robotparser the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys
import urllib.robotparser

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        agent, url = str(agent, "utf-8"), str(url, "utf-8")
    except UnicodeDecodeError:
        print("unsupported")
        continue
    try:
        rp = urllib.robotparser.RobotFileParser()
        rp.parse(str(robots, "utf-8", "surrogateescape").splitlines())
        word = "allow" if rp.can_fetch(agent, url) else "disallow"
    except Exception:
        word = "error"
    print(word)
sys.stdout.flush()
