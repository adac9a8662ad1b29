"""Programs of good candidates, kept until the finalists are compared: none of them is compiled a second time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from tunepass.evaluators.object_cache import file_digest
from tunepass.space.configuration import Configuration

MOST = 12  # programs besides the first, the default's: more than are ever compared


class StoredProgram(Protocol):
    """What was built of a configuration; `program` None where it was not linked, or is not a file of its own."""

    @property
    def configuration(self) -> Configuration: ...

    @property
    def program(self) -> Path | None: ...


AnyProgram = TypeVar("AnyProgram", bound=StoredProgram)


@dataclass(frozen=True, slots=True)
class _Entry(Generic[AnyProgram]):
    built: AnyProgram
    value: float
    digest: str


class KeptPrograms(Generic[AnyProgram]):
    """The first program and the MOST with the least values; others are given to `discard`."""

    def __init__(self, discard: Callable[[AnyProgram], None], most: int = MOST):
        self._discard, self._most = discard, most
        self._kept: dict[Configuration, _Entry[AnyProgram]] = {}
        self._first: Configuration | None = None

    def __contains__(self, configuration: Configuration) -> bool:
        return configuration in self._kept

    def keep(self, built: AnyProgram, value: float) -> None:
        """Take over a program; the worst one goes where there are too many."""
        earlier = self._kept.pop(built.configuration, None)
        if earlier is not None and earlier.built is not built:
            self._discard(earlier.built)
        self._first = self._first or built.configuration
        self._kept[built.configuration] = _Entry(built, value, _digest_of(built))
        others = [configuration for configuration in self._kept if configuration != self._first]
        if len(others) > self._most:
            worst = max(others, key=lambda configuration: self._kept[configuration].value)
            self._discard(self._kept.pop(worst).built)

    def find(self, configuration: Configuration) -> AnyProgram | None:
        """The program as it was linked; None where there is none, or somebody changed or removed it."""
        entry = self._kept.get(configuration)
        if entry is None:
            return None
        try:
            whole = _digest_of(entry.built) == entry.digest
        except OSError:
            whole = False
        if whole:
            return entry.built
        self._discard(self._kept.pop(configuration).built)
        return None

    def holds(self, built: AnyProgram) -> bool:
        entry = self._kept.get(built.configuration)
        return entry is not None and entry.built is built

    def clear(self) -> None:
        for entry in self._kept.values():
            self._discard(entry.built)
        self._kept.clear()
        self._first = None


def _digest_of(built: StoredProgram) -> str:
    return "" if built.program is None else file_digest(built.program)
