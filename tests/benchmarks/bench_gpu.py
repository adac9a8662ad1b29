"""The model of GPU kernels beside tables that were recorded on real GPUs, and searches of those tables with it.

    TUNEPASS_DATA=FOLDER python -m tests.benchmarks.bench_gpu [--table NAME ...] [--seeds 20] [--spaces WORD,...]

`make bench-gpu` runs it. FOLDER (or --data) has the recorded tables, <suite>/<name>.json and .csv.gz, of the suites
`kernel_tuner` and `ktt`. The kernels are described by tests/benchmarks/gpu/spaces, in pragmas of our own.

predictions  Spearman, the top 1 %, and the failures foretold, by space
parts        wavefronts, sectors and registers beside the hardware's counters, where a table has them
left-out     the same of each kernel, with what is assumed chosen on the others
searches     evaluations until within 10 % of the optimum, with the model as prior mean and without
transfer     the same with another GPU's table as the source, and with the model besides
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from tests.benchmarks.gpu import parts, predictions, searches
from tests.benchmarks.gpu.recorded import ENTRIES, Entry

SEARCHED = (
    "kernel_tuner/conv_bat-2080Ti", "kernel_tuner/convolution-A4000", "kernel_tuner/convolution-MI250X",
    "kernel_tuner/dedispersion-MI250X", "kernel_tuner/gemm-Titan", "kernel_tuner/gemm_ext-A100",
    "kernel_tuner/pnpoly-3090", "ktt/convolution-2080Ti", "ktt/pnpoly-2080Ti", "ktt/coulomb3d-2080Ti",
)  # fmt: skip
TABLES = ("predictions", "parts", "left-out", "searches", "transfer")


def main() -> int:
    options = _options()
    data = _folder(options.data)
    if data is None:
        return 2
    entries = [e for e in ENTRIES if (data / f"{e.table}.json").exists()]
    missing = [e.table for e in ENTRIES if e not in entries]
    if missing:
        print(f"{data} lacks {', '.join(missing)}", file=sys.stderr)
    words = [word for word in options.spaces.split(",") if word]
    entries = [e for e in entries if not words or any(word in e.table for word in words)]
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
        print(f"[{time.process_time() - start:.0f} s] {text}", file=sys.stderr, flush=True)

    if name == "predictions":
        return predictions.table(entries, data)
    if name == "parts":
        return parts.table(entries, data), True
    if name == "left-out":
        return predictions.left_out(entries, data), True
    chosen = [e for e in entries if options.spaces or e.table in SEARCHED]
    if name == "transfer":
        return searches.transfer(chosen, data, options.seeds, options.evals, told), True
    return searches.table(chosen, data, options.seeds, options.evals, told)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of recorded tables (TUNEPASS_DATA)")
    parser.add_argument("--table", action="append", choices=TABLES, help="only this one; may be repeated")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--evals", type=int, default=100)
    parser.add_argument("--spaces", default="", help="only spaces whose name has one of these words")
    return parser.parse_args()


def _folder(given: Path | None) -> Path | None:
    stated = given or (Path(os.environ["TUNEPASS_DATA"]) if "TUNEPASS_DATA" in os.environ else None)
    if stated is None:
        print("--data or TUNEPASS_DATA must name the folder of recorded tables", file=sys.stderr)
    elif not (stated / "kernel_tuner").is_dir():
        print(f"{stated} has no folder `kernel_tuner` of recorded tables", file=sys.stderr)
    else:
        return stated.resolve()
    return None


if __name__ == "__main__":
    raise SystemExit(main())
