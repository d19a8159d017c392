// Asks robots-parser without the adapter: base64 fields of a file, an agent and a URL in, a word out.
import { readFileSync } from 'node:fs';
import robotsParser from 'robots-parser';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const words = readFileSync(0, 'latin1').split('\n').filter(Boolean).map((line) => {
  const [robots, agent, url] = line.split('\t').map((field) => Buffer.from(field, 'base64'));
  let who, what, site;
  try {
    [who, what] = [strict.decode(agent), strict.decode(url)];
    site = new URL('/robots.txt', what).href;
  } catch {
    return 'unsupported';
  }
  try {
    switch (robotsParser(site, new TextDecoder().decode(robots)).isAllowed(what, who)) {
      case true: return 'allow';
      case false: return 'disallow';
    }
  } catch {}
  return 'error';
});
process.stdout.write(words.join('\n') + '\n');
