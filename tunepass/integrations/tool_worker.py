"""The process of a worker: one request to another compiler's library, one reply.

python -I tool_worker.py WORKER REQUEST     a program and a JSON file; the reply is JSON on the standard output, or a
                                            message and status 1.

The worker is a program without imports of tunepass: its `library()` imports the library, which `TASKS` get with the
request; `refusals(library)` are the exceptions whose text is the library's refusal.
"""

from __future__ import annotations

import json
import runpy
import sys


def main(worker: str, path: str) -> int:
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    # where the caller has the library: this Python looks at no variable and no user folder
    sys.path.append(request["packages"])
    program = runpy.run_path(worker)
    library = program["library"]()
    try:
        reply = program["TASKS"][request["task"]](library, request)
    except program["refusals"](library) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps(reply))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
