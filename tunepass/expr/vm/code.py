"""Straight-line instructions as the machine's words: what nothing needs is dropped, the rest gets registers."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass._native import ffi, lib

Value = int
Instruction = tuple[str, int, int, int]
COMMUTATIVE = {"add", "mul", "eq", "ne", "and", "or", "add_real", "mul_real", "eq_real", "ne_real", "add_check"}
TABLE_STEP = {"lookup": 1, "take": 1, "take_int": 2}  # elements of a table beside one constant, 8 bytes
_LISTED = [line.split() for line in ffi.string(lib.tp_vm_operations()).decode().splitlines()]
_NUMBER = {name: number for number, (name, _) in enumerate(_LISTED)}
OPERANDS = {name: int(operands) for name, operands in _LISTED} | {"input": 0, "constant": 0}


class Emitter:
    """Collects instructions. Operands that are registers come first in an instruction, immediates after."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.tables: list[int] = []
        self.known: dict[Value, bool | int | float] = {}  # the values of constants
        self._numbers: dict[Instruction, Value] = {}

    def emit(self, op: str, a: int = 0, b: int = 0, c: int = 0) -> Value:
        if b < a and op in COMMUTATIVE:
            a, b = b, a
        instruction = (op, a, b, c)
        number = self._numbers.get(instruction)
        if number is None:
            number = self._numbers[instruction] = len(self.code)
            self.code.append(instruction)
        return number

    def constant(self, value: bool | int | float) -> Value:
        bits = struct.unpack("q", struct.pack("d", value))[0] if isinstance(value, float) else int(value)
        number = self.emit("constant", bits, int(isinstance(value, float)))
        self.known[number] = value
        return number


@dataclass(frozen=True, slots=True)
class Code:
    """Machine words and what they need. Registers: `inputs` read in place, constants, temporaries."""

    code: array[int]
    constants: NDArray[np.int64]
    constant_registers: int
    inputs: tuple[int, ...]
    temporaries: int
    code_pointer: object
    constant_pointer: object


def renumbered(instruction: Instruction, new: Callable[[Value], Value]) -> Instruction:
    """The same instruction on other registers."""
    op, *words = instruction
    a, b, c = (new(w) if i < OPERANDS[op] else w for i, w in enumerate(words))
    return op, a, b, c


def allocate(
    code: Sequence[Instruction], tail: Sequence[Instruction], tables: Sequence[int] | NDArray[np.int64], columns: int
) -> Code:
    """Drop what `tail` does not need, and give the rest registers by linear scan."""
    last = last_uses(code, tail)
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
        elif op in TABLE_STEP:
            b += len(constants) * TABLE_STEP[op]
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
    constant_values = np.array([*(code[v][1] for v in constants), 0], np.int64)
    pool = np.concatenate([constant_values[:-1], np.asarray(tables, np.int64), constant_values[-1:]])
    return Code(
        words,
        pool,
        len(constants),
        tuple(code[v][1] for v in inputs),
        top - fixed,
        ffi.from_buffer("int32_t[]", words),
        ffi.from_buffer("int64_t[]", pool),
    )


def last_uses(code: Sequence[Instruction], tail: Sequence[Instruction]) -> dict[Value, int]:
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
