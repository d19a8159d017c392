// repcheck adapter for robots-txt-parser.
import robotsParser from 'robots-txt-parser';
import { serve, version } from './repcheck-adapter.mjs';

serve({
  name: 'js-robots-txt-parser', package: 'robots-txt-parser', version: version('robots-txt-parser'),
  lineage: 'robots-txt-parser',
  parse(octets) {
    const robots = robotsParser();
    // The key is where the file is kept, which is where canCrawlSync looks for it whatever the URL.
    robots.parseRobots('https://example.com', octets.toString('utf8'));
    return robots;
  },
  ask(robots, agent, url) {
    robots.setUserAgent(agent);
    return robots.canCrawlSync(url);
  },
});
