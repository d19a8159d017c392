"""Ask robotspy the plainest way: lines of base64 robots, agent and URL, a word for each."""
import base64
import pathlib
import sys
import tempfile

import robots

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "robots.txt")
    for line in sys.stdin:
        body, agent, url = (base64.b64decode(field) for field in line.rstrip("\n").split("\t"))
        path.write_bytes(body)
        try:
            parser = robots.RobotsParser.from_uri(path.as_uri())
            word = "allow" if parser.can_fetch(str(agent, "utf-8"), str(url, "utf-8")) else "disallow"
        except UnicodeDecodeError:  # of agent or URL: the library handles that of the file
            word = "unsupported"
        except Exception:
            word = "error"
        print(word)
