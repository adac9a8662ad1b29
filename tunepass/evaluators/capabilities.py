"""Capabilities of evaluators besides evaluating a configuration. Callers ask with `tunepass.capabilities`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from tunepass.evaluators.own_text import BlamesOwnText, WritesText
from tunepass.evaluators.process.cores import Patience
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Ledger
from tunepass.study.outcome import Evaluation, Failed
from tunepass.study.trial import Trial

Prepared = TypeVar("Prepared")


@runtime_checkable
class ComparesAgain(Protocol):
    """Measures several configurations again, interleaved, so that a drift of the machine reaches all of them.

    Example:
        >>> class Interleaved(Table):
        ...     def compare_again(self, configurations, rounds=15, seconds=None, behind=None):
        ...         return [[float(c["tile"])] * rounds for c in configurations]
        >>> tp.capability(Interleaved(), extension.ComparesAgain).compare_again([space.default], rounds=2)
        [[8.0, 8.0]]
    """

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
    """Summarises several runs by a statistic of its own; other evaluators use the median.

    Example:
        >>> class Fastest(Table):
        ...     def summary(self, values):
        ...         return min(values)
        >>> tp.capability(Fastest(), extension.Summarises).summary([3.0, 2.0])
        2.0
    """

    def summary(self, values: Sequence[float], /) -> float:
        """Summary of the values of several runs, in their unit."""


@runtime_checkable
class TimesRounds(Protocol):
    """Predicts the time of a round of `compare_again`, where it does not follow from a trial's.

    Example:
        >>> class Cached(Table):
        ...     def round_s(self, trial_s):
        ...         return trial_s / 2
        >>> tp.capability(Cached(), extension.TimesRounds).round_s(0.5)
        0.25
    """

    def round_s(self, trial_s: float, /) -> float:
        """About how long one configuration takes in a round, where its trial was measured for `trial_s`."""


@runtime_checkable
class Prepares(Protocol[Prepared]):
    """Evaluates in two steps: compiles, which may run side by side, and measurements, one at a time.

    Example:
        >>> class TwoSteps(Table):
        ...     def prepare(self, configuration):
        ...         return configuration
        ...     def finish(self, prepared):
        ...         return self.evaluate(prepared)
        >>> steps = tp.capability(TwoSteps(), extension.Prepares)
        >>> steps.finish(steps.prepare(space.default)).outcome.values["time"]
        8.0
    """

    def prepare(self, configuration: Configuration, /) -> Prepared:
        """Compile. Safe to call from several threads."""

    def finish(self, prepared: Prepared, /) -> Evaluation:
        """Run and measure what was prepared. Never called while something compiles."""


@runtime_checkable
class SetsUpAgain(Protocol):
    """Can tell whether its failures are the machine's.

    Example:
        >>> class Restartable(Table):
        ...     is_set_up = True
        ...     def set_up_again(self):
        ...         self.is_set_up = True
        >>> tp.capability(Restartable(), extension.SetsUpAgain).is_set_up
        True
    """

    @property
    def is_set_up(self) -> bool:
        """Did the default work when everything was set up?"""

    def set_up_again(self) -> None:
        """Set everything up anew, in new folders, and build and run the default: what somebody removed is there again.
        Raises ToolError, OSError or EnvironmentFault when the default does not work."""


@runtime_checkable
class WaitsForCores(Protocol):
    """Measures on a core of its own, and may have to wait for one: `patience` says how long.

    Example:
        >>> tp.capability(Table(), extension.WaitsForCores) is None
        True
    """

    patience: Patience


@runtime_checkable
class Sanitizes(Protocol):
    """Runs a configuration under the compiler's sanitizers.

    Example:
        >>> class Sanitized(Table):
        ...     def sanitize(self, configuration):
        ...         return tp.Failed("out_of_bounds", "heap-buffer-overflow")
        >>> tp.capability(Sanitized(), extension.Sanitizes).sanitize(space.default).stage
        'out_of_bounds'
    """

    def sanitize(self, configuration: Configuration, /) -> Failed | None:
        """None when the sanitizers report nothing."""


@runtime_checkable
class KeepsPrograms(Protocol):
    """Still has the programs of good configurations when they are compared.

    Example:
        >>> class Keeping(Table):
        ...     hands_over = False
        ...     def is_kept(self, configuration):
        ...         return configuration["tile"] == 8
        >>> tp.capability(Keeping(), extension.KeepsPrograms).is_kept(space.default)
        True
    """

    def is_kept(self, configuration: Configuration, /) -> bool:
        """Can it be compared again without a build?"""

    @property
    def hands_over(self) -> bool:
        """Is the winner written as it was compared, without another build?"""


@runtime_checkable
class LooksAgain(Protocol):
    """Verifies a configuration that may win again, for longer than any other.

    Example:
        >>> class Verifying(Table):
        ...     def look_again(self, configuration):
        ...         return None
        ...     def look_s(self):
        ...         return 1.5
        >>> tp.capability(Verifying(), extension.LooksAgain).look_s()
        1.5
    """

    def look_again(self, configuration: Configuration, /) -> Failed | None:
        """How it failed while it was compared, or fails now; None when nothing is wrong."""

    def look_s(self) -> float:
        """About how long that takes."""


@runtime_checkable
class Remembers(Protocol):
    """Knows the outcome of code that an earlier session ran.

    Example:
        >>> class Remembering(Table):
        ...     def remember(self, trials):
        ...         self.known = {trial.code: trial.outcome for trial in trials}
        >>> tp.capability(Remembering(), extension.Remembers).remember([])
    """

    def remember(self, trials: list[Trial], /) -> None:
        """Take up the trials of an earlier session: code that occurs again is not run again."""


@runtime_checkable
class Warns(Protocol):
    """Has warnings that concern all its results; complete once the reference has been run.

    Example:
        >>> class Warning(Table):
        ...     warnings = ("the tolerance accepts anything",)
        >>> tp.capability(Warning(), extension.Warns).warnings
        ('the tolerance accepts anything',)
    """

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence each."""


@runtime_checkable
class NoiseFree(Protocol):
    """Gives every configuration the same values each time, at next to no cost.

    Nothing is measured again, and any difference counts.

    Example:
        >>> class Model(Table):
        ...     def worthwhile(self, trials):
        ...         return 8
        >>> tp.capability(Model(), extension.NoiseFree).worthwhile(100)
        8
    """

    def worthwhile(self, trials: int, /) -> int:
        """How many suggestions at a time are worth asking for after so many trials."""


@runtime_checkable
class ReportsQuantities(Protocol):
    """Has the numbers that tools reported of configurations, by the names of a model's values.

    A model learns from them.

    Example:
        >>> class Synthesising(Table):
        ...     reported = {}
        >>> tp.capability(Synthesising(), extension.ReportsQuantities).reported
        {}
    """

    @property
    def reported(self) -> Mapping[Configuration, Mapping[str, float]]:
        """Reports by configuration in this session; the mapping grows."""


@runtime_checkable
class ReportsChecks(Protocol):
    """Has the ledger of a configuration's checks, with those made while it was compared and verified.

    Example:
        >>> class Reporting(Table):
        ...     def checks(self, configuration):
        ...         return extension.Ledger([extension.Check("outputs")])
        >>> tp.capability(Reporting(), extension.ReportsChecks).checks(space.default).missed
        ()
    """

    def checks(self, configuration: Configuration, /) -> Ledger:
        """Rows of the checks made in this session; they replace those of the configuration's trial."""


@runtime_checkable
class EvaluatesSideBySide(Protocol):
    """Has several configurations under evaluation at once, which end in any order.

    Example:
        >>> class Queued(Table):
        ...     room, under_way, begun = 1, 0, ()
        ...     def begin(self, configurations):
        ...         self.begun = configurations
        ...     def ended(self):
        ...         return self.begun[0], self.evaluate(self.begun[0])
        >>> queued = tp.capability(Queued(), extension.EvaluatesSideBySide)
        >>> queued.begin([space.default])
        >>> queued.ended()[1].outcome.values["time"]
        8.0
    """

    @property
    def room(self) -> int:
        """How many more configurations can be begun now."""

    @property
    def under_way(self) -> int:
        """How many configurations have begun and not ended."""

    def begin(self, configurations: Sequence[Configuration], /) -> None:
        """Evaluate these; they may wait for a process to become free."""

    def ended(self) -> tuple[Configuration, Evaluation | None]:
        """Wait for one of those under way to end. None where the time of the search ended within its evaluation."""


EVALUATOR_CAPABILITIES: tuple[type, ...] = (
    *(
        BlamesOwnText,
        ComparesAgain,
        EvaluatesSideBySide,
        KeepsPrograms,
        LooksAgain,
        NoiseFree,
        Prepares,
        Remembers,
        ReportsChecks,
    ),
    *(ReportsQuantities, Sanitizes, SetsUpAgain, Summarises, TimesRounds, WaitsForCores, Warns, WritesText),
)
