"""Commands in small folders: what a fault is let into, and what has to hold afterwards."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tests.commands.killing import Forked
from tests.faults.injecting import Fault, Record, empty_record

LIMIT_S = 120.0
KERNEL = """\
#pragma tunepass param U: ordinal(1, 2) = 1
#pragma tunepass kernel f(n = 64, x: in float[n], y: out float[n])
#ifndef U
#define U 1
#endif
void f(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i += U)
        for (int j = i; j < i + U && j < n; j++)
            y[j] = 2 * x[j];
}
"""
DESCRIPTION = """\
name: exact
sources: [cost.sh]
parameters:
  A: {kind: integer, range: [1, 9], default: 9, role: argument}
run:
  command: /bin/sh cost.sh {A}
  metrics: ["cost: {cost}"]
  deterministic: true
"""
PROGRAM = "echo cost: $((10 + ($1 - 4) * ($1 - 4)))\n"
NET = Path(__file__).parents[2] / "samples" / "dnn" / "mnist_keras.py"
QUESTIONS = '{"ask": "space"}\n{"ask": "sample", "n": 3}\n{"ask": "possible", "configuration": {}}\n'
# Words for an error where the C library's are not those that Python or SQLite has for it.
OTHER_WORDS = (
    r"can't start new thread|out of memory|[Mm]emory|died|disk is full|database or disk|disk I/O error|unable to open|"
    r"locking protocol|readonly|cannot be started|cannot load"
)
Check = Callable[[Path], object]


@dataclass(frozen=True)
class Target:
    """A command in a folder. `roles` are those whose calls may fail in it; `before` are commands that prepare it."""

    name: str
    files: Mapping[str, str]
    before: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    roles: tuple[str, ...]
    stdin: str = ""
    removed: tuple[str, ...] = ()  # after the preparation

    def prepared_as(self, other: Target) -> bool:
        return (self.files, self.before, self.removed) == (other.files, other.before, other.removed)


BUILD_APPLICATION = ("build", "tune.yaml", "--strategy", "random", "--max-evals")
BUILD_KERNEL = ("build", "k.c", "--strategy", "random", "--max-evals")
TARGETS = {
    target.name: target
    for target in (
        Target(
            "application",
            {"tune.yaml": DESCRIPTION, "cost.sh": PROGRAM},
            ((*BUILD_APPLICATION, "3"),),
            (*BUILD_APPLICATION, "6"),
            ("tunepass", "supervisor"),
            removed=("tunepass.lock",),
        ),
        Target(
            "kernel",
            {"k.c": KERNEL},
            ((*BUILD_KERNEL, "1", "--", "gcc", "-O1"),),
            (*BUILD_KERNEL, "2", "--", "gcc", "-O1"),
            ("tunepass", "supervisor", "tool"),
            removed=("tunepass.lock",),
        ),
        Target(
            "cc",
            {"k.c": KERNEL},
            ((*BUILD_KERNEL, "2", "--", "gcc", "-O1"),),
            ("cc", "gcc", "-O1", "-c", "k.c", "-o", "k.o"),
            ("tunepass",),
        ),
        Target(
            "verify",
            {"k.c": KERNEL},
            ((*BUILD_KERNEL, "2", "--", "gcc", "-O1"),),
            ("verify", "--", "gcc", "-O1"),
            ("tunepass",),
        ),
        Target(
            "serve",
            {"net.py": NET.read_text()},
            (),
            ("serve", "net.py", "--device", "phone", "--limit", "flops=60M"),
            ("tunepass",),
            stdin=QUESTIONS,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; `status` None: it did not, within LIMIT_S."""

    status: int | None
    out: str
    err: str
    record: Record | None = None


@dataclass(frozen=True)
class Place:
    """A folder that a target's command runs in, with temporary files and a cache of its own."""

    path: Path
    target: Target

    @classmethod
    def make(cls, path: Path, target: Target) -> Place:
        """Prepared, with nothing failing."""
        place = cls(path, target)
        (path / "work").mkdir(parents=True)
        (path / "tmp").mkdir()
        for name, text in target.files.items():
            (place.folder / name).write_text(text)
        for words in target.before:
            done = place.run(words)
            assert done.status == 0, done.err
        for name in target.removed:
            (place.folder / name).unlink()
        return place

    def copy(self, path: Path) -> Place:
        shutil.copytree(self.path, path)
        return Place(path, self.target)

    @property
    def folder(self) -> Path:
        return self.path / "work"

    def run(self, words: Sequence[str] | None = None, fault: Fault | None = None) -> Ended:
        """The command, or `words`; forked from this process, which the library was loaded into."""
        environment = self._environment()
        record = empty_record(self.path / "record") if fault else None
        if fault and record:
            environment |= fault.environment(record)
        stdin = self.path / "stdin"
        stdin.write_text(self.target.stdin)
        process = Forked(list(words or self.target.words), self.folder, environment, lambda: _begin(stdin))
        try:
            out, err = process.communicate(LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate(LIMIT_S)
            return Ended(None, out, err, Record.read(record) if record else None)
        return Ended(process.returncode, out, err, Record.read(record) if record else None)

    def _environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("TUNEPASS_", "FAULT"))}
        return {**kept, "TMPDIR": str(self.path / "tmp"), "TUNEPASS_CACHE": str(self.path / "cache")}

    def rows(self) -> list[tuple[object, ...]]:
        """The trials in the store."""
        store = self.folder / ".tunepass" / "store.db"
        if not store.is_file():
            return []
        with closing(sqlite3.connect(store)) as connection:
            query = "SELECT number, configuration, outcome, objectives FROM trial ORDER BY number"
            return list(connection.execute(query))

    def left(self) -> list[str]:
        """Files in the making that nobody makes any more."""
        return sorted(p.name for p in self.folder.rglob(".tunepass-*"))


def _begin(stdin: Path) -> None:
    """In the forked child: read from there, and let faults begin."""
    tempfile.tempdir = None  # was found in the environment of this process
    os.dup2(os.open(stdin, os.O_RDONLY), 0)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (it lives as long as the process)
    ctypes.CDLL(None).fault_begin()


def complaints(place: Place, fault: Fault) -> tuple[list[str], Ended]:
    """What a run with the fault, and the next one without, do that they must not."""
    before = place.rows()
    done = place.run(fault=fault)
    found = list(_of_the_end(done, fault, place.target))
    after = place.rows()
    if after[: len(before)] != before:
        found.append("a trial was lost or changed")
    if len(after) < max(reported_counts(done.err), default=0):
        found.append("a trial that was reported is not in the store")
    again = place.run()
    if again.status != 0:
        found.append(f"the next undisturbed run ended with {again.status}: {again.err[:1500]}")
    if place.rows()[: len(after)] != after:
        found.append("the next undisturbed run changed a trial")
    if place.left():
        found.append(f"left behind: {', '.join(place.left())}")
    return found, done


def _of_the_end(done: Ended, fault: Fault, target: Target) -> list[str]:
    if done.status is None:
        return ["it did not end"]
    found = [word for word in ("Traceback", "internal error", "Fatal Python error") if word in done.err + done.out]
    if done.status not in statuses(fault, target):
        found.append(f"status {done.status}")
    if done.status != 0:
        errors = [line for line in done.err.splitlines() if re.search(r"\berror: ", line)]
        words = f"{re.escape(os.strerror(fault.error))}|{OTHER_WORDS}"
        if not errors and target.name != "cc":
            found.append("no line says what failed")
        elif target.name != "cc" and not re.search(words, done.err):
            found.append(f"no line names the fault ({os.strerror(fault.error)})")
    return found


def statuses(fault: Fault, target: Target) -> set[int]:
    """Done in spite of it, or the machine's failure. A read-only folder may be one that was named wrongly."""
    return {0, 4, 2} if fault.error == errno.EROFS else {0, 4}


def reported_counts(err: str) -> list[int]:
    """The numbers of evaluations that the progress lines reported."""
    return [int(line.split(" evaluated")[0].split()[-1]) for line in err.splitlines() if " evaluated" in line]
