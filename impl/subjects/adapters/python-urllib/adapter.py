#!/usr/bin/env python3
"""repcheck adapter for urllib.robotparser; the protocol is in impl/process/protocol.go."""
import base64
import json
import platform
import sys
import time
from urllib.robotparser import RobotFileParser

answers, sys.stdout = sys.stdout.buffer, sys.stderr  # a stray print() must not look like an answer

# RobotFileParser.read() is the library's way from octets to text. It decodes UTF-8, strictly
# before CPython PR 138502 (so read() throws on other octets: "error", as it is no documented
# refusal), with surrogateescape since. Asking the code also gets patched versions right.
ERRORS = "surrogateescape" if "surrogateescape" in RobotFileParser.read.__code__.co_consts else "strict"

HELLO = {"hello": 1, "name": "python-urllib", "package": "urllib.robotparser",
         "version": platform.python_version(), "language": "python",
         "lineage": "python-robotparser", "features": ["time", "hash"], "window": 256}
# The last file that was sent: requests for one file come in a row.
last = {"file": None, "hash": None, "parser": None}


def parser_of(request):
    file = request.get("robots"), request.get("robots_b64")
    if file == (None, None):  # about the last file: its hash is there to check by
        if "hash" not in request or request["hash"] != last["hash"]:
            raise LookupError(f"unknown hash {request.get('hash')}")
    else:
        if file != last["file"]:
            last.update(file=file, parser=None)
        last["hash"] = request.get("hash")
    if last["parser"] is None:
        text, b64 = last["file"]
        parser = RobotFileParser()
        parser.parse((base64.b64decode(b64).decode("utf-8", ERRORS) if text is None else text).splitlines())
        last["parser"] = parser
    return last["parser"]


def outcome(parser, agent, url):
    try:
        return bool(parser.can_fetch(agent, url))
    except Exception as error:  # a bug of the library, not a refusal: can_fetch documents none
        return {"error": f"{type(error).__name__}: {error}"}


def answer(request):
    unasked = "agent_b64" in request or "url_b64" in request or "urls_b64" in request
    try:
        parser = parser_of(request)  # even then: the next request may refer to this file
    except Exception as error:
        if not unasked:
            return {"error": f"{type(error).__name__}: {error}"}
    if unasked:
        return {"unsupported": "can_fetch takes str; these octets are no UTF-8"}
    if "urls" in request:
        return {"allows": [outcome(parser, request["agent"], url) for url in request["urls"]]}
    one = outcome(parser, request["agent"], request["url"])
    return one if isinstance(one, dict) else {"allow": one}


for line in sys.stdin.buffer:
    request = json.loads(line)
    start = time.perf_counter_ns()
    reply = HELLO if "hello" in request else {
        "id": request["id"], **answer(request), "ns": time.perf_counter_ns() - start}
    answers.write(json.dumps(reply).encode() + b"\n")
    answers.flush()
