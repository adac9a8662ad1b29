"""Loop nests whose tiles are bodies of straight-line code, such as those that MLIR's transform dialect makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tunepass.expr.nodes import Expr
from tunepass.ir.accesses import IterationWork
from tunepass.ir.body import Body


@dataclass(frozen=True, slots=True)
class TileLoop:
    """A loop over `index` that advances by `step` points; 0: there is no such loop."""

    index: str
    step: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class TiledNest:
    """Loops over tiles, outermost first, around a body that has the innermost tile's points.

    With `vectors` the body is code of vectors without a loop; else one point, by a loop for each index in the order of
    `points`. `unroll` are copies of the innermost loop's body.
    """

    work: IterationWork
    loops: tuple[TileLoop, ...]
    points: tuple[str, ...]
    vectors: bool
    unroll: Expr


@dataclass(frozen=True, slots=True)
class NestAlternative:
    """The nests that run where the condition holds; None: where no other alternative's does."""

    condition: Expr | None
    nests: tuple[TiledNest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TiledNests(Body):
    """Alternatives in order; the last one has no condition."""

    kind: ClassVar[str] = "tiles"
    alternatives: tuple[NestAlternative, ...]
