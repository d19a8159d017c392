// Asks exclusion without the adapter: base64 fields of a file, an agent and a URL in, a word out.
import { readFileSync } from 'node:fs';
import { RobotsTxt } from 'exclusion';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const words = readFileSync(0, 'latin1').split('\n').filter(Boolean).map((line) => {
  const [robotsOctets, agent, url] = line.split('\t').map((field) => Buffer.from(field, 'base64'));
  let who, what;
  try {
    [who, what] = [strict.decode(agent), strict.decode(url)];
  } catch {
    return 'unsupported';
  }
  // The path and the query: what is behind scheme and host, a slash if that is nothing.
  const [, path] = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?(.*)$/is.exec(what) ?? [what, what];
  try {
    const robots = new RobotsTxt(new TextDecoder().decode(robotsOctets));
    return robots.isPathAllowed(/^[?#]|^$/.test(path) ? '/' + path : path, who) ? 'allow' : 'disallow';
  } catch {
    return 'error';
  }
});
process.stdout.write(words.join('\n') + '\n');
