"""NAS-Bench-101 as a source: how many distinct cells there are, and the weights of every one.

    python -m tests.benchmarks.dnn.nasbench

The weights are the expression that tunepass reads from samples/dnn/nasbench101_keras.py. The numbers beside it are the
data set's own (google-research/nasbench): how many cells it has, and the smallest and the largest number of weights.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.dnn.cells import Cells, distinct
from tunepass.diagnostics import Source
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.sharing import shared
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.graphs.inference import infer
from tunepass.graphs.table import shipped
from tunepass.graphs.values import total
from tunepass.ir.graph import Graph

SAMPLE = Path(__file__).parents[3] / "samples" / "dnn" / "nasbench101_keras.py"
CELLS, LEAST, MOST = 423_624, 227_274, 49_979_274
CHUNK = 1 << 13  # cells that are priced at a time


def weight_expression() -> Expr:
    """The weights of the sample's model over its parameters."""
    graph = DnnFrontend().parse(Source(SAMPLE.name, SAMPLE.read_text())).kernels[0].body_as(Graph)
    nodes = infer(graph.inputs, graph.nodes, shipped()).nodes
    return shared(total([costs.resources["weights"] for costs in nodes]))


def weights(expression: Expr, cells: Cells) -> NDArray[np.int64]:
    columns, count = cells.columns(), len(cells.edges)
    parts = [
        evaluate(expression, {name: column[k : k + CHUNK] for name, column in columns.items()}, min(CHUNK, count - k))
        for k in range(0, count, CHUNK)
    ]
    return np.concatenate([part.values for part in parts])


def report() -> str:
    begun = time.perf_counter()
    expression = weight_expression()
    read = time.perf_counter()
    classes = list(distinct())
    counted = time.perf_counter()
    found = np.concatenate([weights(expression, cells) for cells in classes])
    priced = time.perf_counter()
    count, least, most = len(found), int(found.min()), int(found.max())
    shares = ", ".join(f"{limit} MB {np.mean(found * 4 <= limit * 10**6):.1%}" for limit in (5, 10, 20, 40, 100))
    return "\n".join(
        [
            f"cells                 {count:12,}   the data set has {CELLS:,}",
            f"fewest weights        {least:12,}   {LEAST:,}",
            f"most weights          {most:12,}   {MOST:,}",
            f"mean, median          {found.mean():12,.0f}   {np.median(found):,.0f}",
            f"different numbers     {len(np.unique(found)):12,}",
            f"left under            {shares}",
            f"seconds: {read - begun:.1f} reading the source, {counted - read:.1f} enumerating the cells,"
            f" {priced - counted:.1f} pricing every one",
        ]
    )


if __name__ == "__main__":
    print(report())
