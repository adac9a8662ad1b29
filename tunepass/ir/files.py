"""Files that a build writes."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import TunepassError


@dataclass(frozen=True, slots=True)
class EmittedFile:
    """A file for the output folder.

    Args:
        name: a plain name, without a directory.
        text: the content.

    Raises:
        TunepassError: the name has a directory or is empty, or an argument is not text.

    Example:
        >>> tp.EmittedFile("scale.tuned.toy", "tile 16\\n").name
        'scale.tuned.toy'
    """

    name: str
    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or "/" in self.name or self.name in ("", ".", ".."):
            raise TunepassError(f"an emitted file has a plain name without a directory, got {self.name!r}")
        if not isinstance(self.text, str):
            raise TunepassError(f"the content of {self.name} is text, got {self.text!r}")
