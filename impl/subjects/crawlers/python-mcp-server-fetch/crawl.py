"""Fetches the pages that a page links to as the tool of mcp-server-fetch does, without the server."""
import asyncio
import re
import sys
import urllib.parse

from mcp.server.mcpserver.exceptions import ToolError
from mcp_server_fetch.server import check_may_autonomously_fetch_url, fetch_url

seed, agent = sys.argv[1:]


async def crawl():
    page, _ = await fetch_url(seed, agent, force_raw=True, allow_private_ips=True)
    for link in re.findall(r'href="([^"]+)"', page):
        url = urllib.parse.urljoin(seed, link)
        try:
            await check_may_autonomously_fetch_url(url, agent, allow_private_ips=True)
            await fetch_url(url, agent, force_raw=True, allow_private_ips=True, check_robots_txt=True)
        except ToolError as error:  # the answer of the tool for this page
            print(error)


asyncio.run(crawl())
