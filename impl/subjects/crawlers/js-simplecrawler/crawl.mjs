// Fetches a page and the pages it links to with simplecrawler.
import Crawler from 'simplecrawler';

const [seed, agent] = process.argv.slice(2);
const crawler = new Crawler(seed);
crawler.userAgent = agent;
crawler.interval = 1;
crawler.maxConcurrency = 1;
crawler.maxDepth = 2; // the first page has depth 1
crawler.timeout = 8000;
crawler.filterByDomain = false;
crawler.start();
