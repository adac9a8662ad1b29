"""Code in which values that depend on few names are read from tables, for runs long enough to pay for them.

    S(v)   the names that an instruction v depends on
    place  of a value in the domain of its name; the places of S(v) number the elements of v's table

The tables hold what the machine computes, so the results are bit-equal. An element outside its domain reads some other
element of a table, never beyond it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.expr.domain import Domain, Interval, number
from tunepass.expr.interval.bounds import Bounds
from tunepass.expr.interval.extension import given_bounds
from tunepass.expr.nodes import BoolType, CategoryType, Constant, Expr, IntegerType, Name, RealType
from tunepass.expr.vm.code import OPERANDS, Emitter, Instruction, Value, last_uses, renumbered
from tunepass.expr.vm.lowering import Lowering
from tunepass.expr.vm.reassociation import Reassociation
from tunepass.expr.vm.tables import Axes, Tables, dependences

LARGEST = 1 << 19  # elements of a table
WIDEST = 1 << 16  # most integers between the ends of a domain whose values have places
# What an instruction costs, in those of an addition of two blocks in the first cache: measured, rounded.
COST = {
    "mul": 2, "max": 2, "min": 2, "div_real": 2, "sqrt_real": 3, "place": 3, "real": 4, "lookup": 5, "mul_check": 6,
    "small_floordiv": 6, "small_ceildiv": 6, "small_mod": 6, "ceil_real": 6, "floor_real": 6, "round_real": 6,
    "floordiv": 20, "ceildiv": 20, "mod": 20, "exp_real": 30, "log_real": 30, "log2_real": 30, "pow_real": 100,
    "floordiv_real": 60, "mod_real": 60, "ceildiv_real": 60, "pow": 50, "gcd": 200, "lcm": 200, "pow_check": 50,
    "gcd_check": 200, "lcm_check": 200, "order_find": 10, "input": 0, "constant": 0,
}  # fmt: skip
READS = ((1 << 12, 4.5), (1 << 15, 7.0), (1 << 16, 9.0), (LARGEST, 25.0))  # of a table of at most so many elements
PLACE = 1.5  # for every further name that a table depends on
WIN = 0.8  # of the plain code's cost is the most that code with tables may cost
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Places:
    """The values that each input may have, ascending; empty where they have no places."""

    inputs: tuple[Name, ...]
    values: tuple[Ints, ...]

    @staticmethod
    def of(inputs: Sequence[Name], domains: Mapping[str, Domain]) -> Places:
        return Places(tuple(inputs), tuple(_values(name, domains.get(name.name)) for name in inputs))

    @property
    def sizes(self) -> list[float]:
        return [len(v) if len(v) else math.inf for v in self.values]

    @property
    def axes(self) -> list[Axes]:
        return [frozenset([i]) for i in range(len(self.values))]


def _values(name: Name, domain: Domain | None) -> Ints:
    none = np.empty(0, np.int64)
    if domain is None or not isinstance(name.type, (IntegerType, BoolType, CategoryType)):
        return none
    if isinstance(domain, Interval):
        values = np.arange(int(domain.lo), min(int(domain.hi), int(domain.lo) + WIDEST) + 1)
    else:
        values = np.unique(np.array([number(v, name.type) for v in domain], np.int64))
    return values if len(values) and values[-1] - values[0] < WIDEST and abs(values[0]) < 2**31 else none


def exact_bounds(lowering: Lowering, exprs: Sequence[Expr], places: Places) -> dict[int, Bounds]:
    """What tables show never to fail, by its identity: the extremes there. Looks only below what intervals doubt."""
    axes, sizes = dependences(lowering.code, places.axes), places.sizes
    tables = Tables(lowering.code, lowering.tables, axes, places.values)
    exact: dict[int, Bounds] = {}
    pending, seen = list(exprs), set[int]()
    while pending:
        e = pending.pop()
        if id(e) in seen or isinstance(e, (Name, Constant)):
            continue
        seen.add(id(e))
        value, status = lowering.lowered[id(e)]
        value_axes = axes[value] | (axes[status] if status is not None else frozenset())
        if (
            value_axes
            and math.prod(sizes[i] for i in value_axes) <= LARGEST
            and (status is None or not tables.of(status).values.any())
        ):
            values = tables.of(value).values.view(np.float64 if isinstance(e.type, RealType) else np.int64)
            exact[id(e)] = given_bounds(e.type, values.min(), values.max())
        elif lowering.bounds[id(e)].flags:
            pending += e.children
    return exact


def tabulated(
    emitter: Emitter, tail: Sequence[Instruction], places: Places
) -> tuple[list[Instruction], Sequence[Instruction], Ints]:
    """Code, tail and constants that give the same outputs: the emitter's with `tail` unless tables are cheaper."""
    axes = dependences(emitter.code, places.axes)
    regrouped = Reassociation(emitter.code, tail, axes, places.sizes)
    reading = _Reading(regrouped, emitter.tables, places)
    if _cost(reading.code, reading.tail) > WIN * _cost(emitter.code, tail):
        return emitter.code, tail, np.array(emitter.tables, np.int64)
    return reading.code, reading.tail, np.concatenate([np.array(emitter.tables, np.int64), *reading.made])


def _reading(size: float) -> float:
    return next((price for most, price in READS if size <= most), math.inf)


def _cost(code: Sequence[Instruction], tail: Sequence[Instruction]) -> float:
    """What a run costs for each element."""
    live = [code[v] for v in last_uses(code, tail) if v < len(code)]
    return sum(_reading(c) if op in ("take", "take_int") else COST.get(op, 1) for op, _, _, c in [*live, *tail])


class _Reading(Emitter):
    """Instructions of which some are replaced by reading their tables."""

    def __init__(self, source: Reassociation, constants: Sequence[int], places: Places):
        super().__init__()
        self.source, self.places, self.sizes = source, places, places.sizes
        self.made: list[Ints] = []
        self._end = len(constants)
        self._tables = Tables(source.code, constants, source.axes, places.values)
        self._new: dict[Value, Value] = {}
        self._started: dict[Value, tuple[str, int]] = {}
        chosen, needed = self._chosen(), set[Value]()
        pending = [w for op, *words in source.tail for w in words[: OPERANDS[op]]]
        while pending:
            v = pending.pop()
            if v not in needed:
                needed.add(v)
                op, *words = source.code[v]
                pending += [] if v in chosen else words[: OPERANDS[op]]
        for v in sorted(needed):
            self._new[v] = (
                self._read(v) if v in chosen else self.emit(*renumbered(source.code[v], self._new.__getitem__))
            )
        self.tail = [renumbered(one, self._new.__getitem__) for one in source.tail]

    def _chosen(self) -> set[Value]:
        """What is cheaper to read than to compute, each value computed for itself alone."""
        cost: list[float] = []
        chosen = set[Value]()
        for v, (op, *words) in enumerate(self.source.code):
            direct_cost = COST.get(op, 1) + sum(cost[w] for w in words[: OPERANDS[op]])
            axes = self.source.axes[v]
            reading = _reading(math.prod(self.sizes[i] for i in axes)) + PLACE * (len(axes) - 1)
            if axes and reading < direct_cost:
                chosen.add(v)
            cost.append(min(direct_cost, reading))
        return chosen

    def _read(self, v: Value) -> Value:
        table = self._tables.of(v)
        element = self._place(table.axes[0])
        for axis in table.axes[1:]:
            element = self.emit("place_in", element, self._place(axis), int(self.sizes[axis]))
        op, start = self._stored(table.values.view(np.int64))
        return self.emit(op, element, start, len(table.values))

    def _place(self, axis: int) -> Value:
        values = self.places.values[axis]
        column = self.emit("bool_column" if isinstance(self.places.inputs[axis].type, BoolType) else "input", axis)
        lo, hi = int(values[0]), int(values[-1])
        offset = self.emit("place", column, lo, hi - lo + 1)
        if hi - lo + 1 == len(values):
            return offset
        if axis not in self._started:
            self._started[axis] = self._stored(np.searchsorted(values, np.arange(lo, hi + 1)))
        op, start = self._started[axis]
        return self.emit(op, offset, start, hi - lo + 1)

    def _stored(self, values: Ints) -> tuple[str, int]:
        """The operation that reads a table with these values, and where it starts."""
        small = np.array_equal(values, values.astype(np.int32))
        start, self._end = self._end, self._end + (len(values) + small) // (1 + small)
        if not small:
            self.made.append(values)
            return "take", start
        self.made.append(np.append(values, np.zeros(len(values) % 2, np.int64)).astype(np.int32).view(np.int64))
        return "take_int", 2 * start
