"""Fetches a page and the pages it links to with Scrapy. The parser is named in the third argument."""
import sys

import scrapy
from scrapy.crawler import CrawlerProcess

seed, agent, parser = sys.argv[1:]


class Links(scrapy.Spider):
    name = "links"
    start_urls = [seed]

    def parse(self, response):
        yield from response.follow_all(css="a")


process = CrawlerProcess({
    "ROBOTSTXT_OBEY": True, "ROBOTSTXT_PARSER": f"scrapy.robotstxt.{parser}", "USER_AGENT": agent,
    "DEPTH_LIMIT": 1, "DOWNLOAD_TIMEOUT": 8, "DOWNLOAD_DELAY": 0, "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "ERROR",
})
process.crawl(Links)
process.start()
