"""HyperMapper 2.0's experiments at the paper's scale: Figures 5 to 8, Tables III to V, beside what the paper prints.

    python -m tests.benchmarks.bench_paper [--kept FOLDER] [--only table4,fig6,fig7,fig5,table5] [--programs NAME,...]
        [--minutes N] [--pictures FOLDER] [--quick]

Every run is kept in FOLDER (build/paper) by all that it depends on, so that one that was stopped goes on, and a run is
done again when the model or the search changes. After N minutes no run is begun, and what has not run is named. --quick
is the same with hardly any evaluations, to see that it works. Figure 6 is of the last program named. Pictures need
matplotlib (`pip install 'tunepass[bench]'`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.paper import tables
from tests.benchmarks.paper.problems import PROGRAMS, Problem, problem
from tests.benchmarks.paper.published import EXHAUSTIVE, TABLE_V
from tests.benchmarks.paper.runs import PAPER, QUICK, Kept

ONLY = ("table4", "fig6", "fig7", "fig5", "table5")


def jobs(problems: Sequence[Problem], only: Sequence[str], kept: Kept) -> Iterator[tuple[Problem, str, int]]:
    """What the answers need, in the order in which it is worth having: a column of Table IV after the other."""
    for kind in ("baseline", "uniform", "hypermapper", "auto") if "table4" in only else ():
        yield from ((p, kind, seed) for p in problems for seed in range(kept.scale.seeds))
    repeated = [p for p in problems if "fig7" in only and p.name in EXHAUSTIVE]
    compared = problems[-1:] if "fig6" in only else []
    yield from ((p, "active", seed) for p in dict.fromkeys([*repeated, *compared]) for seed in range(kept.scale.seeds))
    yield from ((p, "unfiltered", seed) for p in compared for seed in range(kept.scale.seeds))
    if "fig5" in only or "table5" in only:
        yield from ((p, "active", 0) for p in problems if "fig5" in only or (p.name, "alms") in TABLE_V)


def answers(problems: Sequence[Problem], only: Sequence[str], kept: Kept) -> Iterator[str]:
    if "table4" in only:
        yield from tables.table4(problems, kept)
        yield from tables.efficiency(problems, kept)
    if "fig7" in only:
        yield from tables.figure7(problems, kept)
    if "fig6" in only:
        yield from tables.figure6(problems[-1], kept)
    if "fig5" in only:
        yield from tables.figure5(problems, kept)
    if "table5" in only:
        yield from tables.table5(problems, kept)


def run_all(problems: Sequence[Problem], only: Sequence[str], kept: Kept) -> None:
    """Before anything is answered; a line a run on stderr."""
    for p, kind, seed in jobs(problems, only, kept):
        start = time.monotonic()
        run = kept.run(p, kind, seed)
        took_s = time.monotonic() - start
        if run is not None and took_s > 0.5:
            sys.stderr.write(
                f"{p.name} {kind} {seed}: {len(run.losses):,} in {took_s:.0f} s ({run.cpu_s:.0f} s of CPU)\n"
            )
    if "fig5" in only:
        for n in (
            kept.scale.active_warm_up,
            kept.scale.active_warm_up + kept.scale.active_iterations * kept.scale.per_iteration,
        ):
            for p in problems:
                start = time.monotonic()
                if tables.recalls(p, kept, n) is not None and time.monotonic() - start > 0.5:
                    sys.stderr.write(f"{p.name}: 81 classifiers on {n:,} in {time.monotonic() - start:.0f} s\n")


def main(words: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--kept", type=Path, default=Path(__file__).parents[2] / "build" / "paper")
    arguments.add_argument("--only", default=",".join(ONLY))
    arguments.add_argument("--programs", default=",".join(PROGRAMS))
    arguments.add_argument("--minutes", type=float, default=float("inf"))
    arguments.add_argument("--pictures", type=Path)
    arguments.add_argument("--quick", action="store_true")
    given = arguments.parse_args(words)
    if given.pictures and find_spec("matplotlib") is None:
        arguments.error("pictures need matplotlib: pip install 'tunepass[bench]'")
    end = time.monotonic() + 60 * given.minutes
    kept = Kept(given.kept, QUICK if given.quick else PAPER, lambda: time.monotonic() < end)
    problems, only = [problem(name) for name in given.programs.split(",")], given.only.split(",")
    run_all(problems, only, kept)
    done = Kept(kept.folder, kept.scale, lambda: False)
    for text in answers(problems, only, done):
        print(text + "\n", flush=True)
    if given.pictures:
        from tests.benchmarks.paper.pictures import draw

        for path in draw(problems, done, given.pictures):
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
