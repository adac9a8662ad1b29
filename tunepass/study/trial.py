"""One evaluated configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tunepass.space.configuration import Configuration, abbreviated
from tunepass.study.ledger import EMPTY, Ledger
from tunepass.study.outcome import Measured, Outcome, cut_short, mean_of, summary


@dataclass(frozen=True, slots=True)
class Trial:
    """An evaluated configuration of a study.

    Args:
        number: from 0, the first one observed.
        configuration: a value for each parameter.
        outcome: Measured, Infeasible or Failed.
        seconds: the cost by stage.
        log: the end of the tools' output.
        calibration: turns a second of the calibration loop when it was measured, if it was.
        same_as: the number of the trial whose outcome it takes, because the compiler made the same code of both.
        code: a digest of that code; empty if none ran.
        checks: what was checked of it, and what could not be; empty where nobody said.
        intermediate: the values that were reported while it was evaluated, by step.

    Example:
        >>> trial = tp.Trial(0, space.default, tp.Measured({"time": 3.1}))
        >>> trial
        <Trial 0: tile=8, unroll=1 -> time=3.1>
        >>> trial.measured, trial.configuration["tile"]
        (True, 8)
    """

    number: int
    configuration: Configuration
    outcome: Outcome
    seconds: Mapping[str, float] = field(default_factory=dict)
    log: str = ""
    calibration: float | None = None
    same_as: int | None = None
    code: str = ""
    checks: Ledger = EMPTY
    intermediate: Mapping[int, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Trial {self.number}: {abbreviated(self.configuration)} -> {summary(self.outcome)}>"

    @property
    def measured(self) -> bool:
        """True if the outcome has values."""
        return isinstance(self.outcome, Measured)

    @property
    def measured_again(self) -> int:
        """How many measurements its outcome has besides the first; none of those are its own if it took another's."""
        if self.same_as is not None or not isinstance(self.outcome, Measured):
            return 0
        return len(self.outcome.measurements) - 1

    def with_another(self, trial: Trial) -> Trial:
        """With a further measurement of the configuration: the mean, and the seconds of both. If that one failed, or
        this one had, the latest outcome."""
        outcome = trial.outcome
        if isinstance(self.outcome, Measured) and isinstance(outcome, Measured):
            outcome = mean_of([self.outcome, outcome])
        stages = {**self.seconds, **trial.seconds}
        seconds = {stage: self.seconds.get(stage, 0.0) + trial.seconds.get(stage, 0.0) for stage in stages}
        return replace(
            self, outcome=outcome, seconds=seconds, log=trial.log or self.log, checks=trial.checks or self.checks
        )

    def taking(self, changed: Trial) -> Trial:
        """With what the trial whose outcome it took has become."""
        log = self.log if changed.measured else changed.log
        return replace(self, outcome=changed.outcome, calibration=changed.calibration, log=log, checks=changed.checks)

    @property
    def censored(self) -> bool:
        """True if the measurement was stopped early."""
        return cut_short(self.outcome)


def comparable(trials: Iterable[Trial]) -> list[Trial]:
    """The measured trials that may be called best. One that was cut short is known only to be slower than the best at
    that time, so its value competes only where nothing was measured whole."""
    measured = [t for t in trials if t.measured]
    return [t for t in measured if not t.censored] or measured


FREE_RATIO = 10


def spent(trials: int, same: int, again: int = 0) -> int:
    """Evaluations that `trials` cost and the `again` that measured one of them again. `same` of the trials took an
    earlier outcome: those are free, but for one in ten, so that a search among configurations that change nothing comes
    to its end."""
    return trials - same + same // FREE_RATIO + again
