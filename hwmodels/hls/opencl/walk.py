"""The blocks of an OpenCL kernel as pipelines: how often a work-item passes through each, and how many copies it has.

iterations   of a loop once it is unrolled           executions   of a block by one work-item
copies       of a block in one pipeline               SIMD lanes and compute units are counted elsewhere
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.ir.hls import ONE, HlsBlock, HlsItem, HlsKernel, HlsLoop, HlsOperation, items_of

AUTO_OPERATIONS = 72
"""A loop without a pragma is unrolled whole by Intel's compiler where its copies have no more operations than this."""


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A loop as it is built: `copies` of its body, which run `iterations` times."""

    loop: HlsLoop
    copies: Expr
    iterations: Expr

    @property
    def whole(self) -> bool:
        """Nothing is left to iterate, whatever the parameters."""
        return self.loop.unroll == self.loop.trip


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    block: HlsBlock
    around: tuple[Unrolled, ...]  # outermost first

    @property
    def copies(self) -> Expr:
        return alg.mul(1, *(u.copies for u in self.around))

    @property
    def executions(self) -> Expr:
        return alg.mul(1, *(u.iterations for u in self.around))

    def accesses(self, storage: frozenset[str], kernel: HlsKernel) -> Iterator[HlsOperation]:
        """Loads and stores of arrays in that storage."""
        for operation in self.block.operations:
            if operation.array is not None and kernel.array(operation.array).storage in storage:
                yield operation


def blocks(kernel: HlsKernel) -> tuple[PlacedBlock, ...]:
    """All blocks, in the order of the source."""
    return tuple(_blocks(kernel.whole, ()))


def _blocks(item: HlsItem, around: tuple[Unrolled, ...]) -> Iterator[PlacedBlock]:
    if isinstance(item, HlsBlock):
        yield PlacedBlock(item, around)
        return
    if isinstance(item, HlsLoop):
        around = (*around, unrolled(item))
    for inside in item.items:
        yield from _blocks(inside, around)


def unrolled(loop: HlsLoop) -> Unrolled:
    """As pragmas say; without one, whole where it is small, and its trip count is no guess."""
    if loop.unroll == loop.trip:
        return Unrolled(loop, loop.trip, ONE)
    if loop.unroll != ONE:
        copies = alg.minimum(loop.unroll, loop.trip)
        return Unrolled(loop, copies, alg.ceildiv(loop.trip, copies))
    if loop.assumed is not None or alg.number(loop.interval or 0):
        return Unrolled(loop, ONE, loop.trip)
    small = alg.compare(alg.mul(loop.trip, operations_in(loop)), "<=", AUTO_OPERATIONS)
    copies = alg.where(small, loop.trip, 1)
    return Unrolled(loop, copies, alg.where(small, 1, loop.trip))


def operations_in(loop: HlsLoop) -> Expr:
    """Operations of one iteration, copies of loops inside counted."""
    return alg.add(0, *(size for item in loop.items for size in _sizes(loop, item)))


def _sizes(loop: HlsLoop, item: HlsItem) -> Iterator[Expr]:
    for inside in items_of(item):
        if isinstance(inside, HlsBlock):
            yield alg.mul(len(inside.operations), *_copies_between(loop, inside))


def _copies_between(loop: HlsLoop, block: HlsBlock) -> Iterator[Expr]:
    """Copies of the loops inside `loop` that are around `block`, as their pragmas say."""
    for item in items_of(loop):
        if isinstance(item, HlsLoop) and item is not loop and any(inside is block for inside in items_of(item)):
            yield item.unroll
