"""How the user's own program is run, what its output says, and what makes that output right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tunepass.diagnostics import Span

PRINTED_RELATIVE = 1e-6  # what another order of sums may change, many times over, and a wrong index hardly

Matches = Literal["last", "sum", "mean", "min", "max"]  # what becomes of all the numbers that a pattern or path finds
Measure = Literal["wall", "cpu", "memory"]  # ms, ms of all its processes, MB at its peak


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A number in the program's output: `pattern` is literal text around one `{name}`, e.g. `time: {time} ms`; or
    `path` leads to it in JSON output, e.g. `runs.0.ms` or `runs.*.ms`. Or what the run takes: a `measure`."""

    pattern: str
    objective: str
    unit: str = ""
    maximise: bool = False
    span: Span | None = None
    path: str = ""
    matches: Matches = "last"
    measure: Measure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputCheck:
    """The output (stdout, stderr and `files`, relative to where the program runs) is that of the untouched program.

    A number with a fraction may differ by a unit of its last printed place, and by `relative` of its value (None:
    PRINTED_RELATIVE) plus `absolute`; a whole number only by what is stated. With `words` for the compiler the output
    of a second build is compared too, which is not timed.
    """

    files: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    relative: float | None = None
    absolute: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """The user's own program: an argument vector, never a shell line; without metrics its wall time in ms counts.
    Without a `check` a wrong result shows only in the exit status."""

    arguments: tuple[str, ...]
    metrics: tuple[Metric, ...] = ()
    check: OutputCheck | None = None
    span: Span | None = None
