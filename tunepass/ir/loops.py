"""Perfect loop nests and the directives on them: what a frontend reads, and what a schedule is a choice of."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.ir.accesses import OpaqueBody, Work

Setting = str | int | bool
"""A parameter's name, or a value that does not vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`for (TYPE index = start; index < end; index += step)`, or with `>` and `-=` where it counts `down`.

    `start` and `end` are C text that nothing inside the nest changes; `end` is exclusive, `step` positive.
    """

    index: str
    type: str
    start: str
    end: str
    step: int
    down: bool = False
    span: Span | None = None
    pragmas: tuple[str, ...] = ()  # lines of the source's own that stand before it

    @property
    def tile(self) -> str:
        """What directives call the loop over its tiles."""
        return f"{self.index}_tile"


@dataclass(frozen=True, slots=True)
class Factor:
    """A directive's number for one loop: a tile size, an unroll factor, or whether it applies at all."""

    index: str
    setting: Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Directives:
    """Clauses of a nest. `order` is a permutation parameter's name or the items in order; empty keeps the source's."""

    tile: tuple[Factor, ...] = ()
    order: str | tuple[str, ...] = ()
    unroll: tuple[Factor, ...] = ()
    unroll_and_jam: tuple[Factor, ...] = ()
    vectorize: tuple[Factor, ...] = ()
    parallel: tuple[Factor, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters the clauses name, in order, each once."""
        factors = (*self.tile, *self.unroll, *self.unroll_and_jam, *self.vectorize, *self.parallel)
        names = [f.setting for f in factors if isinstance(f.setting, str)]
        return tuple(dict.fromkeys([*names, self.order] if isinstance(self.order, str) else names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Nest:
    """A perfect nest: its loops from the outside in, and the text of the innermost statement.

    `pragma` covers the directive's text, `span` the nest from the first `for` to the end of its last statement.
    `uses` are the offsets at which the body names each index, None where a macro may hide one. `taken` are names that
    code made for this nest must not use.
    """

    loops: tuple[Loop, ...]
    directives: Directives
    body: Span
    pragma: Span
    span: Span
    uses: tuple[tuple[str, int], ...] | None = None
    taken: frozenset[str] = frozenset()
    work: Work | OpaqueBody | None = None  # what an iteration does, where a frontend looked
