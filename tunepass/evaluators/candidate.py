"""A configuration made concrete: what is compiled, with which words, and in which surroundings it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tunepass.space.configuration import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """`text` None stands for the source as it is on disk. `defines` are `-DNAME=value`, `flags` words for the compiler,
    `environment` and `arguments` belong to the run."""

    text: str | None = None
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()


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
