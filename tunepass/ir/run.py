"""How the user's own program is run, and what its output says."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A number in the program's output: `pattern` is literal text around one `{name}`, e.g. `time: {time} ms`; or
    `path` leads to it in JSON output, e.g. `runs.0.ms`."""

    pattern: str
    objective: str
    unit: str = ""
    maximise: bool = False
    span: Span | None = None
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """The user's own program: an argument vector, never a shell line; without metrics its wall time in ms counts."""

    arguments: tuple[str, ...]
    metrics: tuple[Metric, ...] = ()
    span: Span | None = None
