"""Can a build be trusted? Kernels that nothing changes, a machine that is busy, seeds that are unlucky.

    python tests/benchmarks/bench_trust.py [--builds 20] [--loaded 10] [--seeds 5] [--budget 20s] [--long 120s]

`make bench-trust` runs it, half an hour. 0 leaves a part out. A part that fails its bound says so, and the exit
status is 1.

(a) A kernel whose parameters change what is compiled but not how fast it is: every build keeps the default.
(b) The same build under a competing load, which this script starts and ends: the winners' times, measured in turns when
    the load is gone, are within 5 % of one another.
(c) The naive matrix product, tuned by loop directives with different seeds: the worst gains at least 3x.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import tunepass
from tunepass.backends.base import Target
from tunepass.backends.c import CBackend
from tunepass.evaluators.compile_run import CompileRun
from tunepass.space.configuration import Configuration

ROOT = Path(__file__).parents[2]
LEAST_GAIN, MOST_SPREAD = 3.0, 0.05
COMPILER = ("gcc", "-O2")
MATMUL = (
    ROOT / "samples/c/matmul_loops.c"
)  # computes: its time says more of the choice than of the memory's other users

# The parameters fill a table that is never read on the way: other object code, the same loop.
IDLE = """\
#pragma tunepass param A: integer(0..99) = 50
#pragma tunepass param B: ordinal(1, 2, 4, 8, 16) = 4
#ifndef A
#define A 50
#define B 4
#endif
const volatile int chosen[2] = {A, B};
#pragma tunepass kernel idle(n = 20000, x: in double[n], y: out double[n])
void idle(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 1.0 / (1.0 + x[i] * x[i]);
}
"""


def build(source: Path, budget: str, seed: int = 0) -> dict[str, object]:
    """One build from nothing: what it says as JSON."""
    shutil.rmtree(source.parent / ".tunepass", ignore_errors=True)
    (source.parent / "tunepass.lock").unlink(missing_ok=True)
    words = ["build", source.name, "--budget", budget, "--seed", str(seed), "--format", "json", "--", *COMPILER]
    done = subprocess.run(
        [sys.executable, "-m", "tunepass", *words], cwd=source.parent, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"tunepass {' '.join(words)} ended with {done.returncode}\n{done.stderr}")
    found: dict[str, object] = json.loads(done.stdout)
    return found


def gain_of(built: dict[str, object]) -> float:
    objectives = built["objectives"]
    assert isinstance(objectives, dict)
    return float(objectives["time"]["gain"])


def choice_of(built: dict[str, object]) -> Configuration:
    choice = built["choice"]
    assert isinstance(choice, dict)
    return Configuration({name: tuple(v) if isinstance(v, list) else v for name, v in choice.items()})


def row(part: str, number: int, built: dict[str, object]) -> None:
    kept = "default kept" if built["kept_default"] else f"{gain_of(built):.2f}x"
    print(
        f"  ({part}) {number:>3}  {built['evaluations']:>4} of {built['trials']:>4}  {kept:<12}  {built['choice']}",
        flush=True,
    )


def keeps_the_default(folder: Path, builds: int, budget: str) -> bool:
    source = folder / "idle.c"
    source.write_text(IDLE)
    kept = 0
    for number in range(builds):
        built = build(source, budget, seed=number)
        kept += bool(built["kept_default"])
        row("a", number + 1, built)
    print(f"(a) {kept} of {builds} builds kept the default of a kernel that nothing changes")
    return kept == builds


def _busy(period_s: float) -> None:
    """Works and sleeps in turns, so that the load comes and goes."""
    while True:
        until = time.monotonic() + period_s
        while time.monotonic() < until:
            sum(range(10_000))
        time.sleep(period_s / 2)


@contextmanager
def load(processes: int) -> Iterator[None]:
    workers = [multiprocessing.Process(target=_busy, args=(0.3 + 0.2 * i,), daemon=True) for i in range(processes)]
    for worker in workers:
        worker.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def true_times(source: Path, choices: Sequence[Configuration]) -> list[float]:
    """Of 31 rounds in turns, in ms: each time against its round's median, so that a machine that changes its speed
    between rounds does not matter; then the median of those, at the median round's speed."""
    kernel = tunepass.load(source)
    with CBackend(kernel, Target(compiler=COMPILER)).evaluator() as made:
        assert isinstance(made, CompileRun)
        rounds = list(zip(*made.compare_again(list(choices), rounds=31)))
    speeds = [median(times) for times in rounds]
    relative = zip(*([time / speed for time in times] for times, speed in zip(rounds, speeds)))
    return [median(speeds) * median(each) for each in relative]


def picks_alike_when_busy(folder: Path, builds: int, budget: str) -> bool:
    source = Path(shutil.copy(MATMUL, folder))
    choices = []
    with load(os.cpu_count() or 1):
        for number in range(builds):
            built = build(source, budget)
            choices.append(choice_of(built))
            row("b", number + 1, built)
    distinct = list(dict.fromkeys(choices))
    times = true_times(source, distinct)
    spread = max(times) / min(times) - 1
    for choice, each in zip(distinct, times):
        print(f"  (b) {each:8.3f} ms  {choices.count(choice)} times  {dict(choice)}")
    print(f"(b) true times of {builds} winners chosen under load are within {spread:.1%} of one another")
    return spread <= MOST_SPREAD


def gains_with_any_seed(folder: Path, seeds: int, budget: str) -> bool:
    source = Path(shutil.copy(MATMUL, folder))
    gains = []
    for seed in range(seeds):
        built = build(source, budget, seed)
        gains.append(gain_of(built))
        row("c", seed, built)
    print(f"(c) the worst of {seeds} seeds gains {min(gains):.2f}x, the median one {median(gains):.2f}x")
    return min(gains) >= LEAST_GAIN


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--builds", type=int, default=20, help="of (a)")
    parser.add_argument("--loaded", type=int, default=10, help="builds of (b)")
    parser.add_argument("--seeds", type=int, default=5, help="of (c)")
    parser.add_argument("--budget", default="20s", help="of each build of (a) and (c)")
    parser.add_argument("--long", default="120s", help="of each build of (b)")
    options = parser.parse_args()
    parts = (
        (keeps_the_default, options.builds, options.budget),
        (picks_alike_when_busy, options.loaded, options.long),
        (gains_with_any_seed, options.seeds, options.budget),
    )
    good = True
    print("        number  evaluations of trials, gain, choice")
    with tempfile.TemporaryDirectory(prefix="tunepass-trust-") as folder:
        for part, count, budget in parts:
            if count > 0:
                good = part(Path(folder), count, budget) and good
    print("all bounds hold" if good else "a bound does not hold")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
