"""Amounts by width, ways and depth, fitted to what a synthesis of the templates counted.

One size, LUTs and registers   a parabola where one is within 1 % of every width; else points at the widths, but for
                               those on a line between their neighbours
One size, DSP blocks           steps: as many as the next wider template
Ways                           at each number of ways a line through two widths; it may not fall as the ways grow
FIFO                           fixed + per address bit, and more for a depth that is no power of two; least squares
RAM blocks                     the shapes are the data sheet's; what a multiplexer of rows costs in the tool's eyes is
                               the number that explains most of the memories
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tunepass.hwmodels.characterise import plan
from tunepass.hwmodels.characterise.verilog import FAMILIES, Template
from tunepass.hwmodels.fpga.curves import Curve, Depth, Points, Steps, Ways
from tunepass.hwmodels.fpga.device import priced

Counts = Mapping[str, float]  # LUT, Regs, DSPs, BRAM
Pair = tuple[float, float]
ROW_PRICES = tuple(round(0.002 * k, 3) for k in range(1, 101))  # blocks a bit
LOGIC = ("LUT", "Regs")
PARABOLA = 0.01  # how far it may be from any point


@dataclass(frozen=True, slots=True)
class Fitted:
    """Numbers of a device's YAML from a characterisation."""

    area: Mapping[str, Mapping[str, Curve]]
    structures: Mapping[str, Mapping[str, Curve]]
    templates: Mapping[str, Mapping[str, Ways | Depth]]
    row_blocks_per_bit: float


def fit(counts: Mapping[Template, Counts], shapes: tuple[tuple[int, int, int], ...]) -> Fitted:
    """`shapes`: (width, words, blocks) of the device's RAM."""
    by_family: dict[str, dict[tuple[int, ...], Counts]] = {}
    for template, resources in counts.items():
        by_family.setdefault(template.family, {})[tuple(size for _, size in template.sizes)] = resources
    area: dict[str, Mapping[str, Curve]] = {}
    structures: dict[str, Mapping[str, Curve]] = {}
    templates: dict[str, Mapping[str, Ways | Depth]] = {}
    for family, known in by_family.items():
        if family in plan.WAYS:
            templates[family] = {r: _ways({(s[0], s[-1]): c[r] for s, c in known.items()}) for r in LOGIC}
        elif family == "fifo":
            templates[family] = {r: _depth({d: c[r] for (_, d), c in known.items()}) for r in LOGIC}
        elif FAMILIES[family].sizes in (("w",), ("n",)):
            into = structures if family in plan.CONTROL else area
            into[family] = _by_size({s[0]: c for s, c in known.items()})
    price = row_price({(w, d): (c["BRAM"], c["LUT"]) for (w, d), c in by_family.get("sram", {}).items()}, shapes)
    return Fitted(area, structures, templates, price)


def _by_size(known: Mapping[int, Counts]) -> dict[str, Curve]:
    curves: dict[str, Curve] = {r: _points((x, c[r]) for x, c in known.items()) for r in LOGIC}
    if any(c["DSPs"] for c in known.values()):
        curves["DSPs"] = _steps((x, c["DSPs"]) for x, c in known.items())
    return {r: amount for r, amount in curves.items() if not (isinstance(amount, tuple) and amount == (0.0,))}


def _points(pairs: Iterable[Pair]) -> Curve:
    known = sorted(pairs)
    if all(y == 0 for _, y in known):
        return (0.0,)
    known_points = known[:1]
    for (x, y), (x1, y1) in pairwise(known[1:]):
        x0, y0 = known_points[-1]
        if abs(y0 + (y1 - y0) * (x - x0) / (x1 - x0) - y) > 1e-9:
            known_points.append((x, y))
    points = Points((*known_points, *known[1:][-1:]))
    return (len(points.points) > 3 and _parabola(known)) or points


def _parabola(known: list[Pair]) -> tuple[float, ...] | None:
    weights = [1 / max(Fraction(y), Fraction(1)) for _, y in known]
    coefficients = least_squares([(1.0, x, x * x) for x, _ in known], [y for _, y in known], weights)
    off = (abs(sum(c * Fraction(x) ** i for i, c in enumerate(coefficients)) - Fraction(y)) for x, y in known)
    if any(error * weight > PARABOLA for error, weight in zip(off, weights)):
        return None
    return tuple(0.0 if abs(c) < 1e-9 else float(c) for c in coefficients)


def _steps(pairs: Iterable[Pair]) -> Curve:
    known = sorted(pairs)
    return Steps(tuple(pair for pair, after in zip(known, [*known[1:], (0, -1.0)]) if pair[1] != after[1]))


def _ways(known: Mapping[tuple[int, int], float]) -> Ways:
    rows: list[tuple[float, float, float]] = []
    for n in sorted({n for _, n in known}):
        (w0, y0), (w1, y1) = sorted((w, y) for (w, m), y in known.items() if m == n)
        bit = (y1 - y0) / (w1 - w0)
        fixed = y0 - bit * w0
        if rows:  # more ways never need less, at either width
            low, high = (max(rows[-1][1] + rows[-1][2] * w, fixed + bit * w) for w in (w0, w1))
            bit = (high - low) / (w1 - w0)
            fixed = low - bit * w0
        rows.append((n, fixed, bit))
    return Ways(tuple(rows))


def _depth(known: Mapping[int, float]) -> Depth:
    rows = [(1.0, float((d - 1).bit_length()), float(bool(d & (d - 1)))) for d in known]
    a, b, c = least_squares(rows, list(known.values()), [Fraction(1)] * len(rows))
    return Depth(*(0.0 if abs(x) < 1e-9 else float(x) for x in (a, b, c)))


def least_squares(
    rows: Sequence[Sequence[float]], amounts: Sequence[float], weights: Sequence[Fraction]
) -> list[Fraction]:
    """The coefficients of `rows` (n, k) whose weighted squares of errors are least; 0 for one that the others make
    idle. In fractions, by Gauss and Jordan: the same on every machine, to the bit."""
    k = len(rows[0])
    exact = [[Fraction(x) * w for x in (*row, y)] for row, y, w in zip(rows, amounts, weights)]
    system = [[sum((row[i] * row[j] for row in exact), Fraction()) for j in range(k + 1)] for i in range(k)]
    pivots: dict[int, int] = {}
    for column in range(k):
        chosen = next((i for i in range(k) if i not in pivots.values() and system[i][column]), None)
        if chosen is None:
            continue
        pivots[column] = chosen
        system[chosen] = [x / system[chosen][column] for x in system[chosen]]
        for i in range(k):
            if i != chosen:
                system[i] = [x - system[i][column] * y for x, y in zip(system[i], system[chosen])]
    return [system[pivots[i]][k] if i in pivots else Fraction() for i in range(k)]


def row_price(seen: Mapping[tuple[int, int], Pair], shapes: tuple[tuple[int, int, int], ...]) -> float:
    """The price, in blocks a bit, that explains most of what was `seen`: (width, words) -> (blocks, LUTs).

    LUTs betray rows: without a multiplexer a memory has none. Of several such prices the middle one.
    """

    def right(price: float) -> int:
        predicted = ((choose(w, d, shapes, price), blocks, luts) for (w, d), (blocks, luts) in seen.items())
        return sum((n == blocks) + ((rows > 1) == (luts > 0)) for (n, rows), blocks, luts in predicted)

    score = [right(price) for price in ROW_PRICES]
    best = [price for price, n in zip(ROW_PRICES, score) if n == max(score)]
    return best[len(best) // 2]


def choose(w: int, d: int, shapes: tuple[tuple[int, int, int], ...], price: float) -> tuple[int, int]:
    """Blocks and rows of the shape that a tool takes for d words of w bits; as in memory.py, for numbers."""
    best = (0, 0)
    least = float("inf")
    for (width, words, blocks), each in zip(shapes, priced(shapes)):
        columns, rows = -(-w // width), -(-d // words)
        total = columns * rows * each + price * w * (rows > 1)
        if total < least - 1e-9:
            best, least = (columns * rows * blocks, rows), total
    return best
