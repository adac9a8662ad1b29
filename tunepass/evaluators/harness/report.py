"""What a generated harness reported: the reading side of the protocol in frontends/c/harness/source.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.measure.timing import Sample


@dataclass(frozen=True, slots=True)
class ArrayShape:
    """An out or inout array: NumPy's type (`f8`) and the number of elements."""

    name: str
    dtype: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    cases: tuple[tuple[ArrayShape, ...], ...] = ()  # the arrays of each case of mode=check; of other modes there is one
    unchanged: Mapping[int, int] = field(default_factory=dict)  # by case, elements that a call left as they were
    samples: tuple[Sample, ...] = ()
    fault: tuple[str, ...] = ()  # out_of_bounds NAME BYTE COUNT SIZE | read_only NAME | stack
    refused_bytes: int | None = None
    calls_per_sample: int = 1
    cut: bool = False
    error: str = ""
    done: bool = False

    @property
    def arrays(self) -> tuple[ArrayShape, ...]:
        return self.cases[0] if self.cases else ()


def read_report(path: Path) -> Report:
    """The report file; an unfinished or missing one is a Report that is not `done`."""
    cases: list[list[ArrayShape]] = []
    unchanged: dict[int, int] = {}
    samples: list[Sample] = []
    fault: tuple[str, ...] = ()
    refused: int | None = None
    inner, cut, error, done = 1, False, "", False
    text = path.read_text(errors="replace") if path.exists() else ""
    for line in text.splitlines():
        match line.split():
            case ["array", name, dtype, count]:
                cases = cases or [[]]
                cases[-1].append(ArrayShape(name, dtype, int(count)))
            case ["case", _]:
                cases.append([])
            case ["unchanged", count]:
                unchanged[len(cases) - 1] = int(count)
            case ["sample", seconds, interruptions, calibration, waited]:
                samples.append(Sample(float(seconds), int(interruptions), float(calibration), float(waited)))
            case ["fault", *words]:
                fault = fault or tuple(words)
            case ["refused", size]:
                refused = max(refused or 0, int(size))
            case ["plan", calls, _]:
                inner = int(calls)
            case ["cut", _]:
                cut = True
            case ["error", *words]:
                error = " ".join(words)
            case ["done"]:
                done = True
    return Report(
        cases=tuple(tuple(arrays) for arrays in cases),
        unchanged=unchanged,
        samples=tuple(samples),
        fault=fault,
        refused_bytes=refused,
        calls_per_sample=inner,
        cut=cut,
        error=error,
        done=done,
    )


def read_outputs(path: Path, arrays: tuple[ArrayShape, ...]) -> tuple[tuple[Output, ...], ...]:
    """The arrays after each call. Raises ToolError when the file does not hold a whole number of calls."""
    raw = path.read_bytes()
    a_call = sum(_bytes(array) for array in arrays)
    if a_call == 0:
        return ((),)
    if not raw or len(raw) % a_call:
        raise ToolError(f"the harness wrote {len(raw)} bytes of results where a multiple of {a_call} was expected")
    return tuple(_read_call(raw, start, arrays) for start in range(0, len(raw), a_call))


def read_cases(path: Path, cases: Sequence[tuple[ArrayShape, ...]], calls: int) -> list[tuple[tuple[Output, ...], ...]]:
    """For each case the arrays after each of its calls. Raises ToolError when the file is shorter or longer."""
    raw, start, outputs = path.read_bytes(), 0, []
    sizes = [sum(_bytes(array) for array in arrays) for arrays in cases]
    if len(raw) != calls * sum(sizes):
        raise ToolError(f"the harness wrote {len(raw)} bytes of results where {calls * sum(sizes)} were expected")
    for arrays, size in zip(cases, sizes):
        outputs.append(tuple(_read_call(raw, start + call * size, arrays) for call in range(calls)))
        start += calls * size
    return outputs


def _dtype(array: ArrayShape) -> np.dtype[np.generic]:
    return np.dtype("?" if array.dtype == "b1" else array.dtype)


def _bytes(array: ArrayShape) -> int:
    return _dtype(array).itemsize * array.count


def _read_call(raw: bytes, start: int, arrays: tuple[ArrayShape, ...]) -> tuple[Output, ...]:
    outputs = []
    for array in arrays:
        outputs.append(Output(array.name, np.frombuffer(raw, _dtype(array), array.count, start)))
        start += _bytes(array)
    return tuple(outputs)


def describe_out_of_bounds(fault: tuple[str, ...]) -> str:
    """`out_of_bounds NAME BYTE COUNT SIZE` in words."""
    _, name, byte_text, count_text, size_text = fault
    byte, count, size = int(byte_text), int(count_text), int(size_text)
    index = byte // size
    where = f"{-index} before its start" if index < 0 else f"{index - count + 1} past its end"
    return f"touched {name}[{index}], {where}: {name} has {count} elements"
