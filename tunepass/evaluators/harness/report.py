"""What a generated harness reported: the reading side of the protocol in frontends/c/harness/source.py."""

from __future__ import annotations

from dataclasses import dataclass
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
    arrays: tuple[ArrayShape, ...] = ()
    samples: tuple[Sample, ...] = ()
    fault: tuple[str, ...] = ()  # out_of_bounds NAME BYTE COUNT SIZE | read_only NAME | stack
    refused_bytes: int | None = None
    calls_per_sample: int = 1
    cut: bool = False
    error: str = ""
    done: bool = False


def read_report(path: Path) -> Report:
    """The report file; an unfinished or missing one is a Report that is not `done`."""
    arrays: list[ArrayShape] = []
    samples: list[Sample] = []
    fault: tuple[str, ...] = ()
    refused: int | None = None
    inner, cut, error, done = 1, False, "", False
    text = path.read_text(errors="replace") if path.exists() else ""
    for line in text.splitlines():
        match line.split():
            case ["array", name, dtype, count]:
                arrays.append(ArrayShape(name, dtype, int(count)))
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
        arrays=tuple(arrays),
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
    a_call = sum(np.dtype(array.dtype if array.dtype != "b1" else "?").itemsize * array.count for array in arrays)
    if a_call == 0:
        return ((),)
    if not raw or len(raw) % a_call:
        raise ToolError(f"the harness wrote {len(raw)} bytes of results where a multiple of {a_call} was expected")
    calls, offset = [], 0
    for _ in range(len(raw) // a_call):
        outputs = []
        for array in arrays:
            dtype = np.dtype("?" if array.dtype == "b1" else array.dtype)
            outputs.append(Output(array.name, np.frombuffer(raw, dtype, array.count, offset)))
            offset += dtype.itemsize * array.count
        calls.append(tuple(outputs))
    return tuple(calls)


def describe_out_of_bounds(fault: tuple[str, ...]) -> str:
    """`out_of_bounds NAME BYTE COUNT SIZE` in words."""
    _, name, byte_text, count_text, size_text = fault
    byte, count, size = int(byte_text), int(count_text), int(size_text)
    index = byte // size
    where = f"{-index} before its start" if index < 0 else f"{index - count + 1} past its end"
    return f"touched {name}[{index}], {where}: {name} has {count} elements"
