"""Fetches the pages that a page links to, if the RobotsCache of reppy allows it."""
import re
import sys
import urllib.parse

import requests
from reppy.cache import RobotsCache

seed, agent = sys.argv[1:]
# What is not for the cache goes to requests.get.
robots = RobotsCache(capacity=10, timeout=8, headers={"User-Agent": agent})


def fetch(url):
    return requests.get(url, headers={"User-Agent": agent}, timeout=8).text


for link in re.findall(r'href="([^"]+)"', fetch(seed)):
    url = urllib.parse.urljoin(seed, link)
    if robots.allowed(url, agent):
        fetch(url)
