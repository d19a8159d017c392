"""The loop that the Python adapters share; the protocol is in impl/process/protocol.go.

An adapter says what it is and gives two functions of its own:

    from repcheck_adapter import Reject, Unsupported, distribution, path_and_query, serve

    def parse(robots):            # octets of a whole file; called once for each file
        return Library(robots.decode())

    def ask(parsed, agent, url):  # called once for each URL
        return parsed.allows(agent, url)

    serve(name="python-library", package="library", version=distribution("library"),
          lineage="library", parse=parse, ask=ask)

parse    takes bytes and returns whatever ask needs; leave it out, and ask gets the bytes.
ask      returns True or False, or (True or False, line) with the 1-based line of the
         deciding rule, 0 for none. Say features=["line"] then.
text     True (the default): agent and url are str, and what is no UTF-8 is answered
         "unsupported" here. False: both are bytes, whatever they hold.
features what the adapter can do; "time" and "hash" are added.

What either function throws is the answer "error", whatever it is. Two exceptions mean more:
raise Reject(text) for a refusal that the library documents, Unsupported(why) for a question
that its interface has no room for. A file on which parse throws gets that answer for every
URL. Any other value than True and False is an error: it is not for the loop to guess what
None means.

path_and_query(url) is for libraries that want a path, distribution(name) the version of what
pip installed.

ns is the time inside parse and ask, so decoding the file counts and JSON does not.
print(), and what C code writes to file descriptor 1, goes to stderr.
"""
import base64
import json
import os
import re
import sys
import time
from importlib import metadata

distribution = metadata.version  # of what is installed beside the adapter, by its name on PyPI


class Unsupported(Exception):
    """The library's interface has no room for the question; says why."""


class Reject(Exception):
    """The library refuses the input as it documents; holds its text."""


def path_and_query(url, fragment=True):
    """Cut off what stands before the path: "http://h:80/a?b#c" gives "/a?b#c".

    For libraries that ask for a path. Takes str or bytes and changes nothing else: nothing
    is decoded, encoded or normalised. The one exception is RFC 3986 section 6.2.3: an empty
    path is "/", so "http://h?x" gives "/?x". With fragment=False, # and what follows go too.
    """
    slash, query, mark, before = ("/", "?", "#", _BEFORE) if isinstance(url, str) else (b"/", b"?", b"#", _BEFORE_B)
    rest = url[before.match(url).end():]
    if not fragment:
        rest = rest.partition(mark)[0]
    return slash + rest if rest[:1] in (slash[:0], query, mark) else rest


# Scheme and authority as in RFC 3986 section 3, either of which may be missing.
_BEFORE = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#]*)?")
_BEFORE_B = re.compile(_BEFORE.pattern.encode())


def serve(*, name, package, version, ask, parse=None, lineage="", features=(), text=True):
    """Answer requests until stdin ends."""
    # Duplicating the descriptor keeps answers apart from whatever C code writes to it.
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        hello = {"hello": 1, "name": name, "package": package, "version": version,
                 "language": "python", "lineage": lineage,
                 "features": [*features, "time", "hash"], "window": 256}
        loop = _Loop(parse or (lambda robots: robots), ask, text)
        for line in sys.stdin.buffer:
            request = json.loads(line)
            reply = hello if "hello" in request else loop.answer(request)
            answers.write(json.dumps(reply).encode() + b"\n")
            answers.flush()


class _Loop:
    def __init__(self, parse, ask, text):
        self.parse, self.ask, self.text = parse, ask, text
        self.robots = self.hash = None  # the last file: requests for one file come in a row
        self.fresh = False              # whether that file has yet to be parsed
        self.parsed = self.failed = None
        self.ns = 0

    def answer(self, request):
        self.ns = 0
        try:
            said = self.about(request)
        except Unsupported as error:
            said = {"unsupported": str(error)}
        return {"id": request["id"], **said, "ns": self.ns}

    def about(self, request):
        why = self.load(request)
        if why:
            return {"error": why}
        agent = self.field(request, "agent")
        if self.fresh:
            self.fresh = False
            self.parsed, self.failed = self.call(self.parse, self.robots)
        if self.failed:
            return self.failed
        several = next((k for k in ("urls", "urls_b64") if k in request), None)
        if several is None:
            allow, line, failed = self.one(agent, self.field(request, "url"))
            if failed:
                return failed
            return {"allow": allow, "line": line} if line else {"allow": allow}
        allows, lines = [], []
        for url in request[several]:
            try:
                url = self.octets(base64.b64decode(url), "url") if several == "urls_b64" else self.string(url)
                allow, line, failed = self.one(agent, url)
            except Unsupported as error:
                line, failed = 0, {"unsupported": str(error)}
            allows.append(failed or allow)
            lines.append(line)
        return {"allows": allows, "lines": lines} if any(lines) else {"allows": allows}

    def load(self, request):
        """Take the file of a request, or say why it has none."""
        if "robots" in request:
            robots = request["robots"].encode()
        elif "robots_b64" in request:
            robots = base64.b64decode(request["robots_b64"])
        elif "hash" in request and request["hash"] == self.hash:
            return None
        else:
            return f"unknown hash {request['hash']}" if "hash" in request else "no file"
        if robots != self.robots:
            self.robots, self.fresh = robots, True
            self.parsed = self.failed = None
        self.hash = request.get("hash")
        return None

    def field(self, request, key):
        if key in request:
            return self.string(request[key])
        return self.octets(base64.b64decode(request[key + "_b64"]), key)

    def string(self, value):
        return value if self.text else value.encode()

    def octets(self, value, key):
        if not self.text:
            return value
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise Unsupported(f"the library takes str, and this {key} is no UTF-8") from None

    def one(self, agent, url):
        said, failed = self.call(self.ask, self.parsed, agent, url)
        allow, line = said if isinstance(said, tuple) else (said, 0)
        if failed is None and not isinstance(allow, bool):
            failed = {"error": f"the library answers {allow!r:.200}, neither True nor False"}
        return allow, line, failed

    def call(self, function, *arguments):
        """Return the function's result and None, or None and what its exception means."""
        start = time.perf_counter_ns()
        try:
            return function(*arguments), None
        except KeyboardInterrupt:
            raise
        except Unsupported as error:
            return None, {"unsupported": str(error)}
        except Reject as error:
            return None, {"reject": str(error)}
        except BaseException as error:  # a panic of native code need not be an Exception
            return None, {"error": f"{type(error).__name__}: {error!s:.1000}"}
        finally:
            self.ns += time.perf_counter_ns() - start
