"""On-chip memories: banks, the ports that a pipelined loop needs of them, and which loops move an address.

Merlin partitions each dimension into as many banks as copies reach it at once; Vitis as its pragmas say.
"""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.dependence import value
from tunepass.hwmodels.hls.lanes import Lanes
from tunepass.hwmodels.hls.nest import Nest, Placed, every
from tunepass.hwmodels.hls.tools import HlsTool
from tunepass.ir.hls import HlsArray, HlsLoop


def moving(placed: Placed) -> set[str]:
    """The loops that move the operation's address."""
    return {name for subscript in placed.operation.subscripts for name, _ in subscript.terms}


def whole(array: HlsArray, placed: Placed) -> Expr:
    """Elements that one access moves: all of the dimensions that it does not subscript."""
    return alg.mul(1, *array.dims[max(1, len(placed.operation.subscripts)) :])


def strides(array: HlsArray, placed: Placed) -> dict[str, float]:
    """Elements by which one iteration of each loop moves the address; infinite where that is not known."""
    result: dict[str, float] = {}
    for dim, subscript in enumerate(placed.operation.subscripts):
        below = value(alg.mul(1, *array.dims[dim + 1 :]))
        for name, step in subscript.terms:
            elements = value(step)
            known = below is not None and elements is not None and subscript.affine
            result[name] = result.get(name, 0.0) + (abs(elements or 0.0) * (below or 0.0) if known else float("inf"))
    return result


class Banks:
    def __init__(self, nest: Nest, lanes: Lanes, tool: HlsTool):
        self.nest, self.lanes, self.tool = nest, lanes, tool
        self._dims: dict[str, tuple[Expr, ...]] = {}

    def accesses(self, array: str) -> list[Placed]:
        return [p for p in self.nest.operations if p.operation.array == array]

    def by_dim(self, array: HlsArray) -> tuple[Expr, ...]:
        """Banks in each dimension."""
        if array.name not in self._dims:
            by_dim = [self._dim(array, dim, size) for dim, size in enumerate(array.dims)]
            self._dims[array.name] = tuple(by_dim)
        return self._dims[array.name]

    def total(self, array: HlsArray) -> Expr:
        return alg.mul(1, *self.by_dim(array))

    def _dim(self, array: HlsArray, dim: int, size: Expr) -> Expr:
        if self.nest.kernel.dialect != "merlin":
            return _stated(array, dim, size)
        wanted = [
            alg.mul(1, *(self.lanes.of(self.nest.loops[name]) for name, _ in p.operation.subscripts[dim].terms))
            for p in self.accesses(array.name)
            if dim < len(p.operation.subscripts)
        ]
        if not self.tool.splits_mixed and self._mixed(array, dim):
            return alg.lift(1)
        return alg.minimum(size, alg.maximum(1, *wanted))

    def _mixed(self, array: HlsArray, dim: int) -> bool:
        """Do two loops of one nest index the same dimension?"""
        loops = [
            (p.loops, name)
            for p in self.accesses(array.name)
            if dim < len(p.operation.subscripts)
            for name, _ in p.operation.subscripts[dim].terms
        ]
        return (
            any(
                here != there
                and any(loop.name == there for loop in around)
                and any(loop.name == here for loop in other)
                for around, here in loops
                for other, there in loops
            )
            and len({tuple(s.operation.subscripts[dim].terms) for s in self.accesses(array.name)}) > 1
        )

    def wanted(self, placed: Placed, dim: int) -> Expr:
        """Copies of one access that reach different places of the dimension."""
        terms = placed.operation.subscripts[dim].terms
        return alg.mul(1, *(self.lanes.of(self.nest.loops[name]) for name, _ in terms))

    def divided(self, array: HlsArray) -> Expr:
        """Do the copies of each access divide the array's dimensions?"""
        conditions = [
            alg.compare(alg.mod(size, alg.maximum(1, self.wanted(placed, dim))), "==", 0)
            for dim, size in enumerate(array.dims)
            for placed in self.accesses(array.name)
            if dim < len(placed.operation.subscripts) and placed.operation.subscripts[dim].terms
        ]
        return every(*conditions)

    def scattered(self, array: HlsArray, loop: HlsLoop) -> Expr:
        """Copies in the loop that reach some elements of a dimension that others reach all of: 1 where there are none.

        Registers then hold the dimension, and what is written through an index that is not fixed has to wait."""
        if not any(p.operation.name == "store" for p in self.accesses(array.name)):
            return alg.lift(1)
        bounds: list[Expr] = [alg.lift(1)]
        for dim, (banks, size) in enumerate(zip(self.by_dim(array), array.dims)):
            for placed in self.accesses(array.name):
                subscripts = placed.operation.subscripts
                if loop in placed.loops and dim < len(subscripts) and subscripts[dim].terms:
                    copies = self.wanted(placed, dim)
                    partly = every(
                        alg.compare(banks, ">=", size), alg.compare(copies, "<", size), alg.compare(copies, ">", 1)
                    )
                    bounds.append(alg.where(partly, copies, 1))
        return alg.maximum(*bounds)

    def interval(self, loop: HlsLoop, ports: int) -> Expr:
        """The initiation interval that the ports of on-chip memories leave a pipelined loop."""
        beyond = ("stream",) if self.nest.kernel.dialect == "merlin" else ("stream", "global")
        arrays = (a for a in self.nest.kernel.arrays if a.dims and a.storage not in beyond)
        return alg.maximum(1, *(self._conflict(loop, array, ports) for array in arrays))

    def _conflict(self, loop: HlsLoop, array: HlsArray, ports: int) -> Expr:
        distinct: dict[object, Placed] = {}
        for placed in self.accesses(array.name):
            if loop in placed.loops:
                distinct.setdefault((placed.operation.name == "store", placed.operation.subscripts), placed)
        if not distinct:
            return alg.lift(1)
        counted = [self._copies(loop, placed) for placed in distinct.values()]
        each = alg.add(
            *(alg.ceildiv(copies, self._reached(array, loop, p)) for copies, p in zip(counted, distinct.values()))
        )
        complete = alg.compare(self.total(array), ">=", alg.mul(1, *array.dims))
        return alg.maximum(self.scattered(array, loop), alg.where(complete, 1, alg.ceildiv(each, ports)))

    def _copies(self, loop: HlsLoop, placed: Placed) -> Expr:
        moved = moving(placed)
        within = placed.loops[placed.loops.index(loop) :]
        elements = whole(self.nest.kernel.array(placed.operation.array or ""), placed)
        return alg.mul(elements, *(self.lanes.of(inner) for inner in within if inner.name in moved))

    def _reached(self, array: HlsArray, loop: HlsLoop, placed: Placed) -> Expr:
        """The banks that the copies of one access fall into."""
        within = {inner.name for inner in placed.loops[placed.loops.index(loop) :]}
        factors = []
        for banks, subscript in zip(self.by_dim(array), placed.operation.subscripts):
            copies = alg.mul(
                1, *(self.lanes.of(self.nest.loops[name]) for name, _ in subscript.terms if name in within)
            )
            factors.append(alg.minimum(banks, copies))
        factors += self.by_dim(array)[max(1, len(placed.operation.subscripts)) :]
        return alg.maximum(1, alg.mul(1, *factors))


def _stated(array: HlsArray, dim: int, size: Expr) -> Expr:
    factors = [
        size if partition.kind == "complete" else alg.minimum(size, alg.maximum(1, partition.factor))
        for partition in array.partitions
        if partition.dim in (0, dim + 1)
    ]
    return alg.maximum(1, *factors)
