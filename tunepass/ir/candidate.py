"""A kernel lowered for one configuration: the text, the words for the compiler and the surroundings of its run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tunepass.space.configuration import Configuration

Transformation = Literal["vectorize", "unroll"]


@dataclass(frozen=True, slots=True)
class Request:
    """A transformation that the candidate asks of the compiler for the loop on these lines (as `#line` counts them)."""

    transformation: Transformation
    first_line: int
    last_line: int
    words: str = ""  # `vectorize the loop over j`, after "did not"
    obstacle: str = ""  # why the compiler was not even asked

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self.words or f"{self.transformation} the loop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """`text` None stands for the source as it is on disk; in `text_but_hints` the hints for loops are as they were.
    `defines` are `-DNAME=value`, `flags` words for the compiler, `environment` and `arguments` belong to the
    run. A candidate whose `requests` the compiler did not follow fails as `not_applied`. `compiler` is the
    plain name of the one that compiles it; "": the one that the user named."""

    text: str | None = None
    text_but_hints: str | None = None
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()
    compiler: str = ""

    @property
    def compiler_words(self) -> tuple[str, ...]:
        """What follows the user's own compiler arguments."""
        return (*self.flags, *self.defines)


Lower = Callable[[Configuration], Candidate]
