"""Long integers that arithmetic does away with: what is left has the same feasible assignments, and rows are found."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.expr.numpy_eval import evaluate, satisfied
from tunepass.expr.parser import parse
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.ranges import box_search
from tunepass.space.feasible.reduction.reduction import Reduction, period
from tunepass.space.parameter import Integer, Ordinal, Parameter
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.study import Study

N = 10**9


def long(*names: str, most: int = N) -> list[Integer]:
    return [Integer(name, 1, most) for name in names]


# Each of them took minutes, or found nothing.
FOUND = {
    "a * b % 1000 == 7": long("a", "b"),
    "a * a % 1000 == b": long("a", "b"),
    "a * b == c": long("a", "b", "c"),
    "a % b == 0 and b > 1": long("a", "b"),
    "a % b == 0 and b % c == 0 and c > 1": long("a", "b", "c"),
    "a % 64 == 0 and b % a == 0 and a > 0": [Integer("a", 0, 10**12), Integer("b", 0, 10**12)],
    "3 * a + 5 * b == 1000001": long("a", "b"),
    "a + b + c == 1000000000 and a % 512 == 3": long("a", "b", "c"),
    "a % 12 == b % 12 and a + b == 1000000": [Integer("a", 3, N, step=7), Integer("b", 1, N, step=5)],
    "a * b == c and a > 1 and b > 1": long("a", "b", "c", most=10**6),
    "a % t == 0 and a % 1000 == 8": [*long("a"), Ordinal("t", [2, 4, 8, 16])],
}


@pytest.mark.parametrize("text", FOUND)
@pytest.mark.slow_but(3)
def test_rows_are_found_where_they_are_one_in_millions(text: str) -> None:
    space = Space(FOUND[text], [text])
    rows = space.sample(60, np.random.default_rng(0))
    assert len(set(rows)) == 60 and all(space.contains(c) for c in rows) and not space.complete
    assert Study(space, [Objective("time")]).suggest(1) == [space.default]


SMALL: dict[str, list[Parameter]] = {
    "a * b % 6 == 2": [Integer("a", 0, 20), Integer("b", 1, 20)],
    "(a + a % 4) % 6 == b": [Integer("a", 0, 40), Integer("b", 0, 9)],
    "a % b == 0 and b % c == 0": [Integer("a", 0, 30), Integer("b", 0, 20), Integer("c", 1, 9)],
    "a == b * c and c != 2": [Integer("a", 4, 30), Integer("b", 0, 20), Integer("c", 0, 9)],
    "2 * a - 3 * b == 7 or False": [Integer("a", 0, 30), Integer("b", 0, 20)],
    "2 * a - 3 * b == 7": [Integer("a", 2, 32, step=3), Integer("b", -19, 21, step=2)],
    "-a == b - 9": [Integer("a", 1, 20), Integer("b", -20, 20)],
    "a % 4 == 1 and a * b <= 60": [Integer("a", 2, 40, step=3), Integer("b", 1, 9)],
    "0 <= a - b < 3 and a % 5 == b % 3": [Integer("a", 0, 30), Integer("b", 0, 30)],
}


@pytest.mark.parametrize("text", SMALL)
def test_the_reduced_problem_has_the_same_assignments_one_to_one(text: str) -> None:
    parameters = SMALL[text]
    exact = Space(parameters, [text])
    reduction = Reduction.of(parameters, {p.name for p in parameters}, [c.expression for c in exact.constraints])
    values = [list(p.domain) for p in reduction.parameters.values()]
    rows = list(itertools.product(*values))
    columns = {name: np.array(column) for name, column in zip(reduction.parameters, zip(*rows))}
    ok = np.ones(len(rows), dtype=bool)
    for c in reduction.constraints:
        ok &= satisfied(c, columns, len(rows))
    back = {p.name: columns.get(p.name) for p in parameters}
    back |= {name: evaluate(e, columns, len(rows)).values for name, e in reduction.solved.items()}
    found = [tuple(int(back[p.name][i]) for p in parameters) for i in np.flatnonzero(ok)]  # type: ignore[index]
    assert sorted(found) == sorted(tuple(c.values()) for c in exact.enumerate())
    assert bool(reduction.solved) == (" or " not in text)


def test_solutions_are_drawn_alike() -> None:
    drawn = Space(long("a", "b"), ["a % 7 == 3", "a + b == 700000000"]).sample_columns(4000, np.random.default_rng(1))
    counts = np.histogram(drawn["a"], bins=10, range=(0, 7e8))[0]
    assert counts.min() > 330 and counts.max() < 470


def test_divisors_of_what_is_known_are_listed() -> None:
    tile, lanes = Integer("tile", 64, 10**12, step=64), Integer("lanes", 1, 10**12)
    space = Space([tile, lanes], ["19200 % tile == 0", "lanes <= tile", "tile % lanes == 0"])
    tiles = [t for t in range(64, 19201, 64) if 19200 % t == 0]
    every = {(t, k) for t in tiles for k in range(1, t + 1) if t % k == 0}
    drawn = space.sample(1000, np.random.default_rng(0))
    assert {(c["tile"], c["lanes"]) for c in drawn} == every and space.default["tile"] == 64


@pytest.mark.parametrize(
    ("text", "expected"),
    [("x * x % 12", 12), ("(x + x % 8) % 12", 24), ("x % 4 == y", 4), ("x // 4 % 6", 0), ("x", 0), ("y * 2", 1)],
)
def test_periods(text: str, expected: int) -> None:
    parameters = [Integer("x", 0, 99), Integer("y", 0, 99)]
    assert period(parse(text, {p.name: p.type for p in parameters}), "x") == expected


def test_what_remainders_rule_out_is_proved_empty() -> None:
    with pytest.raises(SpaceError, match=r"the space is empty.*a \* 2 == b \* 2 \+ 1"):
        Space(long("a", "b"), ["a * 2 == b * 2 + 1"])
    with pytest.raises(SpaceError, match="the space is empty"):
        Space(long("a", "b"), ["(a + b) % 128 == 0", "(a - b) % 64 == 3"])


@pytest.mark.parametrize(
    "text", ["a * a + b * b == 1000000007", "a * b % 1000000007 == 7", "a * a % b == 1", "gcd(a, b) == 12345"]
)
@pytest.mark.slow_but(4)
def test_what_is_not_found_is_said_with_its_constraint_and_soon(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[int] = []
    plain = box_search.BoxSearch._judge
    monkeypatch.setattr(
        box_search.BoxSearch, "_judge", lambda s, boxes, b: (judged.append(len(boxes.weight)), plain(s, boxes, b))[1]
    )
    space = Space(long("a", "b"), [text])
    with pytest.raises(SpaceError) as raised:
        Study(space, [Objective("time")]).suggest(1)
    (diagnostic,) = raised.value.diagnostics
    assert f"no configuration was found that meets this constraint: {text}" in diagnostic.message
    assert diagnostic.span is not None and diagnostic.hint is not None and "fewer values" in diagnostic.hint
    assert sum(judged) < 3_000_000


@pytest.mark.slow
def test_a_search_in_many_dimensions_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[int] = []
    plain = box_search.BoxSearch._judge
    monkeypatch.setattr(
        box_search.BoxSearch, "_judge", lambda s, boxes, b: (rounds.append(len(boxes.weight)), plain(s, boxes, b))[1]
    )
    total = " + ".join(f"p{i}" for i in range(40))
    axes = [Integer(f"p{i}", 0, N).range_axis() for i in range(40)]
    parameters = [Integer(f"p{i}", 0, N) for i in range(40)]
    expression = Constraint.parse(f"{total} <= 100000", parameters).expression
    box_search.BoxSearch([expression], axes, False, effort=1 << 20).points({}, 1, 10, np.random.default_rng(0))
    assert sum(rounds) * 100 < 3 * (1 << 20)
