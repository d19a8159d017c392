// Fetches a page and the pages it links to with the CheerioCrawler of Crawlee.
import { CheerioCrawler, Configuration } from '@crawlee/cheerio';

const [seed, agent] = process.argv.slice(2);
const crawler = new CheerioCrawler({
  respectRobotsTxtFile: { userAgent: agent },
  maxCrawlDepth: 1, maxRequestRetries: 0, navigationTimeoutSecs: 8,
  preNavigationHooks: [(_, options) => {
    options.useHeaderGenerator = false;
    options.headers = { 'user-agent': agent };
  }],
  requestHandler: ({ enqueueLinks }) => enqueueLinks({ strategy: 'all' }),
}, new Configuration({ persistStorage: false }));
await crawler.run([seed]);
