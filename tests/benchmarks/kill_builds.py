"""Builds ended at random moments and resumed: no reported trial lost, none twice, the end as undisturbed.

    python tests/benchmarks/kill_builds.py [--kills 1000] [--each 25] [--parallel 2] [--strategy auto] [--seed 0]

`make kills` runs it. Most are killed with -9, the others with SIGTERM, SIGHUP and SIGINT. Most are forks of a process
that has imported tunepass, so that a kill takes two seconds and hits them at work; in one place of ten they are
programs of their own, killed while they start too. After `--each` kills, or when a build has come to its end, it is
compared, and a new one is begun. A failed check is an AssertionError, and status 1.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.commands.killing import Place, kill_again_and_again, left_running
from tests.program import load_everything

NUMBERS = [signal.SIGKILL] * 7 + [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
PROGRAMS = 10  # one place of so many has builds that are programs of their own


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--each", type=int, default=25)
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--evaluations", type=int, default=16)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.parallel > 1:
        return in_parallel(options)
    load_everything()
    with tempfile.TemporaryDirectory(prefix="tunepass-kills-") as folder:
        kill(options, Path(folder), random.Random(options.seed))
    return 0


def in_parallel(options: argparse.Namespace) -> int:
    """The same by several processes, each with its share of the kills and a seed of its own."""
    started, each = time.monotonic(), -(-options.kills // options.parallel)
    shared = ["--parallel", "1", "--each", str(options.each), "--evaluations", str(options.evaluations)]
    shared += ["--strategy", options.strategy, "--kills", str(each)]
    workers = [
        subprocess.Popen([sys.executable, __file__, *shared, "--seed", str(options.seed + i)])
        for i in range(options.parallel)
    ]
    failed = sum(worker.wait() != 0 for worker in workers)
    verdict = f"{failed} of them FAILED" if failed else "nothing lost, nothing twice"
    seconds = time.monotonic() - started
    print(f"{each * options.parallel} kills by {options.parallel} processes in {seconds:.0f} s: {verdict}")
    return 1 if failed else 0


def kill(options: argparse.Namespace, folder: Path, rng: random.Random) -> None:
    undisturbed, seconds = {}, {}
    for forked in (True, False):
        place = Place.make(folder / f"undisturbed-{forked}", options.evaluations, options.strategy, forked=forked)
        done, seconds[forked] = place.build()
        assert done.returncode == 0, done.stderr
        undisturbed[forked] = place
        print(f"undisturbed: {len(place.rows())} trials in {seconds[forked]:.1f} s, strategy {options.strategy}")
    left, begun = options.kills, 0
    while left > 0:
        begun += 1
        kills, forked = min(left, options.each), begun % PROGRAMS != 0
        place = Place.make(folder / str(begun), options.evaluations, options.strategy, forked=forked)
        hit = kill_again_and_again(place, undisturbed[forked], kills, seconds[forked], rng, NUMBERS)
        assert left_running(place) == [], "something was left running"
        left -= hit
        print(f"build {begun}: {hit} kills; trials and choice as undisturbed", flush=True)
    print(f"{options.kills} kills: nothing lost, nothing twice")


if __name__ == "__main__":
    sys.exit(main())
