"""Files that a build writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmittedFile:
    """A file for the output folder.

    Args:
        name: a plain name, without a directory.
        text: the content.

    Example:
        >>> tp.EmittedFile("scale.tuned.toy", "tile 16\\n").name
        'scale.tuned.toy'
    """

    name: str
    text: str
