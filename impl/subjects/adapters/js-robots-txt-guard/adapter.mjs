// repcheck adapter for robots-txt-guard, with the parser that its README names.
import { Readable } from 'node:stream';
import guard from 'robots-txt-guard';
import parse from 'robots-txt-parse';
import { pathAndQuery, serve, version } from './repcheck-adapter.mjs';

serve({
  name: 'js-robots-txt-guard', package: 'robots-txt-guard', version: version('robots-txt-guard'),
  lineage: 'robots-txt-guard',
  parse: async (octets) => guard(await parse(Readable.from([octets]))),
  ask: (robots, agent, url) => robots.isAllowed(agent, pathAndQuery(url)),
});
