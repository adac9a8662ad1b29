"""The role of a door: another tool's file in, a source that tunepass reads out."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tunepass.diagnostics import Source
from tunepass.ir.files import EmittedFile


class Door(ABC):
    """Reads one foreign format for `tunepass import`. Stateless."""

    @abstractmethod
    def read(self, source: Source) -> EmittedFile:
        """The file as a source with tunepass's annotations; SourceError, with the place, for what it cannot read."""
