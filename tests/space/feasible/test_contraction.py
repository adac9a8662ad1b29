"""Ranges that constraints leave: every feasible value stays, and they are exact where a name is read once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.expr.numpy_eval import satisfied
from tunepass.expr.parser import parse
from tunepass.space.feasible.ranges.bounds import TermRange
from tunepass.space.feasible.ranges.contraction import Contraction
from tunepass.space.parameter import Integer

TEXTS = [
    "a * b <= 6",
    "a - b == 4 and b * c > 10",
    "-a + 2 * b >= c",
    "a // b == 2",
    "c / b < 0.5",
    "not (a < 5) and b != 3",
    "a == 2 or b > 9",
    "not (a > 3 or b > 2)",
    "if(c > 4, a, b) == 8",
    "min(a, b) >= 5 and max(b, c) <= 7",
    "abs(a - b) <= 1 and a in (2, 9)",
    "a * a + b * b <= 8",
    "(a - 4) * (a - 4) >= 9 and (b - 5) ** 2 + c ** 3 <= 8",
    "(a - 6) ** 3 <= -8 and b ** 4 == 81",
    "(a - b) ** 2 <= 2 and (c - 8) ** 5 >= -1",
    "sqrt(a) >= 2.5 and log2(b) <= 1",
    "exp(a) < 20 and floor(b / 2) == 3",
    "ceildiv(a, b) == 3 and 1 << b <= 8",
    "a % 3 == 1 and a * b * c == 64",
    "a + b + c >= 29",
]


@pytest.mark.parametrize("text", TEXTS)
def test_every_feasible_value_stays(text: str) -> None:
    parameters = [Integer(name, 0, 10) for name in "abc"]
    e = parse(text, {p.name: p.type for p in parameters})
    rows = np.array(list(itertools.product(range(11), repeat=3)))
    feasible = rows[satisfied(e, {name: rows[:, i] for i, name in enumerate("abc")}, len(rows))]
    starts = [(lo, hi) for lo in (0, 2, 5) for hi in (3, 7, 10) if lo <= hi]
    boxes = list(itertools.product(starts, repeat=3))
    ends = np.array(boxes, np.float64)  # (n, 3, 2)
    box = {name: TermRange(ends[:, i, 0].copy(), ends[:, i, 1].copy(), False) for i, name in enumerate("abc")}
    contraction = Contraction([e], list("abc"))
    possible = contraction.contract(box, contraction.known({}, len(boxes)), len(boxes))
    for n in range(len(boxes)):
        inside = feasible[np.all((feasible >= ends[n, :, 0]) & (feasible <= ends[n, :, 1]), axis=1)]
        assert possible[n] or not len(inside)
        for i, name in enumerate("abc"):
            lo, hi = np.broadcast_to(box[name].lo, len(boxes))[n], np.broadcast_to(box[name].hi, len(boxes))[n]
            assert not len(inside) or (lo <= inside[:, i].min() and inside[:, i].max() <= hi), (text, boxes[n])


def test_the_last_of_a_product_has_its_exact_range() -> None:
    e = parse("a * b * c <= 1000", {name: Integer(name, 1, 9999).type for name in "abc"})
    one = {name: TermRange(np.array([v]), np.array([v]), False) for name, v in (("a", 7.0), ("b", 11.0))}
    box = {**one, "c": TermRange(np.array([1.0]), np.array([9999.0]), False)}
    contraction = Contraction([e], list("abc"))
    assert contraction.contract(box, contraction.known({}, 1), 1)[0] and box["c"].hi == 1000 // 77


def test_what_is_known_of_other_names_counts() -> None:
    types = {"k": Integer("k", 1, 9).type, "x": Integer("x", 0, 99).type}
    contraction = Contraction([parse("x * k <= 40 and k > 2", types)], ["x"])
    box = {"x": TermRange(np.zeros(3), np.full(3, 99.0), False)}
    known = contraction.known({"k": np.array([3, 4, 9])}, 3)
    assert contraction.contract(box, known, 3).all() and np.asarray(box["x"].hi).tolist() == [13.0, 10.0, 4.0]
