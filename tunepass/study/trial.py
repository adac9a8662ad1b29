"""One evaluated configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured, Outcome


@dataclass(frozen=True, slots=True)
class Trial:
    """Trial `number` (from 0, the default) of a study; `seconds` by stage; `log` is the tail of the tools' output;
    `calibration` is the speed of the calibration loop when it was measured, if it was."""

    number: int
    configuration: Configuration
    outcome: Outcome
    seconds: Mapping[str, float] = field(default_factory=dict)
    log: str = ""
    calibration: float | None = None

    @property
    def measured(self) -> bool:
        return isinstance(self.outcome, Measured)
