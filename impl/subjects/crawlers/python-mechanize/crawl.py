"""Fetches a page and the pages it links to with mechanize, which raises HTTP error 403 where robots.txt forbids it."""
import os
import sys

import mechanize

seed, agent = sys.argv[1:]
browser = mechanize.Browser()
browser.addheaders = [("User-agent", agent)]
browser.set_ca_data(cafile=os.environ.get("SSL_CERT_FILE"))
browser.open(seed, timeout=8)
for link in list(browser.links()):
    try:
        browser.open(link.absolute_url, timeout=8)
    except mechanize.HTTPError:  # RobotExclusionError is one
        pass
