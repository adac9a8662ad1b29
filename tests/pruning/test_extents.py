"""The least and the most of resources over what is left: computed, or bounded."""

from __future__ import annotations

import itertools

import pytest

from tunepass.expr.parser import parse
from tunepass.pruning.base import Remaining
from tunepass.pruning.diagram import DiagramSolver
from tunepass.pruning.extents import Extent, extents
from tunepass.pruning.intervals import IntervalSolver
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Real

PARAMETERS: tuple[Parameter, ...] = (
    Ordinal("filters", [16, 64, 32]),
    Integer("depth", 1, 6),
    Categorical("padding", ["same", "valid"]),
    Integer("other", 1, 9),
)
RESOURCES = {
    "weights": "depth * filters * filters",
    "size": 'if(padding == "same", 32, 32 - 2 * depth) * filters',
    "ratio": "filters / (depth - 3)",
    "constant": "7",
    "other": "other - 10",
}
CONDITIONS = ("depth * filters <= 100", "depth >= 2", "other % 2 == 0")


def remaining(solver: DiagramSolver | IntervalSolver, parameters: tuple[Parameter, ...] = PARAMETERS) -> Remaining:
    return solver.remaining(parameters, [Constraint.parse(text, parameters) for text in CONDITIONS])


def ends(parameters: tuple[Parameter, ...] = PARAMETERS, *names: str) -> dict[str, object]:
    types = {p.name: p.type for p in parameters}
    return {name: parse(RESOURCES[name], types) for name in names or RESOURCES}


@pytest.mark.parametrize("solver", [DiagramSolver(), IntervalSolver()])
def test_what_is_little_is_computed(solver: DiagramSolver | IntervalSolver) -> None:
    points = [
        (f, d, p, o)
        for f, d, p, o in itertools.product((16, 64, 32), range(2, 7), ("same", "valid"), (2, 4, 6, 8))
        if d * f <= 100
    ]
    found = extents(ends(), remaining(solver))  # type: ignore[arg-type]
    weights = [d * f * f for f, d, _, _ in points]
    size = [(32 if p == "same" else 32 - 2 * d) * f for f, d, p, _ in points]
    ratio = [f / (d - 3) for f, d, _, _ in points if d != 3]
    assert found["weights"] == Extent(min(weights), max(weights), exact=True)
    assert found["size"] == Extent(min(size), max(size), exact=True)
    assert found["ratio"] == Extent(min(ratio), max(ratio), exact=True)  # where it is defined
    assert found["constant"] == Extent(7, 7, exact=True)
    assert found["other"] == Extent(-8, -2, exact=True)


def test_what_is_much_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = extents(ends(PARAMETERS, "weights", "size"), remaining(DiagramSolver()))  # type: ignore[arg-type]
    monkeypatch.setattr("tunepass.pruning.extents.MOST_WORK", 0)
    bounds = extents(ends(PARAMETERS, "weights", "size"), remaining(DiagramSolver()))  # type: ignore[arg-type]
    for name, bound in bounds.items():
        assert not bound.exact and bound.low <= exact[name].low and bound.high >= exact[name].high
    assert bounds["weights"].low == 2 * 16 * 16  # monotone: at the ends of the values that are left
    assert bounds["weights"].high == 6 * 32 * 32


def test_what_depends_on_a_real_number_is_bounded_over_its_range() -> None:
    parameters = (*PARAMETERS, Real("rate", 0.5, 2.0))
    value = parse("rate * depth", {p.name: p.type for p in parameters})
    assert extents({"value": value}, remaining(DiagramSolver(), parameters))["value"] == Extent(1.0, 12.0, exact=False)


def test_of_nothing_there_is_nothing() -> None:
    nothing = DiagramSolver().remaining(PARAMETERS, [Constraint.parse("depth > 9", PARAMETERS)])
    assert extents(ends(), nothing) == {}  # type: ignore[arg-type]
