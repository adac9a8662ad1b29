"""Expressions compiled for the native virtual machine, which runs them over blocks of columns without the GIL."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass._native import ffi, lib
from tunepass.diagnostics import ExpressionError
from tunepass.expr import numpy_eval
from tunepass.expr.interval import Box
from tunepass.expr.interval_ops import MAY_OVERFLOW
from tunepass.expr.lowering import Instruction, Lowered, Lowering, Value
from tunepass.expr.nodes import Bool, Expr, Name, Order, Real
from tunepass.expr.numpy_eval import Columns, Evaluated
from tunepass.expr.numpy_ops import Array

_LISTED = [line.split() for line in ffi.string(lib.tp_vm_operations()).decode().splitlines()]
_NUMBER = {name: number for number, (name, _) in enumerate(_LISTED)}
OPERANDS = {name: int(operands) for name, operands in _LISTED} | {"input": 0, "constant": 0}


class Program:
    """Several expressions as one program. `domains` are trusted: columns must lie within them.

    A name without a domain may be anything of its type, so its arithmetic is checked element by element.
    """

    def __init__(self, exprs: Iterable[Expr], domains: Box | None = None):
        self.exprs = tuple(exprs)
        self._lowering = Lowering(domains or {})
        self._outputs: list[Lowered] = [self._lowering.lower(e) for e in self.exprs]
        self._names = tuple(self._lowering.inputs.values())
        self._values: Code | None = None
        self._conjunction: Code | None = None

    @property
    def instructions(self) -> int:
        """How many operations a block runs when all values are wanted."""
        return len(self._value_code().code) // 5

    @property
    def code(self) -> list[Instruction]:
        """Every instruction in order; an operand is the number of an earlier one."""
        return self._lowering.code

    @property
    def tables(self) -> list[int]:
        return self._lowering.tables

    @property
    def inputs(self) -> tuple[Name, ...]:
        """The names read; `input` and `bool_column` instructions number them in this order."""
        return self._names

    @property
    def checked(self) -> int:
        """How many expressions may be undefined somewhere: each has a column of where it is defined."""
        return sum(status is not None for _, status in self._outputs)

    def tail(self) -> list[Instruction]:
        """What writes the values of every expression, then the columns of where they are defined."""
        return self._value_tail()

    def run(self, columns: Columns, n: int) -> list[Array]:
        """The values (n,) of each expression; undefined ones are NaN in a Real, otherwise 0."""
        return [found.values for found in self.evaluate(columns, n)]

    def evaluate(self, columns: Columns, n: int) -> list[Evaluated]:
        """Values and where they are defined. Raises ExpressionError, with a span, where an integer overflows."""
        values = [np.empty(n, numpy_eval.dtype_of(e.type)) for e in self.exprs]
        defined = [np.ones(n, np.bool_) if status is None else np.empty(n, np.bool_) for _, status in self._outputs]
        checked = [d for d, (_, status) in zip(defined, self._outputs) if status is not None]
        self._execute(self._value_code(), columns, n, [*values, *checked])
        return [Evaluated(v, d) for v, d in zip(values, defined)]

    def satisfied(self, columns: Columns, n: int) -> NDArray[np.bool_]:
        """Where all expressions, Booleans, are defined and true."""
        result = np.empty(n, np.bool_)
        if self._conjunction is None:
            self._conjunction = self._finish(self._conjunction_tail())
        self._execute(self._conjunction, columns, n, [result])
        return result

    def count(self, columns: Columns, n: int) -> int:
        """How many elements are satisfied."""
        return int(np.count_nonzero(self.satisfied(columns, n)))

    def _value_code(self) -> Code:
        if self._values is None:
            self._values = self._finish(self._value_tail())
        return self._values

    def _value_tail(self) -> list[Instruction]:
        lower, tail = self._lowering, list[Instruction]()
        checked = len(self.exprs)
        for k, (e, (value, status)) in enumerate(zip(self.exprs, self._outputs)):
            if status is not None:
                tail += self._stop(e, status)
                fine = lower.emit("is_zero", status)
                tail.append(("out_bool", fine, checked, 0))
                checked += 1
                nothing = lower.constant(float("nan") if isinstance(e.type, Real) else 0)
                value = lower.emit("select", fine, value, nothing)
            tail.append(("out_bool" if isinstance(e.type, Bool) else "out", value, k, 0))
        return tail

    def _conjunction_tail(self) -> list[Instruction]:
        lower, tail = self._lowering, list[Instruction]()
        result = lower.constant(True)
        for e, (value, status) in zip(self.exprs, self._outputs):
            if status is not None:
                tail += self._stop(e, status)
                value = lower.emit("and", value, lower.emit("is_zero", status))
            result = value if result == lower.constant(True) else lower.emit("and", result, value)
        return [*tail, ("out_bool", result, 0, 0)]

    def _stop(self, e: Expr, status: Value) -> list[Instruction]:
        may_overflow = self._lowering.cells[id(e)][2] & MAY_OVERFLOW
        return [("stop_at_overflow", status, 0, 0)] if may_overflow else []

    def _finish(self, tail: list[Instruction]) -> Code:
        return allocate(self._lowering.code, tail, self._lowering.tables, len(self._names))

    def _execute(self, code: Code, columns: Columns, n: int, outputs: Sequence[Array]) -> None:
        arrays = [_column(name, columns, n) for name in self._names]
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
            at = {name.name: a[stopped : stopped + 1] for name, a in zip(self._names, arrays)}
            for e in self.exprs:
                numpy_eval.evaluate(e, at, 1)
            raise ExpressionError("an integer overflows")


def _column(name: Name, columns: Columns, n: int) -> Array:
    column = columns.get(name.name)
    if type(column) is np.ndarray and column.dtype == numpy_eval.dtype_of(name.type) and column.flags.c_contiguous:
        shape = (n, len(name.type.items)) if isinstance(name.type, Order) else (n,)
        if column.shape == shape:
            return column
    return np.ascontiguousarray(numpy_eval.columns_of(name, columns, n))


@dataclass(frozen=True, slots=True)
class Code:
    """Machine words and what they need. Registers: `inputs` read in place, constants, temporaries."""

    code: array[int]
    constants: array[int]
    constant_registers: int
    inputs: tuple[int, ...]
    temporaries: int
    code_pointer: object
    constant_pointer: object


def allocate(code: list[Instruction], tail: list[Instruction], tables: list[int], columns: int) -> Code:
    """Drop what `tail` does not need, and give the rest registers by linear scan."""
    last = _last_uses(code, tail)
    live = sorted(last)
    inputs = [v for v in live if code[v][0] == "input"]
    constants = [v for v in live if code[v][0] == "constant"]
    fixed = len(inputs) + len(constants)
    register = {v: i for i, v in enumerate([*inputs, *constants])}
    dying: dict[int, list[Value]] = {}
    for value, at in last.items():
        if value not in register:
            dying.setdefault(at, []).append(value)
    words, free, top = array("i"), list[int](), fixed
    column_shift = len(inputs)  # the pointers of columns follow those of the registers read in place
    for at, (op, a, b, c) in [*((v, code[v]) for v in live), *((len(code) + i, t) for i, t in enumerate(tail))]:
        if op in ("input", "constant"):
            continue
        operands = OPERANDS[op]
        a = register[a] if operands > 0 else a + column_shift
        if operands == 1 and op in ("order_at", "order_find"):
            b += column_shift
        elif op == "lookup":
            b += len(constants)
        b = register[b] if operands > 1 else b
        c = register[c] if operands > 2 else c
        free += [register[v] for v in dying.get(at, ())]
        target = -1
        if at < len(code):
            if free:
                target = free.pop()
            else:
                target, top = top, top + 1
            register[at] = target
        words.extend((_NUMBER[op], target, a, b, c))
    pool = array("q", [*(code[v][1] for v in constants), *tables, 0])
    return Code(
        words,
        pool,
        len(constants),
        tuple(code[v][1] for v in inputs),
        top - fixed,
        ffi.from_buffer("int32_t[]", words),
        ffi.from_buffer("int64_t[]", pool),
    )


def _last_uses(code: list[Instruction], tail: list[Instruction]) -> dict[Value, int]:
    """For every value that is needed, the number of the last instruction that reads it."""
    last: dict[Value, int] = {}
    for i in range(len(tail) - 1, -1, -1):
        last.setdefault(tail[i][1], len(code) + i)
    for i in range(len(code) - 1, -1, -1):
        if i in last:
            op, *words = code[i]
            for operand in words[: OPERANDS[op]]:
                last.setdefault(operand, i)
    return last
