"""The role of a door: another tool's file in, a source that tunepass reads out."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tunepass.diagnostics import Source
from tunepass.ir.files import EmittedFile


class Door(ABC):
    """Reads one foreign format for `tunepass import`. Stateless: made without arguments.

    Example:
        >>> class ToyDoor(extension.Door):
        ...     def read(self, source):
        ...         return tp.EmittedFile("k.toy", source.text.replace("size", "tile"))
        >>> ToyDoor().read(tp.Source("k.foreign", "size 4")).text
        'tile 4'
    """

    @abstractmethod
    def read(self, source: Source) -> EmittedFile:
        """The file as a source with tunepass's annotations; SourceError, with the place, for what it cannot read."""
