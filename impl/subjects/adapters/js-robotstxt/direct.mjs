// Asks robotstxt without the adapter: base64 fields of a file, an agent and a URL in, a word out.
import { readFileSync } from 'node:fs';
import create from 'robotstxt';

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
  let word;
  const robots = create(undefined, who);
  robots.on('error', () => { word = 'reject'; });
  robots.on('ready', (keeper) => { word = keeper.isDisallowed(what) ? 'disallow' : 'allow'; });
  try {
    robots.parse(keepMark.decode(file));
  } catch {
    return 'error';
  }
  return word;
});
process.stdout.write(words.join('\n') + '\n');
