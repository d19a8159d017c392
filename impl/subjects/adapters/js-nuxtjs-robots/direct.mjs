// Asks @nuxtjs/robots without the adapter: base64 fields of a file, an agent and a URL in, a word out.
import { readFileSync } from 'node:fs';
import * as util from '@nuxtjs/robots/util';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const keepMark = new TextDecoder('utf-8', { ignoreBOM: true });
const words = readFileSync(0, 'latin1').split('\n').filter(Boolean).map((line) => {
  const [file, agent, url] = line.split('\t').map((field) => Buffer.from(field, 'base64'));
  let who, what;
  try {
    [who, what] = [strict.decode(agent).toLowerCase(), strict.decode(url)];
  } catch {
    return 'unsupported';
  }
  // The path and the query: what is behind scheme and host, a slash if that is nothing.
  const [, behind] = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/[^/?#]*)?(.*)$/is.exec(what) ?? [what, what];
  const path = /^[?#]|^$/.test(behind) ? '/' + behind : behind;
  try {
    const robots = util.parseRobotsTxt(keepMark.decode(file));
    // First the groups that name the crawler, then those for all, as the server does.
    for (const names of [(name) => name !== '' && who.includes(name.toLowerCase()), (name) => name === '*']) {
      for (const group of robots.groups.map((each) => util.normalizeGroup(each))) {
        if (!group.userAgent.some(names)) continue;
        if (group._indexable === false) return 'disallow';
        const rule = util.matchPathToRule(path, group._rules);
        if (rule !== null) return rule.allow ? 'allow' : 'disallow';
      }
    }
    return 'allow';
  } catch {
    return 'error';
  }
});
process.stdout.write(words.join('\n') + '\n');
