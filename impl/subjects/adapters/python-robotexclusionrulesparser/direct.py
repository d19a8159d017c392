"""Ask robotexclusionrulesparser the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys

import robotexclusionrulesparser

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        rerp = robotexclusionrulesparser.RobotExclusionRulesParser()
        rerp.parse(str(robots, "iso-8859-1"))  # what the ReadMe says is done with octets
        word = "allow" if rerp.is_allowed(str(agent, "utf-8"), str(url, "utf-8")) else "disallow"
    except UnicodeDecodeError:  # of agent or URL: every octet is ISO 8859-1
        word = "unsupported"
    except Exception:
        word = "error"
    print(word)
