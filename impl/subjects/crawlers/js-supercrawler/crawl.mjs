// Fetches a page and all pages that can be reached from it with supercrawler.
import supercrawler from 'supercrawler';

const [seed, agent] = process.argv.slice(2);
const crawler = new supercrawler.Crawler({
  userAgent: agent, interval: 1, concurrentRequestsLimit: 1, request: { timeout: 8000 },
});
crawler.addHandler('text/html', supercrawler.handlers.htmlLinkParser());
crawler.on('urllistcomplete', () => crawler.stop());
await crawler.getUrlList().insertIfNotExists(new supercrawler.Url(seed));
crawler.start();
