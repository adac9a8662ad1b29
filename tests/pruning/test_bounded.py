"""Counts from below and above hold the exact one, and come close to it."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.pruning import diagram
from tunepass.pruning.bounded import bounded_group
from tunepass.pruning.diagram import DiagramSolver
from tunepass.pruning.intervals import IntervalSolver
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.diagram.compile import TooLarge
from tunepass.space.parameter import Integer, Ordinal, Parameter

WIDTHS = [17, 23, 31, 37, 41, 53, 61, 73]


def chain(depth: int) -> tuple[Parameter, ...]:
    return tuple(Ordinal(f"w{i}", WIDTHS) for i in range(depth))


def weights(depth: int, factor: int = 9) -> str:
    return " + ".join(f"{factor} * w{i} * w{i + 1}" for i in range(depth - 1))


def conditions(parameters: tuple[Parameter, ...], *texts: str) -> list[Constraint]:
    return [Constraint.parse(text, parameters) for text in texts]


@pytest.mark.parametrize("rows", [150, 400, 1000])
@pytest.mark.parametrize("most", [30_000, 60_000, 100_000])
@pytest.mark.parametrize("least", [None, 50_000])
def test_the_bounds_hold_the_count(rows: int, most: int, least: int | None) -> None:
    parameters = chain(5)
    texts = [f"{weights(5)} <= {most}", f"40000 - ({weights(5, 3)}) >= {100 if least is None else -20_000}"]
    texts += [] if least is None else [f"{weights(5, 7)} > {least}"]
    own = conditions(parameters, *texts)
    exact = DiagramSolver().remaining(parameters, own)
    group = bounded_group(parameters, own, rows)
    assert group.count.low <= exact.count.low <= group.count.high
    for name, kept in exact.kept().items():
        assert (group.values[name] | ~kept).all()


def test_the_gap_closes_with_the_rows() -> None:
    parameters = chain(6)
    own = conditions(parameters, f"{weights(6)} <= 90000")
    gaps = [bounded_group(parameters, own, rows).count.gap for rows in (200, 2000, 100_000)]
    assert gaps[0] > gaps[1] > gaps[2] and gaps[1] < 0.1 and gaps[2] < 1e-4


def test_what_has_no_sum_is_refused() -> None:
    parameters = tuple(Integer(f"n{i}", 1, 40) for i in range(5))
    with pytest.raises(TooLarge):
        bounded_group(parameters, conditions(parameters, "(n0 * n1 + n2) % (n3 + n4) <= 3"), 20)


def test_the_solver_falls_back_on_bounds_and_on_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_group, "__defaults__", (100,))
    parameters = chain(4)
    own = conditions(parameters, f"{weights(4)} <= 40000")
    exact, small = DiagramSolver().remaining(parameters, own), DiagramSolver(50)
    left = small.remaining(parameters, own)
    assert left.count.low <= exact.count.low <= left.count.high and not left.count.exact
    (columns,) = exact.columns()
    assert left.contains(columns).all()
    with pytest.raises(SpaceError, match="bounded, not known"):
        next(left.columns())
    odd = conditions(parameters, f"({weights(4)}) % 1000 <= 20 * w3")
    boxed = small.remaining(parameters, odd).count
    assert boxed.low <= DiagramSolver().remaining(parameters, odd).count.low <= boxed.high
    assert boxed == IntervalSolver(diagram.MOST_BOXES).remaining(parameters, odd).count


def test_ways_are_doubles_beyond_what_integers_hold() -> None:
    parameters = tuple(Integer(f"n{i}", 1, 1000) for i in range(12))
    own = conditions(parameters, " + ".join(f"n{i}" for i in range(12)) + " <= 12000")
    count = bounded_group(parameters, own, 500).count
    assert count.low <= 10**36 <= count.high and np.isclose(count.low, count.high, rtol=1e-6)
