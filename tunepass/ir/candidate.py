"""A kernel lowered for one configuration: what a compiler and a run need, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Source


@dataclass(frozen=True, slots=True)
class Request:
    """The code on these lines (as `#line` counts) asks the compiler to vectorize a loop; `words` name it. With an
    `obstacle` it does not, though the configuration wants it."""

    first_line: int
    last_line: int
    words: str
    obstacle: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """`source` compiled with `defines` (`-DTILE=32`) and `flags` after the user's own compiler arguments."""

    source: Source
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        return (*self.flags, *self.defines)
