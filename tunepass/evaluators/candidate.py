"""A configuration made concrete: what is compiled, with which words, and in which surroundings it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
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
    """`text` None stands for the source as it is on disk. `defines` are `-DNAME=value`, `flags` words for the compiler,
    `environment` and `arguments` belong to the run;
    a candidate whose `requests` the compiler did not follow fails as `not_applied`."""

    text: str | None = None
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()
    requests: tuple[Request, ...] = ()


Realise = Callable[[Configuration], Candidate]


def digest(*parts: bytes | str) -> str:
    """SHA-256 of the parts, each set off from the next."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()


def file_digest(path: Path) -> str:
    return digest(path.read_bytes())
