"""What a kernel takes of the device: operators, memories, and what steers them.

operators    in a pipelined loop ceil(copies / II) of each kind; loops that follow one another share them, processing
             elements do not
memories     banks of block RAM; what is partitioned to single elements is registers
steering     multiplexers for each access by the banks it may reach, control for each loop, a port for each array
"""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.banks import moving
from tunepass.hwmodels.hls.cycles import CycleModel
from tunepass.hwmodels.hls.nest import contents
from tunepass.hwmodels.hls.tools import FREE, Operator, kind_of
from tunepass.ir.hls import HlsArray, HlsBlock, HlsItem, HlsLoop

Units = Mapping[str, Expr]
BLOCK_BIT, BLOCK_PORT_BIT = 18432, 36
LUT_WORDS = 64  # banks of no more words are LUTs
TERMS = ("copies", "accesses", "crossings", "element_bits", "banks", "loops", "ports", "elements", "blocks")


class AreaModel:
    def __init__(self, cycles: CycleModel):
        self.cycles, self.nest, self.tool = cycles, cycles.nest, cycles.tool
        self.lanes, self.banks = cycles.lanes, cycles.banks

    def values(self) -> dict[str, Expr]:
        units = self._items(self.nest.kernel.whole.items)
        terms = self.terms()
        table = self.tool.operators
        luts = alg.add(_weighted(units, table, "luts"), _linear(terms, self.tool.area.luts))
        ffs = alg.add(_weighted(units, table, "ffs"), _linear(terms, self.tool.area.ffs))
        return {
            "luts": alg.apply("ceil", luts),
            "ffs": alg.apply("ceil", ffs),
            "dsps": alg.apply("ceil", _weighted(units, table, "dsps")),
            "brams": alg.apply("ceil", _linear(terms, self.tool.area.brams)),
        }

    def units(self) -> Units:
        """Operators of each kind."""
        return self._items(self.nest.kernel.whole.items)

    def _items(self, items: tuple[HlsItem, ...]) -> dict[str, Expr]:
        """The most that any of them takes: they follow one another."""
        together: dict[str, list[Expr]] = {}
        for item in contents(items):
            for kind, amount in self._item(item).items():
                together.setdefault(kind, []).append(amount)
        return {kind: alg.maximum(*amounts) for kind, amounts in together.items()}

    def _item(self, item: HlsItem) -> dict[str, Expr]:
        if isinstance(item, HlsBlock):
            return {kind: alg.lift(1) for kind in self._kinds(item)}
        assert isinstance(item, HlsLoop)
        shared = self._items(item.items)
        lanes = self.lanes.of(item)
        elements = {kind: alg.mul(amount, lanes) for kind, amount in shared.items()}
        interval, leaf = self.cycles.interval(item), self.nest.leaf(item)
        piped = {kind: alg.ceildiv(amount, interval) for kind, amount in self._unrolled(item).items()}
        return {kind: alg.where(leaf, piped[kind], elements[kind]) for kind in piped}

    def _kinds(self, block: HlsBlock) -> list[str]:
        return [kind_of(o) for o in block.operations if o.name not in FREE]

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
        """What the weights of the tool multiply, by TERMS."""
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
        arrays = [a for a in self.nest.kernel.arrays if a.dims]
        bits = [alg.where(self._registers(a), alg.mul(a.element.bits, *a.dims), 0) for a in arrays]
        banks = [alg.where(self._registers(a), 0, self.banks.total(a)) for a in arrays]
        return {
            "copies": alg.add(*copies),
            "accesses": alg.add(*accesses),
            "crossings": alg.add(*crossings),
            "element_bits": alg.add(*bits),
            "banks": alg.add(*banks),
            "loops": alg.lift(len(self.nest.loops)),
            "ports": alg.lift(sum(a.storage == "global" for a in arrays)),
            "elements": self._elements(),
            "blocks": self._blocks(),
        }

    def _elements(self) -> Expr:
        """Processing elements."""
        return alg.add(
            *(alg.where(self.lanes.elements(loop), self.lanes.of(loop), 0) for loop in self.nest.loops.values())
        )

    def _registers(self, array: HlsArray) -> Expr:
        return alg.compare(self.banks.total(array), ">=", alg.mul(1, *array.dims))

    def _blocks(self) -> Expr:
        return alg.add(
            *(self._array(a) for a in self.nest.kernel.arrays if a.dims and a.storage in ("global", "local"))
        )

    def _array(self, array: HlsArray) -> Expr:
        banks = self.banks.total(array)
        bits = alg.ceildiv(alg.mul(array.element.bits, *array.dims), banks)
        ports = -(-array.element.bits // BLOCK_PORT_BIT)
        depth = alg.ceildiv(bits, array.element.bits)
        each = alg.mul(ports, alg.ceildiv(depth, BLOCK_BIT // BLOCK_PORT_BIT))
        small = alg.compare(depth, "<=", LUT_WORDS)
        return alg.where(small, 0, alg.mul(banks, each, array.copies))


def _weighted(units: Units, table: Mapping[str, Operator], resource: str) -> Expr:
    return alg.add(
        *(alg.mul(getattr(table.get(kind, table["logic"]), resource), amount) for kind, amount in units.items())
    )


def _linear(terms: Mapping[str, Expr], weights: Mapping[str, float]) -> Expr:
    return alg.add(
        weights.get("base", 0.0), *(alg.mul(weights[name], terms[name]) for name in terms if name in weights)
    )
