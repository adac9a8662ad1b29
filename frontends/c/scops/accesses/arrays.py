"""From effects to accesses: which array, and a map from a statement's instances to its elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.accesses.delinearization import ArrayLayout, Facts, RowUse, layout_of
from tunepass.frontends.c.scops.numbers.affine import isl_name, isl_text
from tunepass.frontends.c.scops.numbers.affine_values import Affine
from tunepass.frontends.c.scops.statements.effects import LvalueEffect
from tunepass.frontends.c.scops.statements.raw import RawStatement, Subscript
from tunepass.frontends.c.scops.statements.variables import POINTER_BYTE, Variable

MEMORY = "memory"
"""The scalar that every statement with unknown effects reads and writes, so that these keep their order."""


@dataclass(frozen=True, slots=True)
class AccessTarget:
    """An access before its text: the array's `values` by dimension, None where any element may be meant."""

    array: str
    rank: int
    values: tuple[Affine, ...] | None
    read: bool = True
    written: bool = True
    certain: bool = False
    always: bool = False
    update: str | None = None
    polynomial: tuple[tuple[tuple[str, ...], int], ...] = ()


@dataclass(frozen=True, slots=True)
class AccessorLayout:
    """Rows that a function counts, whose arguments are taken to stay within them."""

    strides: tuple[str, ...]
    conditions: tuple[str, ...] = ()

    def values(self, raw: RawStatement, subscript: Subscript) -> tuple[Affine, ...] | None:
        return subscript.rows


@dataclass(frozen=True, slots=True)
class KnownArray:
    """What code calls it, and the variable if it is declared where it can be seen."""

    text: str
    variable: Variable | None
    rank: int
    layout: ArrayLayout | AccessorLayout | None = None

    @property
    def element_byte(self) -> int:
        return self.variable.element_byte if self.variable else POINTER_BYTE


class ArrayReader:
    """The accesses of all statements, and the `arrays` behind them by their name in isl's texts."""

    def __init__(
        self,
        statements: Sequence[RawStatement],
        parameters: Iterable[str],
        facts: Facts,
        overlapping: Sequence[tuple[str, str]],
    ):
        self.overlapping = [(isl_name(a), isl_name(b)) for a, b in overlapping]
        self.statements, self.parameters, self.facts = statements, frozenset(parameters), facts
        self.counted: set[str] = set()  # macros that subscripts need as numbers
        self.arrays: dict[str, KnownArray] = {}
        self.unknown: dict[int, str] = {n: s.effects.unknown[0] for n, s in enumerate(statements) if s.effects.unknown}

    def targets(self) -> list[list[AccessTarget]]:
        """Of each statement. Where more may be accessed, every array may be, and MEMORY is."""
        self._find_arrays()
        found = [
            [t for k, e in enumerate(s.effects.found) if (t := self._target(number, s, k, e))]
            for number, s in enumerate(self.statements)
        ]
        if self.unknown:
            self.arrays[MEMORY] = KnownArray(MEMORY, None, 0)
        return [
            _merged([*targets, *self._overlapped(targets), *self._anything(number)])
            for number, targets in enumerate(found)
        ]

    def conditions(self) -> list[str]:
        """On parameters, under which elements are as the accesses say (isl's texts)."""
        layouts = [array.layout for array in self.arrays.values() if array.layout is not None]
        return list(dict.fromkeys(c for layout in layouts for c in layout.conditions))

    def _overlapped(self, targets: Sequence[AccessTarget]) -> list[AccessTarget]:
        """What accesses may reach of arrays that overlap with those they name."""
        partners = [(a, b) for pair in self.overlapping for a, b in (pair, pair[::-1]) if b in self.arrays]
        return [
            AccessTarget(other, self.arrays[other].rank, None, t.read, t.written)
            for t in targets
            for array, other in partners
            if t.array == array
        ]

    def _anything(self, number: int) -> list[AccessTarget]:
        if number not in self.unknown:
            return []
        arrays = [AccessTarget(name, array.rank, None) for name, array in self.arrays.items() if name != MEMORY]
        return [*arrays, AccessTarget(MEMORY, 0, ())]

    def _find_arrays(self) -> None:
        """The arrays with their ranks; those whose elements are counted in rows get the rows' layout."""
        seen: dict[str, list[tuple[RawStatement, tuple[Subscript, ...]]]] = {}
        written = {isl_name(e.root.text) for s in self.statements for e in s.effects.found if e.written}
        if self.unknown:
            written = {isl_name(e.root.text) for s in self.statements for e in s.effects.found}
        for s in self.statements:
            for effect, subscripts in zip(s.effects.found, s.subscripts):
                if self._is_value(s, effect):
                    continue
                name = isl_name(effect.root.text)
                variable = s.variables.get(effect.root.text)
                rank = len(variable.shape) if variable else len(effect.subscripts)
                if name not in self.arrays or rank > self.arrays[name].rank:
                    self.arrays[name] = KnownArray(effect.root.text, variable, rank)
                seen.setdefault(name, []).append((s, subscripts))
        for name, uses in seen.items():
            if self.arrays[name].rank == 1:
                rows = [(s, subscripts[0]) for s, subscripts in uses if len(subscripts) == 1]
                layout = self._layout(rows, name in written) if len(rows) == len(uses) else None
                rank = len(layout.strides) if layout else 1
                self.arrays[name] = replace(self.arrays[name], rank=rank, layout=layout)

    def _layout(self, uses: Sequence[RowUse], written: bool) -> ArrayLayout | AccessorLayout | None:
        """Proven rows; else those that one function computes at all uses."""
        proven = layout_of(uses, self.parameters, self.facts, written)
        strides = {subscript.strides for _, subscript in uses if subscript.rows is not None}
        if proven is not None or len(strides) != 1 or any(subscript.rows is None for _, subscript in uses):
            return proven
        return AccessorLayout(strides.pop())

    def _is_value(self, s: RawStatement, effect: LvalueEffect) -> bool:
        """An index, a parameter or a constant: nothing that is stored."""
        name = effect.root.text
        if effect.subscripts or effect.written:
            return False
        known = s.variables.get(name)
        return name in self.parameters or any(loop.index == name for loop in s.loops) or known is None

    def _target(self, number: int, s: RawStatement, position: int, effect: LvalueEffect) -> AccessTarget | None:
        if self._is_value(s, effect):
            return None
        name = isl_name(effect.root.text)
        array, subscripts = self.arrays[name], s.subscripts[position]
        reason = _unknown(effect, array)
        if reason:
            self.unknown.setdefault(number, reason)
        values = self._values(s, array, subscripts)
        certain = values is not None and not reason
        always = not effect.written or (effect.certain and effect.whole)
        operator = next((u.operator for u in s.updates if u.effect == position), None)
        update = operator if certain and always else None
        terms = subscripts[0].polynomial if len(subscripts) == array.rank == 1 and not certain and not reason else None
        polynomial = tuple((terms or {}).items())
        return AccessTarget(name, array.rank, values, effect.read, effect.written, certain, always, update, polynomial)

    def _values(
        self, s: RawStatement, array: KnownArray, subscripts: tuple[Subscript, ...]
    ) -> tuple[Affine, ...] | None:
        if array.layout is not None and len(subscripts) == 1:
            return array.layout.values(s, subscripts[0])
        values = [v for subscript in subscripts if (v := subscript.affine or subscript.numbered) is not None]
        if len(values) != array.rank or len(subscripts) != array.rank:
            return None
        rows = [(isl_text(value), subscript.row) for value, subscript in zip(values, subscripts)]
        if not all(row is None or (row and self.facts.holds(s, f"0 <= {value} < {row}")) for value, row in rows):
            return None
        self.counted.update(*(subscript.counted for subscript in subscripts))
        return tuple(values)


def _unknown(effect: LvalueEffect, array: KnownArray) -> str | None:
    """Why the effect may reach more than the array it names."""
    variable = array.variable
    if variable is None:
        return None
    if variable.volatile:
        return f"`{variable.name}` is volatile"
    if effect.subscripts and not variable.alone:
        return f"`{variable.name}` may point into any array"
    declared = len(variable.shape)
    if len(effect.subscripts) < declared:
        return f"`{variable.name}` is used as a pointer"
    return (
        f"`{variable.name}` is subscripted further than it is declared" if len(effect.subscripts) > declared else None
    )


def _merged(targets: Sequence[AccessTarget]) -> list[AccessTarget]:
    """Equal accesses once, with all that is done to them."""
    merged: dict[tuple[object, ...], AccessTarget] = {}
    for t in targets:
        place = (t.array, t.values, t.certain, t.update, t.polynomial)
        before = merged.get(place, t)
        read, written = t.read or before.read, t.written or before.written
        always = not written or any(each.always for each in (t, before) if each.written)
        merged[place] = replace(t, read=read, written=written, always=always)
    return list(merged.values())
