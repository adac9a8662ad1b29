"""NAS-Bench-101 and HPO-Bench as sources: the weights of their networks, and how many there are."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks.dnn.cells import OPERATIONS, VERTICES, Cells, distinct
from tests.benchmarks.dnn.nasbench import weight_expression, weights
from tests.frontends.dnn.sources import weights as kernel_weights
from tunepass.diagnostics import Source
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.frontend import DnnFrontend
from tunepass.space.space import Space

HPO = Path(__file__).parents[3] / "samples" / "dnn" / "hpobench_keras.py"
C3, C1, MP = range(3)


@cache
def expression() -> Expr:
    return weight_expression()


def by_hand(edges: set[tuple[int, int]], labels: tuple[int, ...]) -> int:
    """The trainable weights by the rules of the data set (google-research/nasbench, model_builder.py)."""
    out = len(labels) + 1

    def unit(kernel: int, a: int, c: int) -> int:
        return kernel * kernel * a * c + 2 * c

    total, before = unit(3, 3, 128) + 512 * 10 + 10, 128
    for width in (128, 256, 512):
        for _ in range(3):
            ends = [t for t in range(1, out) if (t, out) in edges]
            channels = {t: width // len(ends) + (k < width % len(ends)) for k, t in enumerate(ends)}
            for s in range(out - 1, 0, -1):
                later = [channels[t] for t in range(s + 1, out) if (s, t) in edges]
                channels[s] = max([channels.get(s, 0), *later])
            for t in range(1, out):
                total += unit(1, before, channels[t]) if (0, t) in edges else 0
                total += unit((3, 1)[labels[t - 1]], channels[t], channels[t]) if labels[t - 1] != MP else 0
            total += unit(1, before, width) if (0, out) in edges else 0
            before = width
    return total


def priced(edges: set[tuple[int, int]], labels: tuple[int, ...]) -> int:
    size = len(labels) + 2
    matrix = np.zeros((1, size, size), bool)
    for s, t in edges:
        matrix[0, s, t] = True
    return int(weights(expression(), Cells(matrix, np.array([[-1, *labels, -2]])))[0])


CHAIN = {(k, k + 1) for k in range(6)}


@pytest.mark.parametrize(
    ("edges", "labels", "expected"),
    [
        ({(0, 1)}, (), 882_570),
        ({(0, 1), (1, 2)}, (C3,), 10_177_674),
        ({(0, 1), (1, 2)}, (C1,), 1_920_138),
        ({(0, 1), (1, 2)}, (MP,), 882_570),
        ({(0, 1), (1, 2), (2, 3), (0, 3)}, (C3, C3), 20_346_506),
        ({(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}, (C1, C3, C1), 13_126_538),
        ({(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)}, (C3, C1, MP), 2_040_231),
        (
            {(0, 1), (0, 2), (0, 3), (0, 5), (1, 6), (2, 6), (3, 4), (4, 6), (5, 6)},
            (C1, C3, C3, C3, MP),
            2_694_282,
        ),
        (CHAIN, (C3,) * 5, 47_358_090),
        (CHAIN | {(0, 2), (0, 3), (0, 4)}, (C3,) * 5, 49_979_274),
        ({(0, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (3, 5), (4, 5)}, (MP,) * 4, 227_274),
    ],
)
@pytest.mark.slow_but(3)
def test_cells_of_nas_bench_101(edges: set[tuple[int, int]], labels: tuple[int, ...], expected: int) -> None:
    assert priced(edges, labels) == expected


def test_cells_of_few_vertices_are_all_counted_and_priced() -> None:
    """Published: 423,624 cells of seven vertices; of five and fewer there are 2,532."""
    counts = []
    for cells in distinct():
        if cells.vertices > 5:
            break
        counts.append(len(cells.edges))
        found = weights(expression(), cells)
        some = range(0, len(found), 1 + len(found) // 60)
        for k in some:
            edges = {(s, t) for s, t in combinations(range(cells.vertices), 2) if cells.edges[k, s, t]}
            assert found[k] == by_hand(edges, tuple(map(int, cells.labels[k, 1:-1])))
    assert counts == [1, 6, 84, 2441]
    assert (VERTICES, len(OPERATIONS)) == (7, 3)


def test_hpo_bench_has_36_classes_of_weights() -> None:
    kernel = DnnFrontend().parse(Source(HPO.name, HPO.read_text())).kernels[0]
    space = Space(kernel.parameters, kernel.constraints)
    assert space.size == 62_208
    widths = (16, 32, 64, 128, 256, 512)
    sizes = [kernel_weights(kernel, n_units_1=a, n_units_2=b) for a in widths for b in widths]
    assert (min(sizes), max(sizes)) == (449, 268_289)  # type: ignore[type-var]
    assert len(Counter(sizes)) == 36
    each = space.size // 36
    fits = [sum(4 * size <= limit for size in sizes) * each for limit in (2000, 8000, 16_000)]  # type: ignore[operator]
    assert fits == [1728, 10_368, 17_280]
