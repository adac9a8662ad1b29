"""A dense interpreter of tensor expressions, and dense arrays stored by a format: what generated C must equal."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tunepass.ir.tensor import Access, Assignment, Binary, Format, Negation, Number, TensorExpr

Dense = Mapping[str, np.ndarray]


def interpret(assignment: Assignment, arrays: Dense, extents: Mapping[str, int]) -> np.ndarray:
    """The left side's values over its index variables, with what it held before where it accumulates."""
    left = assignment.left
    value = Named(extents, arrays).value(assignment.right, frozenset(left.index))
    value = np.broadcast_to(value.over(left.index, extents), tuple(extents[v] for v in left.index))
    return value + arrays[left.tensor] if assignment.accumulates else value


@dataclass(frozen=True)
class Axes:
    """An array and the index variables of its axes."""

    array: np.ndarray
    names: tuple[str, ...]

    def over(self, names: tuple[str, ...], extents: Mapping[str, int]) -> np.ndarray:
        array = np.transpose(self.array, [self.names.index(n) for n in names if n in self.names])
        return array.reshape([extents[n] if n in self.names else 1 for n in names])

    def summed(self, keep: frozenset[str]) -> Axes:
        """Over all axes but `keep`."""
        gone = tuple(axis for axis, name in enumerate(self.names) if name not in keep)
        return Axes(self.array.sum(axis=gone), tuple(n for n in self.names if n in keep))


@dataclass(frozen=True)
class Named:
    extents: Mapping[str, int]
    arrays: Dense

    def value(self, expression: TensorExpr, keep: frozenset[str]) -> Axes:
        """Summed over all index variables that nothing outside uses: `keep` are those used there."""
        match expression:
            case Number(number):
                return Axes(np.array(number), ())
            case Access(tensor, index):
                return Axes(self.arrays[tensor], index).summed(keep)
            case Negation(operand):
                inner = self.value(operand, keep)
                return Axes(-inner.array, inner.names)
            case Binary("+" | "-" as operator, left, right):
                return self.joined(operator, self.value(left, keep), self.value(right, keep))
            case Binary(operator, left, right):
                a = self.value(left, keep | used(right))
                b = self.value(right, keep | used(left))
                return self.joined(operator, a, b).summed(keep)

    def joined(self, operator: str, a: Axes, b: Axes) -> Axes:
        names = tuple(dict.fromkeys((*a.names, *b.names)))
        x, y = a.over(names, self.extents), b.over(names, self.extents)
        function = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[operator]
        return Axes(function(x, y), names)


def used(expression: TensorExpr) -> frozenset[str]:
    match expression:
        case Access(_, index):
            return frozenset(index)
        case Negation(operand):
            return used(operand)
        case Binary(_, left, right):
            return used(left) | used(right)
    return frozenset()


@dataclass(frozen=True)
class Stored:
    """Level arrays of a tensor: `pos` and `crd` of compressed levels, and for each value the coordinates (by mode)."""

    pos: Mapping[int, list[int]]
    crd: Mapping[int, list[int]]
    where: list[tuple[int, ...]]

    def values(self, array: np.ndarray) -> list[float]:
        return [array[coordinates] for coordinates in self.where]


def store(pattern: np.ndarray, format: Format) -> Stored:
    """`pattern` is true where a number is stored."""
    order = format.order
    entries = sorted(tuple(int(entry[mode]) for mode in order) for entry in np.argwhere(pattern))
    below: dict[tuple[int, ...], list[int]] = {}
    for entry in entries:
        for level, coordinate in enumerate(entry):
            children = below.setdefault(entry[:level], [])
            if not children or children[-1] != coordinate:
                children.append(coordinate)
    nodes: list[tuple[int, ...]] = [()]
    pos: dict[int, list[int]] = {}
    crd: dict[int, list[int]] = {}
    for level, kind in enumerate(format.levels):
        children_of = below.get if kind == "compressed" else always(range(pattern.shape[order[level]]))
        lists = [list(children_of(node) or ()) for node in nodes]
        if kind == "compressed":
            pos[level] = [0, *itertools.accumulate(len(children) for children in lists)]
            crd[level] = [child for children in lists for child in children]
        nodes = [(*node, child) for node, children in zip(nodes, lists, strict=True) for child in children]
    inverse = [order.index(mode) for mode in range(len(order))]
    return Stored(pos, crd, [tuple(node[level] for level in inverse) for node in nodes])


def always(children: range) -> Callable[[tuple[int, ...]], range]:
    return lambda node: children
