"""The FPGA model against the recorded BlackScholes space: errors of every quantity, on all rows and on the even ones.

python tests/benchmarks/bench_fpga.py BLACKSCHOLES.csv.gz
"""

from __future__ import annotations

import argparse
import csv
import gzip
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

SAMPLE = Path(__file__).parents[2] / "samples" / "spatial" / "BlackScholes.scala"
Floats = NDArray[np.float64]


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


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("blackscholes")
    arguments.add_argument("--device", default="stratix-v")
    given = arguments.parse_args()
    recorded = table(given.blackscholes)
    (kernel,) = SpatialFrontend().parse(Source(SAMPLE.name, SAMPLE.read_text())).kernels
    assert kernel.program is not None
    model = costs(kernel.program, load(given.device))
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


if __name__ == "__main__":
    main()
