"""The FPGA model against the recorded BlackScholes space: errors of every quantity, on all rows and on the even ones.

    TUNEPASS_DATA=FOLDER python tests/benchmarks/bench_fpga.py [BLACKSCHOLES.csv.gz]

The table is FOLDER/spatial/BlackScholes.csv.gz unless it is named. Spearman of cycles has a ceiling: the record is not
a function that is smooth along IP, and what it is at best is told by ranking it against its own medians of five.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from tunepass.diagnostics import Source
from tunepass.expr import numpy_eval
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.fpga.model import costs
from tunepass.ir.hardware import Program

SAMPLE = Path(__file__).parents[2] / "samples" / "spatial" / "BlackScholes.scala"
Floats = NDArray[np.float64]
FAR = 0.15  # relative error of cycles


def table(path: str) -> dict[str, Floats]:
    """The columns of a CSV."""
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[i] or 0) for row in rows[1:]]) for i, name in enumerate(rows[0])}


def report(title: str, kept: NDArray[np.bool_], estimate: dict[str, Floats], recorded: dict[str, Floats]) -> None:
    print(f"{title}: {int(kept.sum()):,} rows")
    for ours, theirs in (("cycles", "Cycles"), ("alms", "ALMs"), ("dsps", "DSPs"), ("brams", "BRAMs")):
        error = np.abs(estimate[ours][kept] / recorded[theirs][kept] - 1) * 100
        rank = spearmanr(estimate[ours][kept], recorded[theirs][kept]).statistic
        print(
            f"  {ours:7} median {np.median(error):6.2f}%  95th {np.percentile(error, 95):6.2f}%"
            f"  max {error.max():7.2f}%"
            f"  exact {np.mean(error == 0) * 100:6.2f}%  Spearman {rank:.5f}"
        )
    fits, valid = estimate["fits"][kept] > 0, recorded["valid"][kept] > 0
    both = int((fits & valid).sum())
    print(f"  fits    precision {both / max(fits.sum(), 1):.4f}  recall {both / max(valid.sum(), 1):.4f}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("blackscholes", nargs="?")
    arguments.add_argument("--device", default="stratix-v")
    given = arguments.parse_args()
    path = given.blackscholes or recorded_file("spatial/BlackScholes.csv.gz")
    if path is None:
        return 2
    recorded = table(path)
    (kernel,) = SpatialFrontend().parse(Source(SAMPLE.name, SAMPLE.read_text())).kernels
    model = costs(kernel.body_as(Program), load(given.device))
    n = len(recorded["B"])
    columns = {name: recorded[name].astype(np.int64) for name in ("B", "OP", "IP")}
    columns[kernel.parameters[-1].name] = recorded["x1873"].astype(bool)
    start = time.perf_counter()
    named = {**model.values, "fits": model.fits}
    estimate = {name: np.asarray(numpy_eval.evaluate(e, columns, n).values, dtype=float) for name, e in named.items()}
    print(f"{n:,} points, every expression, by NumPy: {time.perf_counter() - start:.2f} s")
    index = np.arange(1, n + 1)
    report("all rows", index > 0, estimate, recorded)
    report("even rows (not fitted; the toggle is on)", index % 2 == 0, estimate, recorded)
    report("odd rows (fitted; the toggle is off)", index % 2 == 1, estimate, recorded)
    even = index % 2 == 0
    ceiling = spearmanr(medians(recorded)[even], recorded["Cycles"][even]).statistic
    far = np.abs(estimate["cycles"] / recorded["Cycles"] - 1)[even] > FAR
    near = even & ~(np.abs(estimate["cycles"] / recorded["Cycles"] - 1) > FAR)
    rank = spearmanr(estimate["cycles"][near], recorded["Cycles"][near]).statistic
    print(f"Spearman of the even rows' cycles with their own medians of five along IP: {ceiling:.5f}")
    print(f"{int(far.sum())} even rows are further than {FAR:.0%} from the model; without them Spearman is {rank:.5f}")
    return 0


def medians(recorded: dict[str, Floats]) -> Floats:
    """Every point's median over itself and its two neighbours to each side along IP."""
    order = np.lexsort([recorded[name] for name in ("IP", "OP", "B", "x1873")])
    lines = recorded["Cycles"][order].reshape(-1, len(np.unique(recorded["IP"])))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(lines, ((0, 0), (2, 2)), mode="edge"), 5, axis=1)
    found = np.empty(len(order))
    found[order] = np.median(windows, axis=2).ravel()
    return found


def recorded_file(name: str) -> str | None:
    """A file of the recorded data; says what is missing where there is none."""
    folder = os.environ.get("TUNEPASS_DATA")
    if folder and Path(folder, name).exists():
        return str(Path(folder, name))
    print(f"set TUNEPASS_DATA to the folder that holds {name}", file=sys.stderr)
    return None


if __name__ == "__main__":
    sys.exit(main())
