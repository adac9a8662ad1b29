"""AXI ports of Vitis' kernels: the beats that one start of a pipelined loop moves through each.

beats    of accesses that neighbouring copies make of neighbouring elements ceil(copies bits / width), else one or
         more a copy; those of arrays that share a bundle add up, reads and writes have channels of their own
width    what `max_widen_bitwidth` says, else the widest that the tool makes; no less than an element
"""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.banks import moving, strides, whole
from tunepass.hwmodels.hls.lanes import Lanes
from tunepass.hwmodels.hls.nest import Nest, Placed
from tunepass.hwmodels.hls.tools import HlsTool
from tunepass.ir.hls import HlsArray, HlsLoop


class Ports:
    def __init__(self, nest: Nest, lanes: Lanes, tool: HlsTool):
        self.nest, self.lanes, self.tool = nest, lanes, tool

    def interval(self, loop: HlsLoop) -> Expr:
        """The initiation interval that the busiest channel leaves the loop."""
        channels: dict[tuple[str, str], list[Expr]] = {}
        for array in self.nest.kernel.arrays:
            if array.storage != "global" or not array.dims:
                continue
            distinct: dict[object, Placed] = {}
            for placed in self.nest.placed(loop):
                if placed.operation.array == array.name:
                    distinct.setdefault((placed.operation.name, placed.operation.subscripts), placed)
            for placed in distinct.values():
                channel = (array.port or array.name, placed.operation.name)
                channels.setdefault(channel, []).append(self._beats(loop, array, placed))
        return alg.maximum(1, *(alg.add(*beats) for beats in channels.values()))

    def _beats(self, loop: HlsLoop, array: HlsArray, placed: Placed) -> Expr:
        within = [inner for inner in placed.loops[placed.loops.index(loop) :] if inner.name in moving(placed)]
        copies = alg.mul(1, *(self.lanes.of(inner) for inner in within))
        elements = whole(array, placed)
        bits = alg.mul(elements, array.element.bits)
        stated = array.port_bit if array.port_bit is not None else self.tool.transfers.port_bit
        width = alg.maximum(array.element.bits, stated)
        steps = strides(array, placed)
        reached = alg.number(elements) or 1
        if any(steps.get(inner.name) == reached for inner in within):
            return alg.ceildiv(alg.mul(copies, bits), width)
        return alg.mul(copies, alg.ceildiv(bits, width))
