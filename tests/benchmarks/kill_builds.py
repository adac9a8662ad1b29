"""Builds killed with -9 at random moments and resumed: no reported trial lost, none twice, the end as undisturbed.

    python tests/benchmarks/kill_builds.py [--kills 50] [--each 10] [--strategy auto] [--seed 0]

`make kills` runs it. Every `--each` kills the build is finished and compared, and a new one is begun. A failed check is
an AssertionError.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.commands.killing import Place, kill_again_and_again, left_running


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--each", type=int, default=10)
    parser.add_argument("--evaluations", type=int, default=24)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="tunepass-kills-") as folder:
        undisturbed = Place.make(Path(folder) / "undisturbed", options.evaluations, options.strategy)
        done, seconds = undisturbed.build()
        assert done.returncode == 0, done.stderr
        print(f"undisturbed: {len(undisturbed.rows())} trials in {seconds:.1f} s, strategy {options.strategy}")
        left, begun = options.kills, 0
        while left > 0:
            begun += 1
            kills = min(left, options.each)
            place = Place.make(Path(folder) / str(begun), options.evaluations, options.strategy)
            hit = kill_again_and_again(place, undisturbed, kills, 0.6 * seconds, rng)
            assert left_running(place) == [], "something was left running"
            left -= kills
            print(
                f"build {begun}: {kills} kills, {hit} of a running build; trials and choice as undisturbed", flush=True
            )
    print(f"{options.kills} kills: nothing lost, nothing twice")


if __name__ == "__main__":
    main()
