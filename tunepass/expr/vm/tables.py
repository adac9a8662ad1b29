"""Tables of the machine's values over the products of the few names that each depends on.

    axes(v)  the places, in `names`, of the names that instruction v depends on
    table    the values of v over the product of axes(v), the last one fastest
    run      elements that differ only in the fastest name; what does not depend on it is evaluated once a run

A table is filled by the machine's own instructions, so what is read from it is bit-equal to what they compute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass._native import ffi, lib
from tunepass.expr.numpy_ops import Array
from tunepass.expr.vm.code import OPERANDS, Code, Instruction, Value, allocate

LARGEST_TABLE = 1 << 20  # elements
BLOCK = 256  # elements the machine handles at once
COLUMN_OF = {"order_column": 0, "order_at": 1, "order_find": 1}  # the operand that is a column's number
Axes = frozenset[int]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Table:
    axes: tuple[int, ...]
    values: Array  # 8-byte elements, flat


@dataclass(frozen=True, slots=True)
class ProductPart:
    """Code for elements of a product, the values it reads from tables, and those that `once` gives for each run."""

    code: Code
    inputs: tuple[Value, ...]
    once: ProductPart | None
    repeated: tuple[Value, ...]  # what `once` writes, in its order


def dependences(code: Sequence[Instruction], axis_of_input: Sequence[Axes]) -> list[Axes]:
    """axes(v) of every instruction; `axis_of_input` has those of the columns."""
    axes: list[Axes] = []
    for op, *words in code:
        if op in ("input", "bool_column"):
            axes.append(axis_of_input[words[0]])
        else:
            operand_axes = [axes[w] for w in words[: OPERANDS[op]]]
            if op in COLUMN_OF:
                operand_axes.append(axis_of_input[words[COLUMN_OF[op]]])
            axes.append(frozenset().union(*operand_axes))
    return axes


class Tables:
    """The tables of `code`, made when they are first asked for. `values` are the columns of the names' domains."""

    def __init__(
        self,
        code: Sequence[Instruction],
        constants: Sequence[int] | NDArray[np.int64],
        axes: Sequence[Axes],
        values: Sequence[Array],
    ):
        self.code, self.constants, self.axes, self.values = code, constants, axes, values
        self.shape = tuple(len(v) for v in values)
        self._made: dict[Value, Table] = {}

    def size(self, axes: Axes) -> int:
        return math.prod(self.shape[i] for i in axes)

    def of(self, value: Value) -> Table:
        if value not in self._made:
            self._made[value] = self._make(value)
        return self._made[value]

    def split(self, tail: list[Instruction], axes: tuple[int, ...], by_run: bool = True) -> ProductPart:
        """What `tail` needs over the product of `axes`. `by_run`: what the last axis does not change is cut off too."""
        cut, repeated = list[Value](), list[Value]()
        seen: set[Value] = set()
        pending = [word for op, *words in tail for word in words[: OPERANDS[op]]]
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            op, *words = self.code[value]
            value_axes = self.axes[value]
            small = value_axes < frozenset(axes) and self.size(value_axes) <= LARGEST_TABLE
            if op in ("input", "bool_column") or (value_axes and small):
                self.of(value)
                cut.append(value)
            elif by_run and value_axes and axes[-1] not in value_axes:
                repeated.append(value)
            else:
                pending += words[: OPERANDS[op]]
        every = [*cut, *repeated]
        place = {value: k for k, value in enumerate(every)}
        code = [("input", place[v], 0, 0) if v in place else one for v, one in enumerate(self.code)]
        allocation = allocate(code, tail, self.constants, len(place))
        once = [("out", value, k, 0) for k, value in enumerate(repeated)]
        return ProductPart(
            allocation,
            tuple(every[i] for i in allocation.inputs),
            self.split(once, axes, False) if once else None,
            tuple(repeated),
        )

    def run(self, part: ProductPart, axes: tuple[int, ...], first: int, n: int, outputs: Sequence[Array]) -> int:
        """Elements first .. first + n - 1 of the product of `axes`, whole runs. Where an output overflows, or -1."""
        shape = tuple(self.shape[i] for i in axes)
        length = shape[-1] if shape else 1
        runs = n // length
        at = np.unravel_index(first // length + np.arange(runs), shape[:-1]) if len(shape) > 1 else ()
        place = {axis: at[k] for k, axis in enumerate(axes[:-1])}
        sources = {}
        if part.once is not None:
            buffers = [np.empty(runs, np.int64) for _ in part.repeated]
            views = [self._view(v, place, axes[-1], runs) for v in part.once.inputs]
            _machine(part.once.code, views, buffers, 1, runs)
            sources = {v: _View(m, np.arange(runs), False) for v, m in zip(part.repeated, buffers)}
        views = [sources.get(v) or self._view(v, place, axes[-1], runs) for v in part.inputs]
        return _machine(part.code, views, outputs, length, runs)

    def _make(self, value: Value) -> Table:
        op = self.code[value][0]
        axes = tuple(sorted(self.axes[value]))
        if op in ("input", "bool_column"):
            values = self.values[axes[0]]
            wide = values if values.dtype == np.float64 else values.astype(np.int64)
            return Table(axes, np.ascontiguousarray(wide))
        result = np.empty(math.prod(self.shape[i] for i in axes), np.int64)
        self.run(self.split([("out", value, 0, 0)], axes), axes, 0, len(result), [result])
        return Table(axes, result)

    def _view(self, value: Value, place: Mapping[int, Ints], fastest: int, runs: int) -> _View:
        table = self.of(value)
        offsets, stride = np.zeros(runs, np.int64), 1
        for axis in reversed(table.axes):
            if axis != fastest:
                offsets += place[axis] * stride
            stride *= self.shape[axis]
        return _View(table.values, offsets, fastest in table.axes)


@dataclass(frozen=True, slots=True)
class _View:
    """Where each run starts in a table, and whether it goes on from there or stays."""

    values: Array
    offsets: Ints
    inner: bool


def _machine(code: Code, views: Sequence[_View], outputs: Sequence[Array], length: int, runs: int) -> int:
    """Run the code; the element at which an output overflows, or -1."""
    offsets = np.stack([v.offsets for v in views]) if views else np.zeros((1, runs), np.int64)
    inner = np.array([v.inner for v in views] or [False], np.uint8)
    buffers = [ffi.from_buffer("int64_t[]", v.values) for v in views]
    results = [ffi.from_buffer(a) for a in outputs]
    stopped: int = lib.tp_vm_views(
        code.code_pointer,
        len(code.code) // 5,
        code.constant_pointer,
        code.constant_registers,
        ffi.new("int64_t *[]", buffers or [ffi.NULL]),
        ffi.from_buffer("int64_t[]", offsets),
        ffi.from_buffer("uint8_t[]", inner),
        len(views),
        code.temporaries,
        ffi.new("void *[]", results),
        length,
        runs,
        BLOCK,
    )
    if stopped == -2:
        raise MemoryError
    return stopped
