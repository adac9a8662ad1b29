"""Contents of buffers before a launch, their layout in the arena, and their checks after it.

| part  | before a launch                                               | wrong after it if                        |
|-------|---------------------------------------------------------------|------------------------------------------|
| guard | one byte repeated, which reads as NaN or as -1                 | it changed: written out of bounds        |
| in    | `fill(i)`, else numbers drawn from the seed                    | it changed                               |
| inout | the same                                                       | it is not what the reference computes    |
| out   | poison, other than in the case before                         | the same                                 |
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.evaluators.gpu_run.protocol import Place
from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.harness.dialogue.report import describe_out_of_bounds
from tunepass.evaluators.harness.reference.drawing import drawn
from tunepass.evaluators.measure.tolerance import Array
from tunepass.expr.numpy_eval import evaluate
from tunepass.ir.gpu_call import INDEX, CalledBuffer
from tunepass.study.outcome import Failed

Bytes = NDArray[np.uint8]
PAGE = 4096  # every part of the arena begins at a multiple of it, as far as OpenCL aligns parts of buffers
LARGEST_GUARD = 1 << 20
GUARD_BYTE = 0xFF
POISON_BYTE = (0xA5, 0x5A)  # of integers, as in frontends/c/harness/runtime.h
POISON_REAL = -1234.5  # of pattern 1; NaN of pattern 0
POISON_HALF = 203.25
BUFFERS = 1 << 16  # streams of random numbers before those of a buffer's second number


@dataclass(frozen=True, slots=True)
class ContentsCase:
    """One set of contents: what inputs are drawn from, and which poison outputs hold."""

    seed: int
    pattern: int


@dataclass(frozen=True, slots=True)
class BufferLayout:
    """Layout of buffers. Two calls with the same buffers have the same layout, and may share the device's memory."""

    buffers: tuple[CalledBuffer, ...]
    places: tuple[Place, ...]
    size: int

    @classmethod
    def of(cls, buffers: Sequence[CalledBuffer]) -> BufferLayout:
        places, start = [], 0
        for buffer in buffers:
            guard = 0 if buffer.symbol or buffer.memory == "constant" else _pages(min(buffer.bytes, LARGEST_GUARD))
            name = buffer.name if buffer.symbol else ""
            place = Place(buffer.bytes, guard, start, buffer.direction != "in", name)
            places.append(place)
            start += _pages(place.whole)
        return cls(tuple(buffers), tuple(places), start)

    def image(self, case: ContentsCase) -> Bytes:
        """The arena before a launch, (size,)."""
        image = np.full(self.size, GUARD_BYTE, np.uint8)
        for number, (buffer, place) in enumerate(zip(self.buffers, self.places, strict=True)):
            values = contents(buffer, number, case)
            image[place.start + place.guard :][: place.size] = values.view(np.uint8)
        return image

    def fault(self, before: Bytes, after: Bytes) -> Failed | None:
        """Fault: a write of the kernel outside of its outputs."""
        for buffer, place in zip(self.buffers, self.places, strict=True):
            begin, end = place.start + place.guard, place.start + place.guard + place.size
            for zone in (slice(end, end + place.guard), slice(place.start, begin)):
                changed = np.flatnonzero(after[zone] != GUARD_BYTE)
                if changed.size:  # the one next to the buffer
                    byte = int(changed[0] if zone.start == end else changed[-1]) + zone.start - begin
                    words = (buffer.name, str(byte), str(buffer.count), str(buffer.element.bytes))
                    return Failed("out_of_bounds", describe_out_of_bounds(("out_of_bounds", *words)))
            if not place.written and not np.array_equal(after[begin:end], before[begin:end]):
                return Failed("wrong_result", f"wrote to {buffer.name}, which is an input")
        return None

    def outputs(self, after: Bytes, passed: Container[str] | None = None) -> tuple[Output, ...]:
        """Copies of the numbers that the kernel may have written, those of structs each by its own: of all buffers, or
        of those that were `passed`."""
        outputs = []
        for buffer, place in zip(self.buffers, self.places, strict=True):
            if place.written and (passed is None or buffer.symbol or buffer.name in passed):
                rows = after[place.start + place.guard :][: place.size].reshape(buffer.count, -1)
                outputs += _outputs(buffer, rows)
        return tuple(outputs)


def _outputs(buffer: CalledBuffer, rows: Bytes) -> list[Output]:
    """`rows` (count, bytes of an element)."""
    element = buffer.element
    if element.run:
        used = len(element.numbers) * np.dtype(element.run).itemsize
        return [Output(buffer.name, np.ascontiguousarray(rows[:, :used]).view(element.run).flatten())]
    columns = [rows[:, n.offset : n.offset + np.dtype(n.dtype).itemsize] for n in element.numbers]
    return [
        Output(f"{buffer.name}[].byte{number.offset}", np.ascontiguousarray(column).view(number.dtype).flatten())
        for number, column in zip(element.numbers, columns, strict=True)
    ]


def contents(buffer: CalledBuffer, number: int, case: ContentsCase) -> Bytes:
    """The bytes (count * bytes of an element,) of buffer `number` before a launch. What lies between the numbers of a
    struct is zero."""
    rows = np.zeros((buffer.count, buffer.element.bytes), np.uint8)
    for place, part in enumerate(buffer.element.numbers):
        dtype = np.dtype(part.dtype)
        values = _values(buffer, dtype, case, number + BUFFERS * place)
        rows[:, part.offset : part.offset + dtype.itemsize] = values.view(np.uint8).reshape(buffer.count, -1)
    return rows.reshape(-1)


def _values(buffer: CalledBuffer, dtype: np.dtype[np.generic], case: ContentsCase, stream: int) -> Array:
    """One number of each element, (count,)."""
    count = buffer.count
    if buffer.direction == "out":
        return poison(dtype, count, case.pattern)
    if buffer.fill is not None:
        index = np.arange(count, dtype=np.int64)
        values = np.broadcast_to(evaluate(buffer.fill, {INDEX: index}, count).values, count)
        return np.ascontiguousarray(values.astype(dtype))
    lo, hi = (buffer.lo or 0.0, 1.0 if buffer.hi is None else buffer.hi)
    if buffer.lo is None and buffer.hi is None:  # as frontends/c/harness/runtime.h
        lo, hi = (-1.0, 1.0) if dtype.kind == "f" else (0.0, 127.0 if dtype.itemsize == 1 else 255.0)
    return drawn(case.seed, stream, count, dtype, lo, hi)


def poison(dtype: np.dtype[np.generic], count: int, pattern: int) -> Array:
    if dtype.kind == "f":
        real = POISON_HALF if dtype.itemsize == 2 else POISON_REAL
        return np.full(count, real if pattern else np.nan, dtype)
    return np.full(count * dtype.itemsize, POISON_BYTE[pattern], np.uint8).view(dtype)


def _pages(size: int) -> int:
    return (size + PAGE - 1) // PAGE * PAGE
