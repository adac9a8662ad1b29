"""What commands about a store of 200,000 trials cost: CPU seconds, peak of memory, and the size of what they write.

    python -m tests.benchmarks.bench_long_store [TRIALS]

Printed beside the bounds of 5 s and 500 MB, and 2 MB of a page; nothing fails by them, a busy machine passes them.
"""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tunepass.jobs.locks.verify import check
from tunepass.jobs.places import store_location
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured
from tunepass.study.storage import json_text
from tunepass.study.storage.trial_rows import TRIAL_COLUMNS, outcome_cells
from tunepass.study.study import Study
from tunepass.study.trial import Trial

TRIALS, VALUES = 200_000, 1000
SOURCE = f"""\
#pragma tunepass param A: integer(1..{VALUES}) = 1
#pragma tunepass param B: integer(1..{VALUES}) = 1
#pragma tunepass kernel f(n = 1000, x: inout double[n])
#ifndef A
#define A 1
#define B 1
#endif
void f(int n, double *x) {{ for (int i = 0; i < n; i++) x[i] += A * B; }}
"""
COMMANDS = (
    "explain k.c",
    "report k.c -o report.html",
    "report k.c -o report.svg",
    "diff k.c",
    "store check .tunepass/store.db",
    "store export .tunepass/store.db -o trials.jsonl",
)


def fill(folder: Path, trials: int) -> None:
    """A source, and a store as a search of it leaves it, written directly."""
    source = folder / "k.c"
    source.write_text(SOURCE)
    job = check([str(source)], ())[0].job  # with the compiler, by which `diff` finds the study
    assert job is not None
    location = store_location(str(source), None)
    location.folder.mkdir(exist_ok=True)
    with location.open() as store:
        Study(job.space, [job.objective], store=store, name="long", identity=job.identity.texts())
        (study,) = store.studies()
    rng, times = np.random.default_rng(0), {"compile": 0.5, "check": 0.1, "measure": 0.5}
    columns = ("study", *TRIAL_COLUMNS, "finished")
    insert = f"INSERT INTO trial ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    assert location.path is not None
    with sqlite3.connect(location.path) as db:
        for i, place in enumerate(rng.permutation(VALUES * VALUES)[:trials]):
            c = Configuration({"A": int(place // VALUES) + 1, "B": int(place % VALUES) + 1})
            value = float(rng.random()) + 1
            measured = Measured({job.objective.name: value}, (value,) * 7)
            outcome = Failed("compile", "error\n" * 20) if i % 7 == 3 else measured
            trial = Trial(i, c, outcome, times, "a line of the log\n" * 15, 1e6, None, f"{i:064x}")
            db.execute(insert, (study.id, i, json_text.encode_configuration(c), *outcome_cells(trial), ""))


def main() -> int:
    if sys.argv[1:2] == ["--one"]:
        result = subprocess.run([sys.executable, "-m", "tunepass", *sys.argv[2:]], capture_output=True, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        print(f"{' '.join(sys.argv[2:]):50} {spent:5.1f} s of 5, {peak:5.0f} MB of 500, status {result.returncode}")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, int(sys.argv[1]) if sys.argv[1:] else TRIALS)
        for command in COMMANDS:
            words = [sys.executable, "-m", "tests.benchmarks.bench_long_store", "--one", *command.split()]
            environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin"}
            subprocess.run(words, cwd=folder, check=False, env=environment)
        for file in ("report.html", "report.svg", "trials.jsonl"):
            print(f"{file:50} {(folder / file).stat().st_size / 1e6:5.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
