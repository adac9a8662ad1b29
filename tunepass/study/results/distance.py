"""How far a configuration is from the default: what breaks ties, so that equal results change as little as possible."""

from __future__ import annotations

from tunepass.space.configuration import Configuration
from tunepass.space.space import Space


def distance_from_default(space: Space, configuration: Configuration) -> tuple[int, float]:
    """How many parameters differ, and the sum of how far each moved in [0, 1]: numbers on their own scale, orders by
    the share of pairs turned round (Kendall), categories by 1. Inactive parameters do not count."""
    moved = [p.distance_from_default(configuration[p.name]) for p in space.parameters if p.name in configuration]
    return sum(m > 0 for m in moved), sum(moved)
