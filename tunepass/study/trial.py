"""One evaluated configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured, Outcome, cut_short


@dataclass(frozen=True, slots=True)
class Trial:
    """Trial `number` (from 0, the default) of a study; `seconds` by stage; `log` is the tail of the tools' output;
    `calibration` is the turns a second of the calibration loop when it was measured, if it was; `same_as` is the
    number of the trial whose outcome it took, because the compiler made the same code of both; `code` is a digest of
    that code, "" if none ran."""

    number: int
    configuration: Configuration
    outcome: Outcome
    seconds: Mapping[str, float] = field(default_factory=dict)
    log: str = ""
    calibration: float | None = None
    same_as: int | None = None
    code: str = ""

    @property
    def measured(self) -> bool:
        return isinstance(self.outcome, Measured)

    @property
    def censored(self) -> bool:
        return cut_short(self.outcome)


def comparable(trials: Iterable[Trial]) -> list[Trial]:
    """The measured trials that may be called best. One that was cut short is known only to be slower than the best at
    that time, so its value competes only where nothing was measured whole."""
    measured = [t for t in trials if t.measured]
    return [t for t in measured if not t.censored] or measured


FREE_RATIO = 10


def spent(trials: int, same: int) -> int:
    """Evaluations that `trials` cost, of which `same` took an earlier outcome: those are free, but for one in ten, so
    that a search among configurations that change nothing comes to its end."""
    return trials - same + same // FREE_RATIO
