// repcheck adapter for robots.
import { RobotsParser } from 'robots';
import { pathAndQuery, serve, version } from './repcheck-adapter.mjs';

serve({
  name: 'js-robots', package: 'robots', version: version('robots'), lineage: 'python-robotparser',
  // What read() does with a response: decode it, split it into lines, parse. A parser without a
  // URL fetches nothing.
  parse: (octets) => new RobotsParser().parse(octets.toString('utf8').split(/\r\n|\r|\n/)),
  ask: (robots, agent, url) => robots.canFetchSync(agent, pathAndQuery(url)),
});
