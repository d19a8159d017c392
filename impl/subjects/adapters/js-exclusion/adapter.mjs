// repcheck adapter for exclusion.
import { RobotsTxt } from 'exclusion'; // its CommonJS build cannot be loaded
import { pathAndQuery, serve, text, version } from './repcheck-adapter.mjs';

serve({
  name: 'js-exclusion', package: 'exclusion', version: version('exclusion'), lineage: 'exclusion',
  parse: (octets) => new RobotsTxt(text(octets)),
  ask: (robots, agent, url) => robots.isPathAllowed(pathAndQuery(url), agent),
});
