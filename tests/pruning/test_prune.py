"""The whole answer: each limit alone, all together, what binds, and a minimal conflict."""

from __future__ import annotations

from tunepass.expr.parser import parse
from tunepass.pruning.base import Count, Limit
from tunepass.pruning.diagram import DiagramSolver
from tunepass.pruning.prune import PruningResult, prune
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Parameter

PARAMETERS: tuple[Parameter, ...] = (Integer("batch", 1, 16), Integer("units", 1, 10))


def limit(resource: str, value: str, most: int) -> Limit:
    types = {p.name: p.type for p in PARAMETERS}
    constraint = Constraint.parse(f"{value} <= {most}", PARAMETERS)
    return Limit(resource, parse(value, types), most, "B", "--limit", constraint)


def answer(*limits: Limit, constraints: tuple[str, ...] = ()) -> PruningResult:
    own = [Constraint.parse(text, PARAMETERS) for text in constraints]
    return prune(PARAMETERS, own, limits, DiagramSolver())


def test_each_limit_alone_and_all_together() -> None:
    pruned = answer(limit("memory", "batch * units", 40), limit("weights", "units", 5), constraints=("batch % 2 == 0",))
    evens, units = range(2, 17, 2), range(1, 11)
    memory = sum(b * u <= 40 for b in evens for u in units)
    both = sum(b * u <= 40 and u <= 5 for b in evens for u in units)
    assert pruned.dense == 160 and pruned.before == Count(80, 80)
    assert [e.alone.low for e in pruned.effects] == [memory, 40]
    assert [e.without.low for e in pruned.effects] == [40, memory]
    assert pruned.left == Count(both, both)
    assert pruned.binding is not None and pruned.binding.resource == ("memory" if memory < 40 else "weights")
    assert pruned.conflict == ()


def test_limits_that_cut_nothing_do_not_bind() -> None:
    assert answer(limit("memory", "batch * units", 160)).binding is None


def test_the_conflict_is_minimal() -> None:
    pruned = answer(limit("memory", "batch * units", 7), limit("time", "batch", 12), constraints=("units >= 8",))
    assert pruned.left == Count(0, 0)
    assert [c.text for c in pruned.conflict] == ["units >= 8", "batch * units <= 7"]
