"""Runs the command line as a program of its own, without importing it all anew each time.

A server process imports tunepass once and forks for every run: what runs has its own working directory, environment,
streams and exit, as `python -m tunepass` has, but starts in milliseconds. Tests of what is imported when, and those
that send signals, start `python -m tunepass` themselves.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.brief_rounds import shorten_rounds
from tests.examples import ALL, scaled
from tests.harness_objects import share_harness_objects
from tests.supervisor_forks import fork_supervisors, server

ROOT = Path(__file__).parents[1]
LIMIT_S = 300


def run_tunepass(
    words: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """`tunepass WORDS` in `cwd`, with `environment` and nothing of TUNEPASS_* from this process's own."""
    return _run(["tunepass", *words], cwd, environment or {})


def run_python(program: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The same for `python PROGRAM`; in `make test-all` that is what is started."""
    if scaled(ALL) < ALL:
        return _run([str(program)], cwd, {})
    words = [sys.executable, program]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, timeout=LIMIT_S)


def _run(words: list[str], cwd: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What a forked process does with these as its arguments."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TUNEPASS_")}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        request = {
            "words": words,
            "cwd": str(cwd),
            "environment": {**kept, **environment},
            "streams": [f"/proc/{os.getpid()}/fd/{stream.fileno()}" for stream in (out, err)],
        }
        server = _server()
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        assert answer, "the server that runs the command line has gone"
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, int(answer), out.read(), err.read())


@functools.cache
def _server() -> subprocess.Popen[str]:
    """One for each process that runs tests."""
    server = subprocess.Popen(
        [sys.executable, "-c", f"from tests.program import serve; serve({scaled(ALL) < ALL})"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)  # closes its input, which ends it
    return server


def serve(quick: bool) -> None:
    """Answer each request, a line of JSON, with the exit status of its run (negative: the signal that ended it)."""
    load_everything()
    share_harness_objects(quick)
    if quick:
        shorten_rounds()
        fork_supervisors()
        server()  # one for all that are forked here
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
            return
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


def load_everything() -> None:
    """What a forked process then need not load or make."""
    import tunepass

    for module in pkgutil.walk_packages(tunepass.__path__, "tunepass."):
        if not module.name.endswith("__main__"):
            _import(module.name)
    _import("psycopg")  # a store in PostgreSQL imports it when it is opened
    tunepass.load(ROOT / "samples" / "c" / "stencil.c")  # the parsers, which are made on first use
    gc.freeze()  # forked processes need not look at what was there before them


def _import(name: str) -> None:
    """A module that needs a package of an extra is left to whoever has it."""
    try:
        importlib.import_module(name)
    except ImportError as error:
        if (error.name or "").split(".")[0] == "tunepass":
            raise


def _become(request: dict[str, object]) -> None:
    """Run the command line, or a program, in this forked process, which then ends as any program does."""
    signal.alarm(LIMIT_S)
    os.chdir(str(request["cwd"]))
    os.environ.clear()
    os.environ.update(request["environment"])  # type: ignore[arg-type]
    for descriptor, path in zip((0, 1, 2), (os.devnull, *request["streams"])):  # type: ignore[misc]
        opened = os.open(path, os.O_RDWR | os.O_APPEND)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (they live as long as the process)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = request["words"]  # type: ignore[assignment]
    status = _status_of(sys.argv[0])
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    os._exit(status)  # an interpreter that frees what it shares with the server copies all of it first


def _status_of(program: str) -> int:
    """The status with which the program ends."""
    from tunepass.cli import main

    if program == "tunepass":
        return main()
    sys.path.insert(0, str(Path(program).parent))
    try:
        runpy.run_path(program, run_name="__main__")
    except Exception:
        traceback.print_exc()
        return 1
    return 0
