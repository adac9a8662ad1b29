"""The loops of a kernel as a tool builds them: copies of each, which are pipelined, which run as processing elements.

    N_l   iterations of loop l                       u_l   copies of its body in hardware
    leaf  every loop inside is unrolled whole, so l can be pipelined with an initiation interval of its own

Merlin pipelines every leaf loop; `flatten` unrolls all inside. In Vitis a pipelined loop unrolls all inside, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import BOOL, Constant, Expr
from tunepass.ir.hls import HlsBlock, HlsItem, HlsKernel, HlsLoop, HlsOperation, HlsRegion

TRUE, FALSE = Constant(True, BOOL), Constant(False, BOOL)


def either(*conditions: Expr) -> Expr:
    """Disjunction; false without conditions."""
    possible = [c for c in conditions if c is not FALSE and not (isinstance(c, Constant) and c.value is False)]
    if any(isinstance(c, Constant) and c.value is True for c in possible):
        return TRUE
    if not possible:
        return FALSE
    return possible[0] if len(possible) == 1 else typing.logical("or", possible)


def every(*conditions: Expr) -> Expr:
    """Conjunction that folds what is false."""
    return FALSE if any(isinstance(c, Constant) and c.value is False for c in conditions) else alg.both(*conditions)


def negated(condition: Expr) -> Expr:
    if isinstance(condition, Constant):
        return FALSE if condition.value else TRUE
    return typing.unary("not", condition)


def asked(flag: Expr) -> Expr:
    """A pragma's 1 or 0 as a condition."""
    return alg.compare(flag, "!=", 0)


@dataclass(frozen=True, slots=True)
class Placed:
    """An operation with the block it is in and the loops around it, outermost first; `order` counts in the source."""

    operation: HlsOperation
    block: HlsBlock
    position: int
    loops: tuple[HlsLoop, ...]
    order: int


class Nest:
    """The loops of one kernel. Loops are keyed by name, which is unique in a kernel."""

    def __init__(self, kernel: HlsKernel):
        self.kernel = kernel
        self.around: dict[str, tuple[HlsLoop, ...]] = {}
        self.loops: dict[str, HlsLoop] = {}
        self.operations: list[Placed] = []
        self._read(kernel.whole, ())
        self._copies: dict[str, Expr] = {}
        self._leaf: dict[str, Expr] = {}

    def _read(self, item: HlsItem, loops: tuple[HlsLoop, ...]) -> None:
        if isinstance(item, HlsBlock):
            for position, operation in enumerate(item.operations):
                self.operations.append(Placed(operation, item, position, loops, len(self.operations)))
            return
        if isinstance(item, HlsLoop):
            self.around[item.name], self.loops[item.name] = loops, item
            loops = (*loops, item)
        for inside in item.items:
            self._read(inside, loops)

    def inside(self, loop: HlsLoop) -> list[HlsLoop]:
        """All loops in it, at any depth."""
        return [self.loops[name] for name, around in self.around.items() if loop in around]

    def placed(self, loop: HlsLoop) -> list[Placed]:
        return [placed for placed in self.operations if loop in placed.loops]

    def most(self, loop: HlsLoop) -> Expr:
        """The hardware is built for the longest run."""
        return loop.trip if loop.most is None else loop.most

    def stores(self, loop: HlsLoop) -> list[Placed]:
        """The stores in it, but for scalars that are put back as they were read."""
        stores = (placed for placed in self.placed(loop) if placed.operation.name == "store")
        return [placed for placed in stores if not _put_back(placed)]

    def unrolls_inside(self, loop: HlsLoop) -> Expr:
        """Does it ask that all loops inside are unrolled?"""
        if self.kernel.dialect == "vitis":
            return either(asked(loop.flattened), asked(loop.pipelined))
        return asked(loop.flattened)

    def flat(self, loop: HlsLoop) -> Expr:
        """Is it inside a loop that unrolls all inside?"""
        return either(*(self.unrolls_inside(outer) for outer in self.around[loop.name]))

    def copies(self, loop: HlsLoop) -> Expr:
        """u_l: what is asked for, at most N_l; N_l inside a flattened loop."""
        if loop.name not in self._copies:
            loop_copies = alg.maximum(1, alg.minimum(loop.unroll, self.most(loop)))
            self._copies[loop.name] = alg.where(self.flat(loop), self.most(loop), loop_copies)
        return self._copies[loop.name]

    def whole(self, loop: HlsLoop) -> Expr:
        """Is it unrolled whole?"""
        return alg.compare(self.copies(loop), ">=", self.most(loop))

    def leaf(self, loop: HlsLoop) -> Expr:
        if loop.name not in self._leaf:
            self._leaf[loop.name] = every(*(self.whole(inner) for inner in self.inside(loop)))
        return self._leaf[loop.name]

    def only(self, loop: HlsLoop) -> HlsLoop | None:
        """The one loop that makes up its body; what else is there only prepares scalars for it."""
        *before, last = _flattened(loop.items) if loop.items else (None,)
        if not isinstance(last, HlsLoop) or not all(isinstance(item, HlsBlock) for item in before):
            return None
        stores = (o for item in before if isinstance(item, HlsBlock) for o in item.operations if o.name == "store")
        return None if any(operation.subscripts for operation in stores) else last


def _put_back(placed: Placed) -> bool:
    store = placed.operation
    if store.subscripts or not store.inputs:
        return False
    stored = placed.block.operations[store.inputs[0]]
    return stored.name == "load" and stored.array == store.array


def _flattened(items: tuple[HlsItem, ...]) -> Iterator[HlsItem]:
    """The items with those of regions in place, empty blocks left out."""
    for item in items:
        if isinstance(item, HlsRegion):
            yield from _flattened(item.items)
        elif not isinstance(item, HlsBlock) or item.operations:
            yield item


contents = _flattened


def tasks_apart(items: tuple[HlsItem, ...]) -> Iterator[HlsItem]:
    """The items with those of regions in place, but for regions whose items are tasks."""
    for item in items:
        if isinstance(item, HlsRegion) and not item.dataflow:
            yield from tasks_apart(item.items)
        elif not isinstance(item, HlsBlock) or item.operations:
            yield item
