"""Files that a build writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmittedFile:
    """A file for the output folder: a plain name (no directory) and its text."""

    name: str
    text: str
