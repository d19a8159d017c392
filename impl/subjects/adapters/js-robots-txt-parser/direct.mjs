// Asks robots-txt-parser without the adapter: base64 fields of a file, an agent and a URL in, a word out.
import { readFileSync } from 'node:fs';
import make from 'robots-txt-parser';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const keepMark = new TextDecoder('utf-8', { ignoreBOM: true });
const words = readFileSync(0, 'latin1').split('\n').filter(Boolean).map((line) => {
  const [file, agent, url] = line.split('\t').map((field) => Buffer.from(field, 'base64'));
  let who, what;
  try {
    [who, what] = [strict.decode(agent), strict.decode(url)];
  } catch {
    return 'unsupported';
  }
  try {
    const robots = make({ userAgent: who, allowOnNeutral: true });
    robots.parseRobots('http://crawled.example', keepMark.decode(file));
    return robots.canCrawlSync(what) ? 'allow' : 'disallow';
  } catch {
    return 'error';
  }
});
process.stdout.write(words.join('\n') + '\n');
