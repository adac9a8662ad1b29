"""What hard spaces, long searches and long stores cost, each figure against its bound.

    python -m tests.benchmarks.bench_resources [NAME ...]

Each runs in a process of its own. CPU seconds are given, which other work on the machine changes less than the clock's,
and the peak of memory, of which an import of tunepass takes about 60 MB. Ends with status 1 if a bound is passed.
"""

from __future__ import annotations

import importlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.benchmarks.search.overhead import mm_gpu, price
from tunepass.diagnostics import SpaceError
from tunepass.space.parameter import Integer, Ordinal
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.storage import json_text
from tunepass.study.storage.store import Store
from tunepass.study.storage.trial_rows import TRIAL_COLUMNS, outcome_cells
from tunepass.study.study import Study
from tunepass.study.trial import Trial

TIME = [Objective("time", unit="ms")]
LONG = 10**9
SUM = " + ".join(f"p{i}" for i in range(200))
OBSERVATIONS, STORED = 5_000, 200_000


def first_suggestion(space: Space) -> str:
    (first,) = Study(space, TIME).suggest(1)
    assert space.contains(first)
    return "a suggestion"


def constrained(text: str, names: str = "ab") -> str:
    try:
        return first_suggestion(Space([Integer(name, 1, LONG) for name in names], [text]))
    except SpaceError as error:
        return error.diagnostics[0].message


def two_hundred(text: str) -> str:
    space = Space([Ordinal(f"p{i}", [1, 2, 4, 8, 16, 32]) for i in range(200)], [text])
    study = Study(space, TIME)
    for number in range(4):
        for c in study.suggest(1):
            study.observe(c, Measured({"time": 1.0 + number}))
    return f"{len(study.trials)} suggestions"


def observed(study: Study) -> None:
    study.suggest(1)
    for c in study.space.sample(OBSERVATIONS, np.random.default_rng(1)):
        study.observe(c, price(c))


def suggestion(study: Study) -> str:
    """Eight of them: the largest counts, the first of which looks for hyperparameters. SciPy is loaded once a process,
    whatever the search."""
    importlib.import_module("scipy.special")
    spent = []
    for _ in range(8):
        start = time.process_time()
        (c,) = study.suggest(1)
        spent.append(time.process_time() - start)
        study.observe(c, price(c))
    return f"largest {max(spent):.2f} s, median {float(np.median(spent)):.2f} s"


def fill(path: Path) -> None:
    """A store as a search of STORED trials leaves it, written directly."""
    space = mm_gpu()
    with Store(f"sqlite:///{path}") as store:
        study = Study(space, TIME, store=store, name="long")
        number = study._record.id
    rng, times = np.random.default_rng(0), {"compile": 0.5, "check": 0.1, "measure": 0.5}
    columns = ("study", *TRIAL_COLUMNS, "finished")
    insert = f"INSERT INTO trial ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    with sqlite3.connect(path) as db:
        for i, c in enumerate(space.sample(STORED, rng)):
            value = float(rng.random())
            outcome = Failed("compile", "error\n" * 20) if i % 7 == 3 else Measured({"time": value}, (value,) * 7)
            trial = Trial(i, c, outcome, times, "a line of the log\n" * 15, 1e6, None, f"{i:064x}")
            db.execute(insert, (number, i, json_text.encode_configuration(c), *outcome_cells(trial), ""))


def resumed(path: Path) -> str:
    study = Study(mm_gpu(), TIME, store=f"sqlite:///{path}", name="long")
    assert len(study.suggest(1)) == 1
    return f"{len(study.trials)} trials"


# What is measured, its bound in CPU seconds and in MB; `prepare` is not counted.
RUNS: dict[str, tuple[Callable[[], str], float, float]] = {
    **{
        f"{names}: {text}": (lambda text=text, names=names: constrained(text, names), 1.0, 500.0)  # type: ignore[misc]
        for text, names in [
            ("a * b % 1000 == 7", "ab"), ("a * b == c", "abc"), ("a % b == 0", "ab"), ("a + b + c == 999999999", "abc"),
            ("a * a + b * b == 1000000007", "ab"), ("a * b % 1000000007 == 7", "ab"), ("gcd(a, b) == 12345", "ab"),
        ]
    },
    "200 parameters, sum <= 1500": (lambda: two_hundred(f"{SUM} <= 1500"), 5.0, 500.0),
    "200 parameters, sum == 1500": (lambda: two_hundred(f"{SUM} == 1500"), 5.0, 500.0),
}  # fmt: skip


def run(name: str, path: Path) -> tuple[str, float, float, float]:
    """What came of it, CPU seconds and the bounds."""
    if name == "auto":
        study = Study(mm_gpu(), TIME, seed=1)
        observed(study)
        said = suggestion(study)
        return said, float(said.split()[1]), 0.5, 500.0
    if name == "store":
        start = time.process_time()
        return resumed(path), time.process_time() - start, 5.0, 500.0
    work, seconds, megabytes = RUNS[name]
    start = time.process_time()
    return work(), time.process_time() - start, seconds, megabytes


def main() -> int:
    names, passed = sys.argv[1:] or [*RUNS, "auto", "store"], True
    if len(names) == 2 and names[0] == "--one":
        path = Path(sys.stdin.readline().strip())
        if names[1] == "fill":
            fill(path)
            return 0
        said, spent, seconds, megabytes = run(names[1], path)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        verdict = "ok" if spent <= seconds and peak <= megabytes else "PASSED"
        print(f"{names[1]:34} {spent:6.2f} s of {seconds:3g}, {peak:4.0f} MB of {megabytes:g}   {verdict}   {said}")
        return int(verdict != "ok")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        for name in [*(["fill"] if "store" in names else []), *names]:
            command = [sys.executable, "-m", "tests.benchmarks.bench_resources", "--one", name]
            passed &= subprocess.run(command, input=f"{path}\n", text=True, check=False).returncode == 0
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())
