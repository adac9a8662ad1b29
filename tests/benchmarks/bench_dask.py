"""Searches over Dask's processes on this machine: the time of 1,000 evaluations of 50 ms, and killed workers.

make bench-dask                    2 and 4 processes, 1,000 trials each, 30 kills, the plan for 1,000 workers
make bench-dask ARGS=--quick       100 trials and 5 kills
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import tunepass as tp
from tests.benchmarks.dask_plan import plan
from tests.executors.made_from_text import source_of, value_of
from tunepass.executors.dask.executor import DaskExecutor
from tunepass.search.loop import SearchLoop
from tunepass.search.options import SearchOptions
from tunepass.study.outcome import Failed, Measured

SLEEP_S = 0.05
EFFICIENCY = 0.9
KILL_EVERY_S = (0.2, 1.5)


def search(executor: DaskExecutor, store: Path, trials: int, sleep_s: float = SLEEP_S) -> tuple[float, tp.Study, int]:
    """Seconds of a search of so many trials, its study, and evaluations that began again."""
    source = source_of(sleep_s=sleep_s)
    space = tp.Space([tp.Integer("x", 0, 100 * trials)])
    objective = tp.Objective("time", unit="ms")
    study = tp.Study(space, [objective], strategy="random", max_evals=trials, store=f"sqlite:///{store}", repeats=False)
    executor.identity(source)  # processes that start are not part of the time
    options = SearchOptions(strategy="random", max_evals=trials, executor=executor)
    with executor.evaluator(source) as evaluate:
        began = time.monotonic()
        SearchLoop(study, objective, evaluate, options, lambda progress: None, time.monotonic).run()
        return time.monotonic() - began, study, evaluate.session.retried  # type: ignore[attr-defined]


def throughput(trials: int, processes: int) -> bool:
    """Print the time of a search beside the bound; whether it is kept."""
    with tempfile.TemporaryDirectory() as folder, DaskExecutor(processes, "") as executor:
        seconds, study, _ = search(executor, Path(folder) / "store.db", trials)
    ideal_s = trials * SLEEP_S / processes
    bound_s = ideal_s / EFFICIENCY
    kept = seconds <= bound_s and len(study.trials) == trials
    print(
        f"{processes} processes: {len(study.trials)} trials of {1000 * SLEEP_S:.0f} ms in {seconds:.2f} s, "
        f"{ideal_s / seconds:.1%} of ideal; at most {bound_s:.2f} s: {'kept' if kept else 'MISSED'}",
        flush=True,
    )
    return kept


def kills(count: int, processes: int = 3, seed: int = 0) -> bool:
    """Kill workers at random moments of a search; whether every suggestion has exactly one outcome, the right one."""
    rng, done, killed = random.Random(seed), threading.Event(), Counter[str]()
    with tempfile.TemporaryDirectory() as folder, DaskExecutor(processes, "") as executor:
        executor.identity(source_of(sleep_s=SLEEP_S))

        def kill() -> None:
            while killed["workers"] < count and not done.wait(rng.uniform(*KILL_EVERY_S)):
                pids = executor.processes()
                with contextlib.suppress(ProcessLookupError):  # it died, which the client has not noticed yet
                    if pids:
                        os.kill(rng.choice(pids), signal.SIGKILL)
                        killed["workers"] += 1

        thread = threading.Thread(target=kill, daemon=True)
        thread.start()
        trials = 60 * count
        seconds, study, retried = search(executor, Path(folder) / "store.db", trials)
        done.set()
        thread.join()
        stored = Counter(trial.configuration for trial in study.trials)
    outcomes = [(int(str(t.configuration["x"])), t.outcome) for t in study.trials]
    wrong = sum(o != Measured({"time": value_of(x)}) if x != 13 else not isinstance(o, Failed) for x, o in outcomes)
    pending = len(study.elsewhere)
    right = len(stored) == trials and max(stored.values()) == 1 and not wrong and not pending
    print(
        f"{killed['workers']} kills in {seconds:.1f} s: {trials} suggestions, {len(stored)} with an outcome, "
        f"{sum(n > 1 for n in stored.values())} with several, {wrong} wrong, {pending} pending, "
        f"{retried} evaluated again: {'kept' if right else 'MISSED'}",
        flush=True,
    )
    return right and killed["workers"] == count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="100 trials and 5 kills")
    parser.add_argument("--trials", type=int, help="(default: 1000)")
    parser.add_argument("--kills", type=int, help="(default: 30)")
    parser.add_argument("--only", choices=("throughput", "kills", "plan"))
    options = parser.parse_args()
    trials = options.trials or (100 if options.quick else 1000)
    count = options.kills or (5 if options.quick else 30)
    kept = []
    if options.only in (None, "throughput"):
        kept += [throughput(trials, processes) for processes in (2, 4)]
    if options.only in (None, "kills"):
        kept.append(kills(count))
    if options.only in (None, "plan"):
        plan()
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
