"""What an evaluator may be able to do beside pricing one configuration; a search asks it by these protocols."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed
from tunepass.study.trial import Trial

Prepared = TypeVar("Prepared")
ROUNDS = 15  # of interleaved measurements, at most


@runtime_checkable
class ComparesAgain(Protocol):
    """An evaluator that can measure configurations again in turns: for each its values, paired by round, in the unit
    of its objective; [] for one that fails now. No round begins after `seconds`, but a few are made in any case; then
    those that are `behind`, by the values so far, make no further rounds."""

    def compare_again(
        self,
        configurations: list[Configuration],
        rounds: int = ROUNDS,
        seconds: float | None = None,
        behind: Callable[[Sequence[Sequence[float]]], Collection[int]] | None = None,
    ) -> list[list[float]]: ...


@runtime_checkable
class Prepares(Protocol[Prepared]):
    """An evaluator whose compiles may run side by side, in threads; `finish` measures, one at a time."""

    def prepare(self, configuration: Configuration, /) -> Prepared: ...

    def finish(self, prepared: Prepared, /) -> Evaluation: ...


@runtime_checkable
class Sanitizes(Protocol):
    """An evaluator that can run a configuration once under sanitizers; None when they find nothing."""

    def sanitize(self, configuration: Configuration, /) -> Failed | None: ...


@runtime_checkable
class Remembers(Protocol):
    """An evaluator that takes up what the trials of an earlier session say of code it may meet again."""

    def remember(self, trials: list[Trial], /) -> None: ...


@runtime_checkable
class Warns(Protocol):
    """An evaluator with something to say about all its results, once it has been used."""

    @property
    def warnings(self) -> tuple[str, ...]: ...
