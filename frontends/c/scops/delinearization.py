"""Arrays of one dimension whose subscripts count rows: `A[i * n + j]` read as `A[i][j]` with rows of `n`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.frontends.c.loops.affine import Affine
from tunepass.frontends.c.scops.raw import RawStatement, Subscript


@dataclass(frozen=True, slots=True)
class Layout:
    """`extents` of the dimensions, outermost first, as names of parameters; `` of the first."""

    extents: tuple[str, ...]

    def values(self, subscript: Subscript) -> tuple[Affine, ...] | None:
        return None


def layout_of(uses: Sequence[tuple[RawStatement, tuple[Subscript, ...]]], parameters: frozenset[str]) -> Layout | None:
    return None
