"""Sparse, deep and joint deep processes on designs of the accelerator: identities, time, predictions and searches.

    python -m tests.benchmarks.bench_deep [--quick] [--starts N] [--splits N] [--results FILE] [--table FILE]
        [--rows N] [--only NAME,...] [--recorded FILE.json ...] [--picture FILE] [--fronts FILE]
        [--geepee FOLDER] [--approxep FOLDER] [--python PYTHON]

`make bench-deep` runs it. Each task's result is a line of FILE (JSON; out/bench_deep.jsonl), and a task whose line is
there is not run again: a stopped run goes on where it stopped. The tables print mean ± standard error over the tasks.

identities   differences that are 0 but for rounding, or small
references   energies and predictions beside those of geepee and deepGP_approxEP, on their examples: --geepee FOLDER,
             --approxep FOLDER and --python PYTHON, which imports their code (checkouts are for Python 2)
time         CPU seconds of a training of two outputs and 300 rows with 30 inducing inputs, 2,000 epochs in batches
             of 50, and of a refit to one row more
step         log density of 200 noisy points of a step function, given 50
orders       log density and RMSE of 200 configurations of a number, a category and an order, given 60 (orders.py)
density      log density and RMSE, of log10 of error and power, of designs that a model has not seen, on the
             near-optimal fifth of the table (its first fronts), for some training sizes and random splits
search       hypervolume (error 10 %, power 15 mW as reference) of 30 random designs and some that SMSego chooses
auto         the same of these 30 and half as many that `auto` chooses of the space itself, each trained anew;
             `search` chooses among recorded designs
epochs       energy and log densities of a joint deep process of 300 designs, trained for so many epochs
reference    what searches below other reference points find (Havasi 2017, Table 5.1)

--recorded   `density` and `search` (10 random designs and 40) of other recorded spaces, tunepass-recorded-space/1
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from tests.benchmarks.accelerator import identities, picture, references
from tests.benchmarks.accelerator.deep_tables import fronts_drawn, print_hours, print_tables
from tests.benchmarks.accelerator.deep_tasks import QUICK, RECORDED, WHOLE, Study, run
from tests.benchmarks.accelerator.designs import TABLE, DesignTable

TABLED = ("time", "step", "orders", "density", "search", "auto", "epochs", "reference")  # sections with tasks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer sizes, splits and iterations: some minutes")
    parser.add_argument("--starts", type=int, help="searches of each model, instead of 50 (20 of other spaces)")
    parser.add_argument("--splits", type=int, help="random splits of predictions, instead of 100 (20)")
    parser.add_argument("--results", type=Path, default=Path("out/bench_deep.jsonl"))
    parser.add_argument("--table", type=Path, default=TABLE, help="recorded designs (designs.py)")
    parser.add_argument("--rows", type=int, help="only the first designs of the table")
    parser.add_argument("--only", default=",".join(("identities", "references", *TABLED)))
    parser.add_argument(
        "--recorded", type=Path, nargs="*", default=[], help="other recorded spaces, instead of the table"
    )
    parser.add_argument("--picture", type=Path, help="where a picture of a step function's layers goes")
    parser.add_argument("--fronts", type=Path, help="where a picture of the searches' fronts goes")
    parser.add_argument("--geepee", type=Path, help="a checkout of geepee, for `references`")
    parser.add_argument("--approxep", type=Path, help="a checkout of deepGP_approxEP, for `references`")
    parser.add_argument("--python", default=sys.executable, help="a Python that imports both")
    options = parser.parse_args()
    only = options.only.split(",")
    if options.recorded:
        for path in options.recorded:
            tabulate(Study(DesignTable.recorded(path), path.stem), options, only)
        return
    if options.picture:
        options.picture.write_text(picture.drawn())
    if "identities" in only:
        identities.print_all()
    if "references" in only:
        references.print_all({"geepee": options.geepee, "approxep": options.approxep}, options.python)
    if set(only) & set(TABLED):
        tabulate(Study(DesignTable.read(options.table).first(options.rows)), options, only)


def tabulate(study: Study, options: argparse.Namespace, only: list[str]) -> None:
    extent = study.fitting(RECORDED if study.name else QUICK if options.quick else WHOLE)
    wanted = {"starts": options.starts, "splits": options.splits}
    extent = replace(extent, **{name: number for name, number in wanted.items() if number is not None})
    designs, (error, power) = len(study.table.losses), study.table.reference
    print(f"\n{study.name or 'the accelerator'}: {designs} recorded designs; the near-optimal fifth has {designs // 5}")
    print(f"hypervolumes below ({error:.4g}, {power:.4g})")
    results = run(study, extent, only, options.results)
    print_tables(results, study, extent, only)
    if options.fronts and "search" in only and not study.name:
        options.fronts.write_text(fronts_drawn(results, extent, study.table))
    if not study.name:
        print_hours(results, extent, study, only)


if __name__ == "__main__":
    main()
