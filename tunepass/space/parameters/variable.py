"""Variables: each is bound by one layer of a decision diagram."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.expr import nodes


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter (`position` -1), or position `position` of the permutation `parameter`.

    `size` values (0 for a real one) of type `type`, all in [lo, hi] if they are numbers.
    """

    parameter: str
    position: int
    type: nodes.Type
    lo: float
    hi: float
    size: int
