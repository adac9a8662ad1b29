"""A program whose cost is exact and quick to tell, builds of it that are killed, and what has to hold afterwards."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.cli import main
from tunepass.study.lock.lock import Lock

DESCRIPTION = """\
name: exact
sources: [cost.py]
parameters:
  A: {{kind: integer, range: [1, 9], default: 9, role: argument}}
  B: {{kind: categorical, values: [w, x, y, z], role: argument}}
constraints:
  - not (A == 1 and B == "z")
run:
  command: {python} -S -E cost.py {{A}} {{B}}
  metrics: ["cost: {{cost}}"]
  deterministic: true
"""
# Appends what it runs to a file outside, so that a repeated evaluation shows; one configuration in nine fails.
PROGRAM = """\
import os, sys
a, b = int(sys.argv[1]), sys.argv[2]
with open(os.environ["RUNS"], "a") as file:
    file.write(f"{a} {b}\\n")
if a == 7:
    sys.exit("seven fails")
print("cost:", 10 + (a - 4) ** 2 + "wxyz".index(b) * 1.5)
"""
START = 0.2  # of a build's time, and of the kills
AHEAD = (0, 0, 1, 1, 2, 3)  # trials until a kill
Row = tuple[int, str, str, str | None]  # number, configuration, outcome, objectives


class Forked:
    """A build in a fork of this process, which has imported tunepass: it is at work after milliseconds. Used as a Popen
    is; the process must have no other threads."""

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        prepare: Callable[[], None] | None = None,
    ):
        """`prepare` is called in the child, last before the command line runs."""
        self.args, self.prepare = list(argv), prepare
        self.returncode: int | None = None
        self.streams = [tempfile.TemporaryFile("w+") for _ in range(2)]  # noqa: SIM115 (they live as long as this)
        self.pid = os.fork()
        if self.pid == 0:
            self._become(folder, environment)

    def _become(self, folder: Path, environment: Mapping[str, str]) -> None:
        status = 70
        try:
            os.setsid()
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            for descriptor, stream in zip((1, 2), self.streams):
                os.dup2(stream.fileno(), descriptor)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
            sys.argv = ["tunepass", *self.args]
            if self.prepare is not None:
                self.prepare()
            status = main(self.args)
            sys.stdout.flush()
        finally:
            os._exit(status)

    def poll(self) -> int | None:
        return self._reap(os.WNOHANG)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def communicate(self, timeout: float) -> tuple[str, str]:
        until = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired(self.args, timeout)
            time.sleep(0.002)
        texts = []
        for stream in self.streams:
            stream.seek(0)
            texts.append(stream.read())
            stream.close()
        return texts[0], texts[1]

    def _reap(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode


@dataclass(frozen=True)
class Place:
    """A folder with the program. Builds log to `runs`; they are `forked` or programs of their own."""

    path: Path
    evaluations: int = 12
    strategy: str = "random"
    forked: bool = False

    @classmethod
    def make(cls, path: Path, evaluations: int = 12, strategy: str = "random", *, forked: bool = False) -> Place:
        path.mkdir(parents=True, exist_ok=True)
        (path / "cost.py").write_text(PROGRAM)
        (path / "tune.yaml").write_text(DESCRIPTION.format(python=sys.executable))
        return cls(path, evaluations, strategy, forked)

    @property
    def store(self) -> Path:
        return self.path / ".tunepass" / "store.db"

    def start(self, *words: str, prepare: Callable[[], None] | None = None) -> subprocess.Popen[str] | Forked:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("TUNEPASS_")}
        environment = {**kept, "RUNS": str(self.path / "runs")}
        argv = ["build", "tune.yaml", "--strategy", self.strategy, "--max-evals", str(self.evaluations)]
        argv += ["--format", "json", *words]
        if self.forked:
            return Forked(argv, self.path, environment, prepare)
        return subprocess.Popen(
            [sys.executable, "-m", "tunepass", *argv],
            cwd=self.path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=prepare,
        )

    def build(
        self, *words: str, prepare: Callable[[], None] | None = None
    ) -> tuple[subprocess.CompletedProcess[str], float]:
        """A build to its end, and the seconds it took."""
        started = time.monotonic()
        process = self.start(*words, prepare=prepare)
        out, err = process.communicate(timeout=300)
        took = time.monotonic() - started
        return subprocess.CompletedProcess(process.args, process.returncode, out, err), took

    def rows(self) -> list[Row]:
        """The trials in the store, read as any SQLite shell would; none when there is no store."""
        if not self.store.is_file():
            return []
        with sqlite3.connect(self.store) as connection:
            tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'trial'").fetchone()[0]
            query = "SELECT number, configuration, outcome, objectives FROM trial ORDER BY number"
            found = connection.execute(query).fetchall() if tables else []
        connection.close()
        return [tuple(row) for row in found]

    def runs(self) -> list[str]:
        path = self.path / "runs"
        return path.read_text().split("\n")[:-1] if path.exists() else []

    def choice(self) -> object:
        """What the lock records, less the machine."""
        text = (self.path / "tunepass.lock").read_text()
        return [line for line in text.splitlines() if "choice" in line or "objective" in line]


def kill_again_and_again(
    place: Place,
    undisturbed: Place,
    kills: int,
    seconds: float,
    rng: random.Random,
    numbers: Sequence[int] = (signal.SIGKILL,),
) -> int:
    """End a build that takes `seconds` with one of the signals at a random moment, while it starts or around one of its
    next trials, resume it, and so on, until there were `kills` or it has come to its end; how many there were. Asserts
    that no trial is lost or repeated, and that the end is the undisturbed one."""
    hit, finished = 0, False
    while hit < kills and not finished:
        known = len(place.rows())
        process, number = place.start(), rng.choice(numbers)
        if rng.random() > START:
            wait_for_trials(place, process, known + rng.choice(AHEAD))
        wait(process, rng.uniform(0.0, START * seconds))
        before, seen = place.rows(), len(place.runs())
        finished = process.poll() is not None
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        if not interrupted_outside(err):
            assert process.returncode in (0, -number, 128 + number), (process.returncode, err)
            assert "Traceback" not in err and "internal error" not in err, err
        check_kept(place, before, seen, err)
        hit += not finished
    done, _ = place.build()
    assert done.returncode == 0, done.stderr
    rows = place.rows()
    assert rows == undisturbed.rows() and place.choice() == undisturbed.choice()
    assert [row[0] for row in rows] == list(range(len(rows)))
    assert max(Counter(row[1] for row in rows).values()) == 1, "a configuration has two trials"
    assert sorted(p.name for p in place.path.iterdir()) == sorted(p.name for p in undisturbed.path.iterdir())
    return hit


def interrupted_outside(err: str) -> bool:
    """Whether Python told of an interrupt while it started, imported or ended: no command was at work."""
    early = err.startswith("Fatal Python error: init_import_site")
    return early or ("KeyboardInterrupt" in err and ", in main\n" not in err)


def wait(process: subprocess.Popen[str] | Forked, seconds: float) -> None:
    """So long, or until it has ended."""
    until = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < until:
        time.sleep(min(0.005, max(0.0, until - time.monotonic())))


def wait_for_trials(place: Place, process: subprocess.Popen[str] | Forked, count: int) -> None:
    """Until there are so many, or it has ended."""
    while process.poll() is None and len(place.rows()) < min(count, place.evaluations):
        time.sleep(0.002)


def check_kept(place: Place, before: list[Row], seen: int, err: str) -> None:
    """What a build that was ended has left: all that stood in the store and was reported, and a lock that is one."""
    after = place.rows()
    reported = max(reported_counts(err), default=0)
    assert after[: len(before)] == before, "a trial was lost or changed"
    assert len(after) >= reported, "a trial that was reported is not in the store"
    known = {_words(row) for row in before} - {"9 w"}  # the default runs at every start, for its time
    assert not known & set(place.runs()[seen:]), "a stored trial was evaluated again"
    Lock.read(place.path / "tunepass.lock")


def reported_counts(err: str) -> list[int]:
    """The numbers of evaluations that the progress lines reported."""
    return [int(line.split(" evaluated")[0].split()[-1]) for line in err.splitlines() if " evaluated" in line]


def _words(row: Row) -> str:
    found = json.loads(row[1])
    return f"{found['A']} {found['B']}"


def left_running(place: Place) -> list[str]:
    """Command lines of processes that run the program."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if "cost.py" in line and (entry / "cwd").resolve().is_relative_to(place.path):
                    found.append(line)
            except OSError:
                continue
    return found
