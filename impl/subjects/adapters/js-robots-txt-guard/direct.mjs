// Asks robots-txt-guard without the adapter: base64 fields of a file, an agent and a URL in, a word out.
import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import makeGuard from 'robots-txt-guard';
import read from 'robots-txt-parse';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

async function ask(line) {
  const [robots, agent, url] = line.split('\t').map((field) => Buffer.from(field, 'base64'));
  let who, what;
  try {
    [who, what] = [strict.decode(agent), strict.decode(url)];
  } catch {
    return 'unsupported';
  }
  // The path and the query: what is behind scheme and host, a slash if that is nothing.
  const [, path] = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?(.*)$/is.exec(what) ?? [what, what];
  try {
    const file = new PassThrough();
    file.end(robots);
    return makeGuard(await read(file)).isAllowed(who, /^[?#]|^$/.test(path) ? '/' + path : path) ? 'allow' : 'disallow';
  } catch {
    return 'error';
  }
}

for (const line of readFileSync(0, 'latin1').split('\n').filter(Boolean)) {
  process.stdout.write(await ask(line) + '\n');
}
