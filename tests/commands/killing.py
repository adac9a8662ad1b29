"""A program whose cost is exact and quick to tell, builds of it that are killed, and what has to hold afterwards."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

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
Row = tuple[int, str, str, str | None]  # number, configuration, outcome, objectives


@dataclass(frozen=True)
class Place:
    """A folder with the program. Builds log to `runs`."""

    path: Path
    evaluations: int = 12
    strategy: str = "random"

    @classmethod
    def make(cls, path: Path, evaluations: int = 12, strategy: str = "random") -> Place:
        path.mkdir(parents=True, exist_ok=True)
        (path / "cost.py").write_text(PROGRAM)
        (path / "tune.yaml").write_text(DESCRIPTION.format(python=sys.executable))
        return cls(path, evaluations, strategy)

    @property
    def store(self) -> Path:
        return self.path / ".tunepass" / "store.db"

    def start(self, *words: str, prepare: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("TUNEPASS_")}
        argv = ["build", "tune.yaml", "--strategy", self.strategy, "--max-evals", str(self.evaluations)]
        return subprocess.Popen(
            [sys.executable, "-m", "tunepass", *argv, "--format", "json", *words],
            cwd=self.path,
            env={**kept, "RUNS": str(self.path / "runs")},
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


def kill_again_and_again(place: Place, undisturbed: Place, kills: int, seconds: float, rng: random.Random) -> int:
    """Kill -9 at `kills` random moments within `seconds` of a start, resume each time, then finish; how many kills
    hit a running build. Asserts that no trial is lost or repeated, and that the end is the undisturbed one."""
    hit = 0
    for _ in range(kills):
        process = place.start()
        time.sleep(rng.uniform(0.05, seconds))
        before, seen = place.rows(), len(place.runs())
        hit += process.poll() is None
        process.send_signal(signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        after = place.rows()
        reported = max(reported_counts(err), default=0)
        assert after[: len(before)] == before, "a trial was lost or changed"
        assert len(after) >= reported, "a trial that was reported is not in the store"
        known = {_words(row) for row in before} - {"9 w"}  # the default runs at every start, for its time
        assert not known & set(place.runs()[seen:]), "a stored trial was evaluated again"
    done, _ = place.build()
    assert done.returncode == 0, done.stderr
    rows = place.rows()
    assert rows == undisturbed.rows() and place.choice() == undisturbed.choice()
    assert [row[0] for row in rows] == list(range(len(rows)))
    assert max(Counter(row[1] for row in rows).values()) == 1, "a configuration has two trials"
    return hit


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
