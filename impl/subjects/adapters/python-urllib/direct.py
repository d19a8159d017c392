"""Asks urllib.robotparser without the adapter: base64 fields of a file, an agent and a URL in, a word out."""
import sys
from base64 import b64decode
from urllib.robotparser import RobotFileParser

SURROGATES = "surrogateescape" in RobotFileParser.read.__code__.co_consts

for line in sys.stdin:
    robots, agent, url = (b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        agent, url = agent.decode(), url.decode()
    except UnicodeDecodeError:
        print("unsupported")
        continue
    try:
        parser = RobotFileParser()
        parser.parse(robots.decode("utf-8", "surrogateescape" if SURROGATES else "strict").splitlines())
        print("allow" if parser.can_fetch(agent, url) else "disallow")
    except Exception:
        print("error")
