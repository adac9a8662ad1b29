"""Area of a kernel: operators, memories, and control.

operators    in a pipelined loop ceil(copies / II) of each kind; loops that follow one another share them, processing
             elements do not
memories     banks of block RAM; what is partitioned to single elements is registers
steering     multiplexers for each access by the banks it may reach, control for each loop, a port for each array
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tunepass.diagnostics import Span
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.base import EstimatePart
from tunepass.hwmodels.hls.banks import moving
from tunepass.hwmodels.hls.cycles import CycleModel
from tunepass.hwmodels.hls.nest import contents, tasks_apart
from tunepass.hwmodels.hls.operators import kind_of
from tunepass.hwmodels.hls.tools import FREE
from tunepass.ir.hls import HlsArray, HlsBlock, HlsItem, HlsLoop, HlsRegion

Units = Mapping[str, Expr]
BLOCK_BIT, BLOCK_PORT_BIT = 18432, 36
LUT_WORDS = 64  # banks of no more words are LUTs
RESOURCES = ("luts", "ffs", "dsps", "brams")
TERMS = ("copies", "accesses", "crossings", "element_bits", "banks", "loops", "ports", "elements", "blocks")


class AreaModel:
    def __init__(self, cycles: CycleModel):
        self.cycles, self.nest, self.tool = cycles, cycles.nest, cycles.tool
        self.lanes, self.banks = cycles.lanes, cycles.banks

    def values(self) -> dict[str, Expr]:
        parts = [part for part in self.parts() if part.depth == 0]
        return {name: alg.apply("ceil", alg.add(*(part.values[name] for part in parts))) for name in RESOURCES}

    def parts(self) -> tuple[EstimatePart, ...]:
        """What the kernel is made of, before the sums are rounded: operators by kind, memories by array, the rest."""
        operators = [self._operators(kind, amount) for kind, amount in self.units().items()]
        memories = [self._memory(array) for array in self._on_chip()]
        control = self._rest("loops and accesses", self._steering())
        ports = self._rest("ports and shell", {"ports": self._ports()}, base=1)
        return (*_group("operators", operators), *_group("memories", memories), control, ports)

    def _operators(self, kind: str, amount: Expr) -> EstimatePart:
        of = self.tool.of_kind(kind)
        each = {"luts": of.luts, "ffs": of.ffs, "dsps": of.dsps, "brams": 0.0}
        return EstimatePart(kind, 1, {r: alg.mul(e, amount) for r, e in each.items()} | {"units": amount})

    def _memory(self, array: HlsArray) -> EstimatePart:
        part = self._rest(array.name, self._array_terms(array), depth=1, span=array.span)
        return replace(part, values={**part.values, "banks": self.banks.total(array)})

    def _rest(
        self, label: str, terms: Mapping[str, Expr], depth: int = 0, base: int = 0, span: Span | None = None
    ) -> EstimatePart:
        """What the terms' weights make of them; with the weight of `base` if it is 1."""
        area = self.tool.area
        by = {"luts": area.luts, "ffs": area.ffs, "dsps": {}, "brams": area.brams}
        weighted = {r: _linear(terms, weights, base) for r, weights in by.items()}
        return EstimatePart(label, depth, weighted, span)

    def units(self) -> Units:
        """Operators of each kind."""
        return self._items((self.nest.kernel.whole,))

    def _items(self, items: tuple[HlsItem, ...]) -> dict[str, Expr]:
        """The most that any of them takes, as they follow one another; tasks of a dataflow region run at once."""
        in_turn: dict[str, list[Expr]] = {}
        for item in tasks_apart(items):
            for kind, amount in self._item(item).items():
                in_turn.setdefault(kind, []).append(amount)
        return {kind: alg.maximum(*amounts) for kind, amounts in in_turn.items()}

    def _tasks(self, items: tuple[HlsItem, ...]) -> dict[str, Expr]:
        total: dict[str, Expr] = {}
        for item in items:
            for kind, amount in self._items((item,)).items():
                total[kind] = alg.add(total.get(kind, 0), amount)
        return total

    def _item(self, item: HlsItem) -> dict[str, Expr]:
        if isinstance(item, HlsBlock):
            return {kind: alg.lift(1) for kind in self._kinds(item)}
        if isinstance(item, HlsRegion):
            return self._tasks(item.items)
        shared = self._tasks(item.items) if item.dataflow else self._items(item.items)
        lanes = self.lanes.of(item)
        elements = {kind: alg.mul(amount, lanes) for kind, amount in shared.items()}
        interval, leaf = self.cycles.interval(item), self.nest.leaf(item)
        piped = {kind: alg.ceildiv(amount, interval) for kind, amount in self._unrolled(item).items()}
        return {kind: alg.where(leaf, piped[kind], elements[kind]) for kind in piped}

    def _kinds(self, block: HlsBlock) -> list[str]:
        return [kind_of(o, block.inputs(o)) for o in block.operations if o.name not in FREE]

    def _unrolled(self, item: HlsItem) -> dict[str, Expr]:
        """Operations of all copies."""
        if isinstance(item, HlsBlock):
            kinds = self._kinds(item)
            return {kind: alg.lift(kinds.count(kind)) for kind in kinds}
        total: dict[str, Expr] = {}
        for inner in contents(item.items):
            for kind, amount in self._unrolled(inner).items():
                total[kind] = alg.add(total.get(kind, 0), amount)
        if isinstance(item, HlsLoop):
            total = {kind: alg.mul(amount, self.lanes.of(item)) for kind, amount in total.items()}
        return total

    def terms(self) -> dict[str, Expr]:
        """Amounts that the weights of the tool multiply, by TERMS."""
        each = [self._array_terms(a) for a in self._on_chip()]
        summed = {name: alg.add(*(terms[name] for terms in each)) for name in ("element_bits", "banks", "blocks")}
        return {**summed, **self._steering(), "ports": self._ports()}

    def _on_chip(self) -> list[HlsArray]:
        """Merlin keeps copies of what is outside; Vitis reads it where it is."""
        kernel = self.nest.kernel
        return [a for a in kernel.arrays if a.dims and (kernel.dialect == "merlin" or a.storage != "global")]

    def _ports(self) -> Expr:
        return alg.lift(sum(a.storage == "global" for a in self.nest.kernel.arrays if a.dims))

    def _array_terms(self, array: HlsArray) -> dict[str, Expr]:
        registers = self._registers(array)
        return {
            "element_bits": alg.where(registers, alg.mul(array.element.bits, *array.dims), 0),
            "banks": alg.where(registers, 0, self.banks.total(array)),
            "blocks": self._blocks(array) if array.storage in ("global", "local") else alg.lift(0),
        }

    def _steering(self) -> dict[str, Expr]:
        copies, accesses, crossings = [], [], []
        for placed in self.nest.operations:
            many = alg.mul(1, *(self.lanes.of(loop) for loop in placed.loops))
            if placed.operation.name not in FREE:
                copies.append(many)
            elif placed.operation.subscripts and placed.operation.array is not None:
                array = self.nest.kernel.array(placed.operation.array)
                moved = moving(placed)
                reached = alg.mul(1, *(self.lanes.of(loop) for loop in placed.loops if loop.name in moved))
                accesses.append(reached)
                crossings.append(
                    alg.mul(reached, alg.sub(alg.div(self.banks.total(array), alg.maximum(1, reached)), 1))
                )
        return {
            "copies": alg.add(*copies),
            "accesses": alg.add(*accesses),
            "crossings": alg.add(*crossings),
            "loops": alg.lift(len(self.nest.loops)),
            "elements": self._elements(),
        }

    def _elements(self) -> Expr:
        """Processing elements."""
        return alg.add(
            *(alg.where(self.lanes.elements(loop), self.lanes.of(loop), 0) for loop in self.nest.loops.values())
        )

    def _registers(self, array: HlsArray) -> Expr:
        return alg.compare(self.banks.total(array), ">=", alg.mul(1, *array.dims))

    def _blocks(self, array: HlsArray) -> Expr:
        """Blocks of block RAM."""
        banks = self.banks.total(array)
        bits = alg.ceildiv(alg.mul(array.element.bits, *array.dims), banks)
        ports = -(-array.element.bits // BLOCK_PORT_BIT)
        depth = alg.ceildiv(bits, array.element.bits)
        each = alg.mul(ports, alg.ceildiv(depth, BLOCK_BIT // BLOCK_PORT_BIT))
        small = alg.compare(depth, "<=", LUT_WORDS)
        return alg.where(small, 0, alg.mul(banks, each, array.copies))


def _group(label: str, parts: Sequence[EstimatePart]) -> tuple[EstimatePart, ...]:
    """The parts under one that has their sums."""
    sums = {name: alg.add(0.0, *(part.values[name] for part in parts)) for name in RESOURCES}
    return (EstimatePart(label, 0, sums), *parts)


def _linear(terms: Mapping[str, Expr], weights: Mapping[str, float], base: int) -> Expr:
    known = (alg.mul(weights[name], terms[name]) for name in terms if name in weights)
    return alg.add(base * weights.get("base", 0.0), *known)
