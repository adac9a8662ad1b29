"""The model of high-level synthesis beside tables of designs that others synthesised and ran.

    TUNEPASS_DATA=FOLDER python -m tests.benchmarks.bench_hls [--table NAME ...] [--kernels WORD,...] [--seeds 20]
        [--kept FILE]

`make bench-fpga` runs it. FOLDER (or --data) has the recorded tables, <suite>/<name>.json and .csv.gz, of the suites
`spector`, `hlsyn` and `pal_hardware`. The kernels are in tests/benchmarks/hls/sources, written anew.

predictions  Spearman of time and area, lane counting, the best of ten, the failures foretold
left-out     the same with numbers fitted on the others: of OpenCL kernels the amounts of area, of Merlin's all of both
searches     evaluations until within 10 % of the optimum, with the model as prior mean and without
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from tests.benchmarks.hls import left_out, left_out_merlin, merlin, searches, sorting, spector, statistics
from tests.benchmarks.hls.records import Entry, compared

ENTRIES: tuple[Entry, ...] = (*spector.ENTRIES, *sorting.ENTRIES, *merlin.ENTRIES)
TABLES = ("predictions", "left-out", "searches")


def main() -> int:
    options = _options()
    data = Path(options.data) if options.data else None
    if data is None or not data.is_dir():
        print("give the folder of recorded tables: TUNEPASS_DATA=FOLDER or --data FOLDER", file=sys.stderr)
        return 2
    words = [word for word in options.kernels.split(",") if word]
    wanted = [e for e in ENTRIES if not words or any(word in e.table for word in words)]
    entries = [e for e in wanted if (data / f"{e.table}.json").exists()]
    missing = {e.kernel for e in wanted} - {e.kernel for e in entries}
    if missing:
        print(f"{data} has no table of {', '.join(sorted(missing))}", file=sys.stderr)
    if not entries:
        print(f"no table is left; the tables are {', '.join(e.table for e in ENTRIES)}", file=sys.stderr)
        return 2
    good = True
    for name in options.table or TABLES:
        text, met = _table(name, entries, data, options)
        print(f"### {name}\n\n{text}\n", flush=True)
        good = good and met
    print(f"goals: {'met' if good else 'missed'}")
    return 0 if good else 1


def _table(name: str, entries: list[Entry], data: Path, options: argparse.Namespace) -> tuple[str, bool]:
    start = time.process_time()

    def told(text: str) -> None:
        print(f"{time.process_time() - start:7.0f} s  {text}", file=sys.stderr, flush=True)

    if name == "left-out":
        return f"{left_out.table(entries, data)}\n\n{left_out_merlin.table(entries, data)}", True
    if name == "searches":
        kept = searches.Kept(data, Path(options.kept) if options.kept else None)
        seeds = range(options.first_seed, options.first_seed + options.seeds)
        return searches.table(entries, kept, seeds, options.evals, told)
    return statistics.table(entries, [statistics.score(compared(e, data)) for e in entries])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench_hls", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", default=os.environ.get("TUNEPASS_DATA"), help="folder of recorded tables")
    parser.add_argument("--table", action="append", choices=TABLES, help="only this table (may be repeated)")
    parser.add_argument("--kernels", default="", help="only tables whose name has one of these words")
    parser.add_argument("--seeds", type=int, default=20, help="seeds of the searches (default 20)")
    parser.add_argument("--first-seed", type=int, default=0, help="what is chosen on some seeds is judged on others")
    parser.add_argument("--kept", help="file of the searches that were run; they are not run again")
    parser.add_argument("--evals", type=int, default=100, help="evaluations of a search at most (default 100)")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
