"""Call robotsparsetools without its fetching: lines of base64 robots, agent and URL, a word for each."""
import base64
import sys
from urllib.parse import urlsplit

from robotsparsetools import Parse

for line in sys.stdin:
    robots, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
    try:
        agent, url = str(agent, "utf-8"), str(url, "utf-8")
    except UnicodeDecodeError:
        print("unsupported")
        continue
    try:
        site = urlsplit(url)
        if site.scheme not in ("http", "https"):
            raise ValueError("no site to ask")
        file = Parse(text=str(robots, "utf-8") or "\n")  # Parse takes no text for no argument
        file.home = site.scheme + "://" + site.netloc  # only fetching sets it
        print("allow" if file.can_crawl(url, agent) else "disallow")
    except Exception:
        print("error")
