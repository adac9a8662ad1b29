"""Directives on a scop's loops, with parameters in the place of numbers: what a schedule is a choice of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from tunepass.expr.nodes import Expr
from tunepass.expr.python_eval import evaluate
from tunepass.ir.scop import Scop
from tunepass.ir.scop_work import ShapedWork
from tunepass.space.configuration import Value
from tunepass.space.opening import Opening

Setting = str | int | bool
"""A parameter's name, or a value that does not vary."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A directive's number for one loop: a tile size, an unroll factor, or whether it applies at all."""

    index: str
    setting: Setting


@dataclass(frozen=True, slots=True)
class Pair:
    """A directive on two loops (`fuse(j, j_2)`, `skew(j: i * F)`), or on an array and a loop (`pack(A: k_tile)`)."""

    first: str
    second: str
    setting: Setting = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopDirectives:
    """Loops by the scop's names for them. `shape` is a parameter that names the tree to start from, or a shape's name;
    `order` lists permutation parameters, and names of loops and `i_tile`: all in one row, from the outside in.
    `independent`: accesses that cannot be seen through do not depend on each other. `exact`: a loop that is named is
    vectorized wherever it stands, and copied where it is innermost and jammed."""

    shape: str = "source"
    distribute: tuple[Factor, ...] = ()
    fuse: tuple[Pair, ...] = ()
    reverse: tuple[Factor, ...] = ()
    skew: tuple[Pair, ...] = ()
    order: tuple[str, ...] = ()
    tile: tuple[Factor, ...] = ()
    unroll: tuple[Factor, ...] = ()
    unroll_and_jam: tuple[Factor, ...] = ()
    peel: tuple[Factor, ...] = ()
    vectorize: tuple[Factor, ...] = ()
    parallel: tuple[Factor, ...] = ()
    pack: tuple[Pair, ...] = ()
    prefetch: tuple[Factor, ...] = ()  # of arrays
    independent: bool = False
    exact: bool = False
    sums: Setting = True  # may a vector loop add up in another order?

    @property
    def settings(self) -> Iterator[Setting]:
        """Every number or parameter of a clause."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                yield from (item.setting for item in value if isinstance(item, Factor | Pair))

    def parameters(self, scop: Scop) -> tuple[str, ...]:
        """The parameters the clauses name, each once."""
        loops = {loop.name for loop in scop.loops}
        loops |= {f"{name}_tile" for name in loops}
        named = [s for s in self.settings if isinstance(s, str)]
        shape = [self.shape] if self.shape not in SHAPES else []
        sums = [self.sums] if isinstance(self.sums, str) else []
        return tuple(dict.fromkeys([*shape, *named, *sums, *(item for item in self.order if item not in loops)]))


ANY = "*"
"""Instead of a loop's name: every loop of which it is proven to be legal."""

SHAPES = (
    *("source", "distributed", "split", "fused", "skewed", "turned", "pieces_distributed"),
    *("expanded_distributed", "expanded_split", "expanded_fused"),
)
"""The trees that a schedule can start from: the source's loops; these, distributed as far as dependences allow; isl's
own schedules with statements kept apart, or brought together; time steps skewed, row by row; loops exchanged around
what stands between them; the source's distributed, with statements in pieces where one iteration is what all others
depend on. The last ones with an array in the place of a scalar that every iteration sets anew."""


@dataclass(frozen=True, slots=True)
class ScopNest:
    """A scop and what to do with it; `works` are what its statements do in the shapes that it may take, for a model to
    price. `openings` are worth trying first.

    It is compiled so where `condition` holds, which `#if`s over parameters decide; None: always. `chosen_by` are values
    under which it does, none where the defaults do, `defaults` those of parameters that other kernels have.
    """

    scop: Scop
    directives: ScopDirectives
    works: tuple[ShapedWork, ...] = ()
    openings: tuple[Opening, ...] = ()
    condition: Expr | None = None
    chosen_by: tuple[tuple[str, Value], ...] = ()
    defaults: tuple[tuple[str, Value], ...] = ()

    def is_compiled(self, values: Mapping[str, Value]) -> bool:
        """Whether its branch is the one that these values choose."""
        return self.condition is None or bool(evaluate(self.condition, {**dict(self.defaults), **values}))
