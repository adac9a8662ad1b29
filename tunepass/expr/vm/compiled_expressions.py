"""Expressions compiled for the native virtual machine, which runs them over blocks of columns without the GIL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunepass._native import ffi, lib
from tunepass.diagnostics import ExpressionError
from tunepass.expr import numpy_eval
from tunepass.expr.domain import Domain
from tunepass.expr.interval.bounds import MAY_OVERFLOW
from tunepass.expr.nodes import BoolType, Expr, Name, OrderType, RealType
from tunepass.expr.numpy_eval import Columns, Evaluated
from tunepass.expr.numpy_ops import Array
from tunepass.expr.vm.code import Code, Instruction, Value, allocate
from tunepass.expr.vm.lookup_tables import Places, exact_bounds, tabulated
from tunepass.expr.vm.lowering import Lowered, Lowering

WORTH = 1 << 28  # operations on elements: about a tenth of a second, as long as tables take at most


class CompiledExpressions:
    """Several expressions as one program. `domains` are trusted: columns must lie within them.

    A name without a domain may be anything of its type, so its arithmetic is checked element by element. A program that
    has worked long enough reads from tables what depends on few names; its results do not change by a bit.
    """

    def __init__(self, exprs: Iterable[Expr], domains: Mapping[str, Domain] | None = None):
        self.exprs = tuple(exprs)
        self._domains = domains or {}
        self._plain = _Compiled(self.exprs, Lowering(self._domains))
        self._tabulated: _Compiled | None = None
        self._rows = 0

    @property
    def instructions(self) -> int:
        """How many operations a block runs when all values are wanted."""
        return len((self._tabulated or self._plain).values.code) // 5

    @property
    def code(self) -> list[Instruction]:
        """Every instruction in order, before any table; an operand is the number of an earlier one."""
        return self._plain.lowering.code

    @property
    def tables(self) -> list[int]:
        return self._plain.lowering.tables

    @property
    def inputs(self) -> tuple[Name, ...]:
        """The names read; `input` and `bool_column` instructions number them in this order."""
        return self._plain.names

    @property
    def checked(self) -> int:
        """How many expressions may be undefined somewhere: each has a column of where it is defined."""
        return sum(status is not None for _, status in self._plain.outputs)

    def tail(self) -> list[Instruction]:
        """What writes the values of every expression, then the columns of where they are defined."""
        return self._plain.value_tail()

    def run(self, columns: Columns, n: int) -> list[Array]:
        """The values (n,) of each expression; undefined ones are NaN in a Real, otherwise 0."""
        return [evaluated.values for evaluated in self.evaluate(columns, n)]

    def evaluate(self, columns: Columns, n: int) -> list[Evaluated]:
        """Values and where they are defined. Raises ExpressionError, with a span, where an integer overflows."""
        compiled = self._compiled(n)
        statuses = [status for _, status in compiled.outputs]
        values = [np.empty(n, numpy_eval.dtype_of(e.type)) for e in self.exprs]
        defined = [np.ones(n, np.bool_) if status is None else np.empty(n, np.bool_) for status in statuses]
        checked = [d for d, status in zip(defined, statuses) if status is not None]
        self._execute(compiled.values, compiled.names, columns, n, [*values, *checked])
        return [Evaluated(v, d) for v, d in zip(values, defined)]

    def satisfied(self, columns: Columns, n: int) -> NDArray[np.bool_]:
        """Mask of the rows in which all expressions, Booleans, are defined and true."""
        result = np.empty(n, np.bool_)
        compiled = self._compiled(n)
        self._execute(compiled.conjunction, compiled.names, columns, n, [result])
        return result

    def count(self, columns: Columns, n: int) -> int:
        """How many elements are satisfied."""
        return int(np.count_nonzero(self.satisfied(columns, n)))

    def _compiled(self, n: int) -> _Compiled:
        self._rows += n
        if self._tabulated is None and self._rows * len(self._plain.lowering.code) >= WORTH:
            self._tabulated = self._with_tables()
        return self._tabulated or self._plain

    def _with_tables(self) -> _Compiled:
        places = Places.of(self._plain.names, self._domains)
        if not any(len(v) for v in places.values):
            return self._plain
        exact = exact_bounds(self._plain.lowering, self.exprs, places)
        lowering = Lowering(self._domains, exact)
        compiled = _Compiled(self.exprs, lowering)
        compiled.places = Places.of(compiled.names, self._domains)
        return compiled

    def _execute(self, code: Code, names: Sequence[Name], columns: Columns, n: int, outputs: Sequence[Array]) -> None:
        arrays = [_column(name, columns, n) for name in names]
        buffers = [ffi.from_buffer(a) for a in arrays]
        results = [ffi.from_buffer(a) for a in outputs]
        inputs = [buffers[i] for i in code.inputs]
        stopped = lib.tp_vm_run(
            code.code_pointer,
            len(code.code) // 5,
            code.constant_pointer,
            code.constant_registers,
            ffi.new("void *[]", [*inputs, *buffers]),
            len(inputs),
            code.temporaries,
            ffi.new("void *[]", results),
            n,
        )
        if stopped == -2:
            raise MemoryError
        if stopped >= 0:
            row = {name.name: a[stopped : stopped + 1] for name, a in zip(names, arrays)}
            for e in self.exprs:
                numpy_eval.evaluate(e, row, 1)
            raise ExpressionError("an integer overflows")


class _Compiled:
    """Lowered expressions, and code for both ways to run them. With `places`, they read tables."""

    def __init__(self, exprs: Sequence[Expr], lowering: Lowering):
        self.exprs, self.lowering = exprs, lowering
        self.outputs: list[Lowered] = [lowering.lower(e) for e in exprs]
        self.names = tuple(lowering.inputs.values())
        self.places: Places | None = None

    @cached_property
    def values(self) -> Code:
        return self._finish(self.value_tail())

    @cached_property
    def conjunction(self) -> Code:
        return self._finish(self._conjunction_tail())

    def value_tail(self) -> list[Instruction]:
        lower, tail = self.lowering, list[Instruction]()
        checked = len(self.exprs)
        for k, (e, (value, status)) in enumerate(zip(self.exprs, self.outputs)):
            if status is not None:
                tail += self._stop(e, status)
                fine = lower.emit("is_zero", status)
                tail.append(("out_bool", fine, checked, 0))
                checked += 1
                nothing = lower.constant(float("nan") if isinstance(e.type, RealType) else 0)
                value = lower.emit("select", fine, value, nothing)
            tail.append(("out_bool" if isinstance(e.type, BoolType) else "out", value, k, 0))
        return tail

    def _conjunction_tail(self) -> list[Instruction]:
        lower, tail = self.lowering, list[Instruction]()
        result = lower.constant(True)
        for e, (value, status) in zip(self.exprs, self.outputs):
            if status is not None:
                tail += self._stop(e, status)
                value = lower.emit("and", value, lower.emit("is_zero", status))
            result = value if result == lower.constant(True) else lower.emit("and", result, value)
        return [*tail, ("out_bool", result, 0, 0)]

    def _stop(self, e: Expr, status: Value) -> list[Instruction]:
        may_overflow = self.lowering.bounds[id(e)].flags & MAY_OVERFLOW
        return [("stop_at_overflow", status, 0, 0)] if may_overflow else []

    def _finish(self, tail: list[Instruction]) -> Code:
        if self.places is None:
            return allocate(self.lowering.code, tail, self.lowering.tables, len(self.names))
        code, rest, tables = tabulated(self.lowering, tail, self.places)
        return allocate(code, rest, tables, len(self.names))


def _column(name: Name, columns: Columns, n: int) -> Array:
    column = columns.get(name.name)
    if type(column) is np.ndarray and column.dtype == numpy_eval.dtype_of(name.type) and column.flags.c_contiguous:
        shape = (n, len(name.type.items)) if isinstance(name.type, OrderType) else (n,)
        if column.shape == shape:
            return column
    return np.ascontiguousarray(numpy_eval.columns_of(name, columns, n))
