"""Fetches a page and the pages it links to with Crawlee."""
import asyncio
import sys
from datetime import timedelta

from crawlee.crawlers import BeautifulSoupCrawler, BeautifulSoupCrawlingContext
from crawlee.http_clients import ImpitHttpClient
from crawlee.storage_clients import MemoryStorageClient

seed, agent = sys.argv[1:]


async def main():
    crawler = BeautifulSoupCrawler(
        respect_robots_txt_file=True, max_crawl_depth=1, max_request_retries=0, max_session_rotations=0,
        navigation_timeout=timedelta(seconds=8), storage_client=MemoryStorageClient(),
        http_client=ImpitHttpClient(browser=None, headers={"User-Agent": agent}, timeout=8),
    )

    @crawler.router.default_handler
    async def follow(context: BeautifulSoupCrawlingContext):
        await context.enqueue_links(strategy="all")

    await crawler.run([seed])


asyncio.run(main())
