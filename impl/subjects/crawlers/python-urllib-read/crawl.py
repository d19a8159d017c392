"""Fetches the pages that a page links to, if urllib.robotparser allows it.

RobotFileParser.read() fetches robots.txt, with the user agent of urllib.
"""
import re
import socket
import sys
import urllib.parse
import urllib.request
import urllib.robotparser

socket.setdefaulttimeout(8)  # read() has no limit of its own
seed, agent = sys.argv[1:]
files = {}


def allowed(url):
    parts = urllib.parse.urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    if origin not in files:
        files[origin] = urllib.robotparser.RobotFileParser(origin + "/robots.txt")
        files[origin].read()
    return files[origin].can_fetch(agent, url)


def fetch(url):
    return urllib.request.urlopen(urllib.request.Request(url, headers={"User-Agent": agent})).read().decode()


for link in re.findall(r'href="([^"]+)"', fetch(seed)):
    url = urllib.parse.urljoin(seed, link)
    if allowed(url):
        fetch(url)
