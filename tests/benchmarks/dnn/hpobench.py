"""HPO-Bench as a source: how many of its configurations are left under limits of weights, and in how many classes.

    python -m tests.benchmarks.dnn.hpobench

Gao et al. (ICSE 2021) prune it by 2, 8, 16 and 256 KB; that their largest network has 256 KB fits one byte a weight.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tunepass.diagnostics import Source
from tunepass.expr.numpy_eval import evaluate
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.graphs.inference import infer
from tunepass.graphs.table import shipped
from tunepass.graphs.values import total
from tunepass.ir.graph import Graph

SAMPLE = Path(__file__).parents[3] / "samples" / "dnn" / "hpobench_keras.py"
WIDTHS = (16, 32, 64, 128, 256, 512)
FEATURES = {"protein": 9, "naval": 15, "parkinsons": 20, "slice": 385}


def weights(features: int) -> np.ndarray:
    """Of each pair of widths: nothing else changes them."""
    text = SAMPLE.read_text().replace("FEATURES = 9 ", f"FEATURES = {features} ")
    graph = DnnFrontend().parse(Source(SAMPLE.name, text)).kernels[0].body_as(Graph)
    expression = total([costs.resources["weights"] for costs in infer(graph.inputs, graph.nodes, shipped()).nodes])
    first, second = (grid.ravel() for grid in np.meshgrid(WIDTHS, WIDTHS, indexing="ij"))
    return evaluate(expression, {"n_units_1": first, "n_units_2": second}, len(first)).values


def report() -> str:
    each = 62_208 // len(WIDTHS) ** 2
    lines = [f"{'':12}{'classes':>8}{'fewest':>8}{'most':>9}{'2 KB':>9}{'8 KB':>9}{'16 KB':>9}{'256 KB':>9}"]
    for name, features in FEATURES.items():
        found = weights(features)
        left = "".join(f"{each * int((4 * found <= limit * 1000).sum()):9,}" for limit in (2, 8, 16, 256))
        lines.append(f"{name:12}{len(np.unique(found)):8}{found.min():8,}{found.max():9,}{left}")
    return "\n".join([*lines, "left of 62,208 configurations, at four bytes a weight"])


if __name__ == "__main__":
    print(report())
