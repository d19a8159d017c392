// Checks the links of a site with broken-link-checker.
import blc from 'broken-link-checker';

const [seed, agent] = process.argv.slice(2);
new blc.SiteChecker({
  userAgent: agent, filterLevel: 1, honorRobotExclusions: true, rateLimit: 0, requestMethod: 'get',
}, {}).enqueue(seed);
