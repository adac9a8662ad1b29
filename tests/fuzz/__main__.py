"""`python -m tests.fuzz`: thousands of inputs that are wrong in some way, and not one internal error.

make fuzz ARGS="--kind c --scale 0.1 --seed 7 --jobs 2"
python -m tests.fuzz --kind c --seed 7 --only 1234      # one case again, with its traceback
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.kinds import KINDS, Report, run_case
from tests.fuzz.oracle import Finding

MEMORY_BYTES = 4 << 30
CHUNK = 25  # cases


def main() -> int:
    options = _options()
    kinds = [options.kind] if options.kind else list(KINDS)
    if options.only is not None:
        with tempfile.TemporaryDirectory(prefix="tunepass-fuzz-") as folder:
            report = run_case(kinds[0], options.seed, options.only, Path(folder))
        print(report.text, report.result if report.result is not True else "accepted", sep="\n")
        return int(isinstance(report.result, Finding))
    return int(bool([kind for kind in kinds if not _fuzz(kind, options)]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--kind", choices=tuple(KINDS))
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of cases")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, metavar="CASE")
    return parser.parse_args()


def _fuzz(kind: str, options: argparse.Namespace) -> bool:
    """Are there no findings, and enough accepted cases?"""
    count, start = max(1, round(KINDS[kind].cases * options.scale)), time.monotonic()
    accepted, findings, times = 0, dict[str, tuple[int, Finding]](), Counter[str]()
    with multiprocessing.get_context("fork").Pool(options.jobs, _prepare) as pool:
        work = ((kind, options.seed, index) for index in range(count))
        for report in pool.imap_unordered(_worker, work, CHUNK):
            accepted += report.result is True
            if isinstance(report.result, Finding):
                times[report.result.place] += 1
                findings.setdefault(report.result.place, (report.index, report.result))
    spent = time.monotonic() - start
    refused = count - accepted - times.total()
    print(
        f"{kind}: {count:,} cases, {accepted:,} accepted ({accepted / count:.0%}), {refused:,} typed errors, "
        f"{times.total()} findings, {spent:.0f} s",
        flush=True,
    )
    if too_few := accepted < KINDS[kind].accepted * count:
        print(f"  fewer accepted than {KINDS[kind].accepted:.0%}: what follows the first checks is not reached")
    for place, (index, finding) in findings.items():
        print(f"  {times[place]} x {place}: {finding.error}")
        print(f"    again: python -m tests.fuzz --kind {kind} --seed {options.seed} --only {index}", flush=True)
    return not findings and not too_few


def _prepare() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _worker(work: tuple[str, int, int]) -> Report:
    with tempfile.TemporaryDirectory(prefix="tunepass-fuzz-") as folder:
        return run_case(*work, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
