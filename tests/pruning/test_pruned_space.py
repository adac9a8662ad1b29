"""Configurations that break limits, and resources that have no value."""

from __future__ import annotations

from tunepass.expr.parser import parse
from tunepass.pruning.base import Limit
from tunepass.pruning.pruned_space import PrunedSpace
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Ordinal, Parameter

PARAMETERS: tuple[Parameter, ...] = (Ordinal("n", [2, 3, 5]),)


def limit(value: str, most: int) -> Limit:
    constraint = Constraint.parse(f"{value} <= {most}", PARAMETERS)
    return Limit(value, parse(value, {p.name: p.type for p in PARAMETERS}), most, "", "--limit", constraint)


def test_by_how_much_limits_are_broken() -> None:
    space = PrunedSpace(PARAMETERS, (), [limit("n * n", 10), limit("n + 1", 6)])
    (broken,) = space.broken(space.configuration({"n": 5}))
    assert (broken.limit.resource, broken.value, broken.excess) == ("n * n", 25, 15)
    assert space.broken(space.configuration({"n": 2})) == ()
    assert space.resources(space.configuration({"n": 2})) == {"n * n": 4, "n + 1": 3}


def test_what_is_undefined_has_no_value_and_breaks_its_limit() -> None:
    space = PrunedSpace(PARAMETERS, (), [limit("6 // (n - 3)", 100), limit("n - 2", 0)])
    undefined = space.configuration({"n": 3})
    assert space.resources(undefined) == {"6 // (n - 3)": None, "n - 2": 1}
    assert [broken.excess for broken in space.broken(undefined)] == [None, 1]
