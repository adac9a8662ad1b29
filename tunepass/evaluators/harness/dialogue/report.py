"""Reports of a generated harness: the reading side of the protocol in frontends/c/harness/source.py.

The harness shares its process with the kernel, so any line may be the kernel's: each is held to its form and bounds.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.measure.timing import Sample

FORMS = {
    word: re.compile(form)
    for word, form in {
        "case": r"case (\d{1,4})",
        "uncompared": r"uncompared (\S{1,200})",
        "left": r"left (rounding|flushing|traps|x87_control|x87_registers)",
        "unchanged": r"unchanged (\d{1,15})",
        "repeated": r"repeated (\d{1,9})",
        "array": r"array (\S{1,200}) ([fiub]\d{1,2}) (\d{1,15})",
        "log": r"log (\d{1,20}) (\d{1,15}) ([1-9]\d{0,9})",
        "place": r"place (\d{1,20}) (\d{1,15})",
        "pool": r"pool ([1-9]\d{0,3})",
        "set": r"set (\d{1,20}) (\d{1,20}) (\d{1,15}) (\d{1,15})",
        "sample": r"sample (\S{1,30}) (\d{1,15}) (\S{1,30}) (\S{1,30})",
        "fault": r"fault (?:(out_of_bounds) (\S{1,200}) (-?\d{1,18}) (\d{1,15}) ([1-9]\d{0,3})"
        r"|(read_only) (\S{1,200})|(stack)|(thrown) (.{1,400})|(setup) (.{1,400}))",
        "refused": r"refused (\d{1,40})",
        "error": r"error (.{1,500})",
    }.items()
}
LONGEST_S = 1e6  # that any duration in a report may be


class ForgedReport(Exception):
    """A report that no harness writes; the message says why."""


@dataclass(frozen=True, slots=True)
class ArrayShape:
    """An out or inout array: NumPy's type (`f8`) and the number of elements."""

    name: str
    dtype: str
    count: int

    @property
    def numpy(self) -> np.dtype[np.generic]:
        return np.dtype("?" if self.dtype == "b1" else self.dtype)

    @property
    def bytes(self) -> int:
        return self.numpy.itemsize * self.count


@dataclass(frozen=True, slots=True)
class Log:
    """Memory of a program with the outputs of `slots` calls, one call's every `stride` bytes."""

    address: int
    stride: int
    slots: int


@dataclass(frozen=True, slots=True)
class PooledOutput:
    """An output in each of several sets of arrays: its address in set 0, and in set 1, those of the next ones by
    `stride`."""

    zeroth: int
    first: int
    stride: int
    bytes: int

    def address(self, number: int) -> int:
        """In that set."""
        return self.first + (number - 1) * self.stride if number else self.zeroth


@dataclass(frozen=True, slots=True)
class Layout:
    """Stride and slots of the log, number of outputs that are read where they lie, sets of arrays, and bytes of each
    output in a set: the same in every program of a kernel, since its arrays alone decide them."""

    log: tuple[int, int] | None = None
    places: int = 0
    pool_sets: int = 0
    pooled: tuple[int, ...] = ()


@dataclass(slots=True, kw_only=True)
class Report:
    """Grows line by line while the program runs."""

    cases: list[list[ArrayShape]] = field(
        default_factory=list
    )  # of each case of mode=check; of other modes there is one
    uncompared: list[str] = field(default_factory=list)  # places of which some memory has no known length
    left: list[str] = field(default_factory=list)  # of the processor's state, what calls left changed for their caller
    unchanged: dict[int, int] = field(default_factory=dict)  # by case, elements that a call left as they were
    repeated: int = 0  # calls that were alike
    samples: list[Sample] = field(default_factory=list)
    log: Log | None = None
    places: list[tuple[int, int]] = field(
        default_factory=list
    )  # address and bytes of each output, where there is no log
    pool_sets: int = 0  # sets of arrays of which each call of an order can have one
    pooled: list[PooledOutput] = field(default_factory=list)
    fault: tuple[
        str, ...
    ] = ()  # out_of_bounds NAME BYTE COUNT SIZE | read_only NAME | stack | thrown WORDS | setup WORDS
    refused_bytes: int | None = None
    error: str = ""
    done: bool = False

    @property
    def arrays(self) -> list[ArrayShape]:
        return self.cases[0] if self.cases else []

    @property
    def layout(self) -> Layout:
        log, sizes = self.log, [each.bytes for each in self.pooled]
        return Layout((log.stride, log.slots) if log else None, len(self.places), self.pool_sets, tuple(sizes))

    def add(self, line: str) -> None:
        """Take a line in. Raises ForgedReport for one out of form or bounds."""
        word = line.partition(" ")[0]
        match = FORMS[word].fullmatch(line) if word in FORMS else None
        if match is None:
            raise ForgedReport(f"the line {line[:80]!r} is none of the harness's")
        words = [text for text in match.groups() if text is not None]
        match word:
            case "case":
                self.cases.append([])
            case "array":
                self.cases = self.cases or [[]]
                self.cases[-1].append(_shape(*words))
            case "uncompared":
                self.uncompared.append(words[0])
            case "left":
                self.left.append(words[0])
            case "repeated":
                self.repeated = int(words[0])
            case "unchanged":
                self.unchanged[len(self.cases) - 1] = int(words[0])
            case "log":
                self.log = Log(*(int(text) for text in words))
            case "place":
                self.places.append((int(words[0]), int(words[1])))
            case "pool":
                self.pool_sets = int(words[0])
            case "set":
                self.pooled.append(PooledOutput(*(int(text) for text in words)))
            case "sample":
                self.samples.append(_sample(*words))
            case "fault":
                self.fault = self.fault or tuple(words)
            case "refused":
                self.refused_bytes = max(self.refused_bytes or 0, int(words[0]))
            case "error":
                self.error = words[0]


def _shape(name: str, dtype: str, count: str) -> ArrayShape:
    shape = ArrayShape(name, dtype, int(count))
    try:
        shape.numpy  # noqa: B018 - is there such a type?
    except TypeError:
        raise ForgedReport(f"no array has elements of type {dtype}") from None
    return shape


def _sample(seconds: str, interruptions: str, calibration: str, waited: str) -> Sample:
    sample = Sample(_duration(seconds), int(interruptions), _duration(calibration), _duration(waited))
    if sample.seconds == 0 or sample.calibration_s == 0:
        raise ForgedReport("a sample of no duration")
    return sample


def _duration(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= LONGEST_S:
        raise ForgedReport(f"{text[:30]!r} is no duration")
    return seconds


def shapes(outputs: Sequence[Output]) -> tuple[ArrayShape, ...]:
    """Shapes of these outputs, as a harness reports them."""
    return tuple(ArrayShape(o.name, f"{o.values.dtype.kind}{o.values.dtype.itemsize}", len(o.values)) for o in outputs)


def read_cases(file: int, cases: Sequence[Sequence[ArrayShape]], calls: int) -> list[tuple[tuple[Output, ...], ...]]:
    """For each case the arrays after each of its calls, from the start of an open file. Raises ForgedReport for a file
    of another size."""
    sizes, size = [sum(array.bytes for array in arrays) for arrays in cases], os.fstat(file).st_size
    if size != calls * sum(sizes):
        raise ForgedReport(f"{size} bytes of results where {calls * sum(sizes)} are due")
    outputs, start = [], 0
    for arrays, a_call in zip(cases, sizes, strict=True):
        outputs.append(tuple(_one_call(file, arrays, a_call, start + call * a_call) for call in range(calls)))
        start += calls * a_call
    return outputs


def _one_call(file: int, arrays: Sequence[ArrayShape], size: int, offset: int) -> tuple[Output, ...]:
    raw = bytearray(size)
    view, got = memoryview(raw), 0
    while got < size:
        read = os.preadv(file, [view[got:]], offset + got)
        if read == 0:
            raise ToolError("the file of the results became shorter while it was read")
        got += read
    return outputs_of(arrays, raw)


def outputs_of(arrays: Sequence[ArrayShape], raw: bytes | bytearray) -> tuple[Output, ...]:
    """Arrays from the bytes of one behind the other."""
    outputs, at = [], 0
    for array in arrays:
        outputs.append(Output(array.name, np.frombuffer(raw, array.numpy, array.count, at)))
        at += array.bytes
    return tuple(outputs)


def describe_out_of_bounds(fault: tuple[str, ...]) -> str:
    """`out_of_bounds NAME BYTE COUNT SIZE` in words."""
    _, name, byte_text, count_text, size_text = fault
    byte, count, size = int(byte_text), int(count_text), int(size_text)
    index = byte // size
    where = f"{-index} before its start" if index < 0 else f"{index - count + 1} past its end"
    return f"touched {name}[{index}], {where}: {name} has {count} elements"
