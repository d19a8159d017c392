// repcheck adapter for robots-parser.
import robotsParser from 'robots-parser';
import { serve, text, version, Unsupported } from './repcheck-adapter.mjs';

// The library answers for URLs of the site that the file is from, and undefined for all others.
// The harness says of no file where it is from, so it is from where the URL is.
function origin(url) {
  try {
    return new URL('/robots.txt', url).href;
  } catch {
    throw new Unsupported('isAllowed answers undefined to what is no URL of the file\'s own site');
  }
}

serve({
  name: 'js-robots-parser', package: 'robots-parser', version: version('robots-parser'),
  lineage: 'robots-parser', features: ['line'],
  parse: (octets) => ({ contents: text(octets), sites: new Map() }),
  ask({ contents, sites }, agent, url) {
    const site = origin(url);
    if (!sites.has(site)) sites.set(site, robotsParser(site, contents));
    const robots = sites.get(site);
    return [robots.isAllowed(url, agent), Math.max(0, robots.getMatchingLineNumber(url, agent))];
  },
});
