"""How far a configuration is from the default: what breaks ties, so that equal results change as little as possible."""

from __future__ import annotations

import itertools

from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical, Parameter, Permutation
from tunepass.space.space import Space


def distance_from_default(space: Space, configuration: Configuration) -> tuple[int, float]:
    """How many parameters differ, and the sum of how far each moved in [0, 1]: numbers on their own scale, orders by
    the share of pairs turned round (Kendall), categories by 1."""
    moved = [_moved(p, configuration[p.name], p.default) for p in space.parameters]
    return sum(m > 0 for m in moved), sum(moved)


def _moved(parameter: Parameter, value: Value, default: Value) -> float:
    if value == default:
        return 0.0
    if isinstance(parameter, Categorical):
        return 1.0
    if isinstance(parameter, Permutation):
        assert isinstance(value, tuple) and isinstance(default, tuple)
        place = {item: i for i, item in enumerate(value)}
        pairs = list(itertools.combinations(default, 2))
        return sum(place[a] > place[b] for a, b in pairs) / len(pairs)
    here, there = (float(unit) for unit in parameter.unit(parameter.column([value, default])))
    return max(abs(here - there), 1e-12)
