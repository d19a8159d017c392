// repcheck adapter for robotstxt.
import robotsTxt from 'robotstxt';
import { Reject, serve, version } from './repcheck-adapter.mjs';

serve({
  name: 'js-robotstxt', package: 'robotstxt', version: version('robotstxt'), lineage: 'robotstxt-js',
  parse(octets) {
    const robots = robotsTxt(); // without a URL it fetches nothing
    let gateKeeper;
    robots.on('ready', (ready) => { gateKeeper = ready; });
    robots.on('error', (error) => { throw new Reject(String(error)); });
    robots.parse(octets.toString('utf8')); // which has sent its event when it returns
    return gateKeeper;
  },
  ask(gateKeeper, agent, url) {
    gateKeeper.setUserAgent(agent);
    return gateKeeper.isAllowed(url);
  },
});
