// The loop that the JavaScript adapters share; the protocol is in impl/process/protocol.go.
//
// An adapter says what it is and gives two functions of its own:
//
//     import { serve, text, version } from './repcheck-adapter.mjs';
//
//     serve({
//       name: 'js-library', package: 'library', version: version('library'), lineage: 'library',
//       parse: (robots) => new Library(text(robots)),      // octets; once for each file
//       ask: (parsed, agent, url) => parsed.allows(agent, url),  // once for each URL
//     });
//
// ask returns true or false, or [true or false, line] with the 1-based line of the deciding rule,
// 0 for none; say features: ['line'] then. agent and url are strings: what is no UTF-8 is answered
// "unsupported" here. Both functions may be async. What they throw is the answer "error"; throw
// Reject for a refusal that the library documents, Unsupported for a question that its interface
// has no room for. Any other value than true and false is an error.
//
// ns is the time inside parse and ask. console.log goes to stderr.

import { readFileSync, writeSync } from 'node:fs';

export class Unsupported extends Error {}
export class Reject extends Error {}

/** What Response.text() makes of octets, which is how fetch hands a file on. */
export const text = (octets) => new TextDecoder().decode(octets);

/** The version of what npm installed beside the adapter. */
export const version = (name) =>
  JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;

/**
 * Cuts off what stands before the path: "http://h:80/a?b#c" gives "/a?b#c". Nothing is decoded,
 * encoded or normalised, but that an empty path is "/" (RFC 3986 section 6.2.3).
 */
export function pathAndQuery(url) {
  const rest = url.replace(/^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/[^/?#]*)?/, '');
  return rest === '' || rest[0] === '?' || rest[0] === '#' ? '/' + rest : rest;
}

/** Answers requests until stdin ends. */
export async function serve({ name, package: pkg, version, lineage, features = [], parse, ask }) {
  console.log = console.info = console.debug = console.error;
  const hello = {
    hello: 1, name, package: pkg, version, language: 'javascript', lineage,
    features: [...features, 'time', 'hash'], window: 256,
  };
  const loop = new Loop(parse, ask);
  for await (const line of lines(process.stdin)) {
    const request = JSON.parse(line);
    const reply = 'hello' in request ? hello : await loop.answer(request);
    say(Buffer.from(JSON.stringify(reply) + '\n'));
  }
}

// Node's readline also ends a line at U+2028; JSON Lines end at a line feed alone.
async function* lines(stream) {
  let held = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let end; (end = chunk.indexOf(10, from)) >= 0; from = end + 1) {
      held.push(chunk.subarray(from, end));
      yield Buffer.concat(held).toString('utf8');
      held = [];
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
  }
}

// Written at once: what a parser that never returns leaves in a stream's buffer is lost.
function say(octets) {
  for (let sent = 0; sent < octets.length; ) {
    try {
      sent += writeSync(1, octets, sent);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error; // the pipe is full
    }
  }
}

class Loop {
  constructor(parse, ask) {
    Object.assign(this, { parse, ask, robots: null, hash: null, parsed: null });
  }

  async answer(request) {
    this.ns = 0n;
    let said;
    try {
      said = await this.about(request);
    } catch (error) {
      said = outcome(error);
    }
    return { id: request.id, ...said, ns: Number(this.ns) };
  }

  async about(request) {
    this.load(request);
    const agent = field(request, 'agent');
    this.parsed ??= await this.call(this.parse, this.robots);
    if (this.parsed.failed) throw this.parsed.failed;
    if ('url' in request || 'url_b64' in request) {
      const [allow, line] = await this.one(agent, () => field(request, 'url'));
      if (allow !== true && allow !== false) return allow;
      return line ? { allow, line } : { allow };
    }
    const urls = request.urls?.map((url) => () => url) ?? request.urls_b64.map((url) => () => decoded(url, 'url'));
    const allows = [];
    const numbers = [];
    for (const url of urls) {
      const [allow, line] = await this.one(agent, url);
      allows.push(allow);
      numbers.push(line);
    }
    return numbers.some(Boolean) ? { allows, lines: numbers } : { allows };
  }

  load(request) {
    const robots = 'robots' in request ? Buffer.from(request.robots)
      : 'robots_b64' in request ? Buffer.from(request.robots_b64, 'base64') : null;
    if (robots === null) {
      if (this.robots === null || request.hash !== this.hash) throw `unknown hash ${request.hash}`;
      return;
    }
    if (this.robots === null || !robots.equals(this.robots)) Object.assign(this, { robots, parsed: null });
    this.hash = request.hash ?? null;
  }

  /** The verdict on one URL with its line, or what there is instead of one. */
  async one(agent, url) {
    try {
      const { value, failed } = await this.call(this.ask, this.parsed.value, agent, url());
      if (failed) throw failed;
      const [allow, line] = Array.isArray(value) ? value : [value, 0];
      if (typeof allow !== 'boolean') throw `the library answers ${String(allow).slice(0, 200)}, neither true nor false`;
      return [allow, line];
    } catch (error) {
      return [outcome(error), 0];
    }
  }

  async call(f, ...args) {
    const start = process.hrtime.bigint();
    try {
      let value = f(...args);
      if (value instanceof Promise) value = await value;
      return { value };
    } catch (failed) {
      return { failed: failed ?? 'the library threw nothing' };
    } finally {
      this.ns += process.hrtime.bigint() - start;
    }
  }
}

const field = (request, key) => (key in request ? request[key] : decoded(request[key + '_b64'], key));

function decoded(b64, key) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(b64, 'base64'));
  } catch {
    throw new Unsupported(`the library takes strings, and this ${key} is no UTF-8`);
  }
}

function outcome(error) {
  if (error instanceof Unsupported) return { unsupported: error.message };
  if (error instanceof Reject) return { reject: error.message };
  return { error: String(error).slice(0, 1000) };
}
