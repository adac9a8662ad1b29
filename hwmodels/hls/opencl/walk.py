"""The blocks of an OpenCL kernel as pipelines: how often a work-item passes through each, and how many copies it has.

iterations   of a loop once it is unrolled           executions   of a block by one work-item
copies       of a block in one pipeline               SIMD lanes and compute units are counted elsewhere
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr, IntegerType
from tunepass.ir.hls import ONE, HlsArray, HlsBlock, HlsItem, HlsKernel, HlsLoop, HlsOperation, items_of

AUTO_INSTRUCTIONS = 170
"""A loop without a pragma is unrolled whole where that makes no more instructions than this: LLVM's default of 150,
and what later passes remove. An access of a memory is ACCESS instructions, a loop inside LOOP."""
ACCESS, LOOP = 4, 5
REGISTER_BIT = 2048  # a private array of no more is kept in registers


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
    return tuple(_blocks(kernel.whole, (), kernel))


def _blocks(item: HlsItem, around: tuple[Unrolled, ...], kernel: HlsKernel) -> Iterator[PlacedBlock]:
    if isinstance(item, HlsBlock):
        yield PlacedBlock(item, around)
        return
    if isinstance(item, HlsLoop):
        around = (*around, unrolled(item, kernel))
    for inside in item.items:
        yield from _blocks(inside, around, kernel)


def unrolled(loop: HlsLoop, kernel: HlsKernel) -> Unrolled:
    """As pragmas say; without one, whole where it is small, and its trip count is no guess."""
    if loop.unroll == loop.trip:
        return Unrolled(loop, loop.trip, ONE)
    if loop.unroll != ONE:
        copies = alg.minimum(loop.unroll, loop.trip)
        return Unrolled(loop, copies, alg.ceildiv(loop.trip, copies))
    if loop.assumed is not None or not isinstance(loop.trip.type, IntegerType):  # a guess, or a mean over data
        return Unrolled(loop, ONE, loop.trip)
    small = alg.compare(alg.mul(loop.trip, instructions_in(loop, kernel)), "<=", AUTO_INSTRUCTIONS)
    return Unrolled(loop, alg.where(small, loop.trip, 1), alg.where(small, 1, loop.trip))


def instructions_in(loop: HlsLoop, kernel: HlsKernel) -> Expr:
    """Instructions of one iteration, copies of loops inside counted as their pragmas say."""
    return alg.add(0, *(_instructions(item, kernel) for item in loop.items))


def _instructions(item: HlsItem, kernel: HlsKernel) -> Expr:
    if isinstance(item, HlsBlock):
        return alg.add(0, *(_instruction(o, kernel) for o in item.operations))
    inside = alg.add(0, *(_instructions(i, kernel) for i in item.items))
    if not isinstance(item, HlsLoop):
        return inside
    overhead = 0 if item.unroll == item.trip else LOOP
    return alg.add(overhead, alg.mul(item.unroll, inside))


def _instruction(operation: HlsOperation, kernel: HlsKernel) -> Expr:
    if operation.name in ("constant", "index"):
        return alg.lift(0)
    if operation.array is None:
        return ONE
    array = kernel.array(operation.array)
    return alg.lift(0) if array.storage == "scalar" else alg.where(in_registers(array, kernel), 0, ACCESS)


def in_registers(array: HlsArray, kernel: HlsKernel) -> Expr:
    """Private arrays that are small: not those of a group of work-items, whose numbers address them."""
    if array.storage not in ("local", "scalar") or shared(array, kernel):
        return alg.lift(False)
    return alg.compare(bits(array), "<=", REGISTER_BIT)


def shared(array: HlsArray, kernel: HlsKernel) -> bool:
    return any(
        name.startswith("get_")
        for item in items_of(kernel.whole)
        if isinstance(item, HlsBlock)
        for operation in item.operations
        if operation.array == array.name
        for subscript in operation.subscripts
        for name, _ in subscript.terms
    )


def bits(array: HlsArray) -> Expr:
    return alg.mul(array.element.bits, *array.dims)
