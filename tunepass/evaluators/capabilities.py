"""Capabilities of evaluators besides evaluating a configuration. Callers ask with `tunepass.capabilities`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from tunepass.evaluators.own_text import BlamesOwnText, WritesText
from tunepass.evaluators.process.cores import Patience
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed
from tunepass.study.trial import Trial

Prepared = TypeVar("Prepared")


@runtime_checkable
class ComparesAgain(Protocol):
    """Measures several configurations again, interleaved, so that a drift of the machine reaches all of them."""

    def compare_again(
        self,
        configurations: list[Configuration],
        rounds: int = 15,
        seconds: float | None = None,
        behind: Callable[[Sequence[Sequence[float]]], Collection[int]] | None = None,
    ) -> list[list[float]]:
        """For each configuration its values by round, in the unit of the first objective; [] for one that fails.

        No round begins that would end after `seconds`, but a few are made in any case. After each round `behind` takes
        the values so far and returns the indices of the configurations that need no further ones.
        """


@runtime_checkable
class Summarises(Protocol):
    """Has a way of its own to make one value of several runs; of other evaluators it is the median."""

    def summary(self, values: Sequence[float], /) -> float:
        """Summary of the values of several runs, in their unit."""


@runtime_checkable
class TimesRounds(Protocol):
    """Knows what a round of `compare_again` takes where that is not a matter of what a trial took."""

    def round_s(self, trial_s: float, /) -> float:
        """About how long one configuration takes in a round, where its trial was measured for `trial_s`."""


@runtime_checkable
class Prepares(Protocol[Prepared]):
    """Evaluates in two steps: compiles, which may run side by side, and measurements, one at a time."""

    def prepare(self, configuration: Configuration, /) -> Prepared:
        """Compile. Safe to call from several threads."""

    def finish(self, prepared: Prepared, /) -> Evaluation:
        """Run and measure what was prepared. Never called while something compiles."""


@runtime_checkable
class SetsUpAgain(Protocol):
    """Can tell whether its failures are the machine's."""

    @property
    def is_set_up(self) -> bool:
        """Did the default work when everything was set up?"""

    def set_up_again(self) -> None:
        """Set everything up anew, in new folders, and build and run the default: what somebody removed is there again.
        Raises ToolError, OSError or EnvironmentFault when the default does not work."""


@runtime_checkable
class WaitsForCores(Protocol):
    """Measures on a core that it has for itself, and may have to wait for one."""

    patience: Patience


@runtime_checkable
class Sanitizes(Protocol):
    """Runs a configuration under the compiler's sanitizers."""

    def sanitize(self, configuration: Configuration, /) -> Failed | None:
        """None when the sanitizers report nothing."""


@runtime_checkable
class KeepsPrograms(Protocol):
    """Has what it built of good configurations still, until they are compared."""

    def is_kept(self, configuration: Configuration, /) -> bool:
        """Can it be compared again without a build?"""

    @property
    def hands_over(self) -> bool:
        """Is the winner written as it was compared, without another build?"""


@runtime_checkable
class LooksAgain(Protocol):
    """Looks at a configuration that may win again, for longer than at any other."""

    def look_again(self, configuration: Configuration, /) -> Failed | None:
        """How it failed while it was compared, or fails now; None when nothing is wrong."""

    def look_s(self) -> float:
        """About how long that takes."""


@runtime_checkable
class Remembers(Protocol):
    """Knows the outcome of code that an earlier session ran."""

    def remember(self, trials: list[Trial], /) -> None:
        """Take up the trials of an earlier session: code that occurs again is not run again."""


@runtime_checkable
class Warns(Protocol):
    """Has warnings that concern all its results; complete once the reference has been run."""

    @property
    def warnings(self) -> tuple[str, ...]: ...


@runtime_checkable
class NoiseFree(Protocol):
    """Gives every configuration the same values each time, at next to no cost: nothing is measured again, and any
    difference counts."""

    def worthwhile(self, trials: int, /) -> int:
        """How many suggestions at a time are worth asking for after so many trials."""


@runtime_checkable
class ReportsQuantities(Protocol):
    """Knows what tools reported of configurations, by the names of a model's values: a model learns from it."""

    @property
    def reported(self) -> Mapping[Configuration, Mapping[str, float]]:
        """Reports by configuration in this session; the mapping grows."""


EVALUATOR_CAPABILITIES: tuple[type, ...] = (
    *(BlamesOwnText, ComparesAgain, KeepsPrograms, LooksAgain, NoiseFree, Prepares, Remembers, ReportsQuantities),
    *(Sanitizes, SetsUpAgain, Summarises, TimesRounds, WaitsForCores, Warns, WritesText),
)
