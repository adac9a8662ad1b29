"""Objectives. This is the only place that knows directions: everywhere inside, smaller is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import StudyError

Values = TypeVar("Values", float, NDArray[np.float64])  # one, or one of each trial


@dataclass(frozen=True, slots=True)
class Objective:
    """A measured quantity and its direction.

    Args:
        name: an identifier, by which Measured has the values.
        unit: for people; values are never converted.
        maximise: whether larger values are better.

    Raises:
        StudyError: the name is no identifier, or another argument has the wrong type.

    Example:
        >>> tp.Objective("throughput", unit="GB/s", maximise=True).gain(default=2.0, chosen=3.0)
        1.5
    """

    name: str
    unit: str = ""
    maximise: bool = False

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name.isidentifier()):
            raise StudyError(f"an objective's name must be an identifier, got {self.name!r}")
        if not isinstance(self.unit, str):
            raise StudyError(f"objective {self.name}: the unit is text, got {self.unit!r}")
        if not isinstance(self.maximise, bool):
            raise StudyError(f"objective {self.name}: maximise is True or False, got {self.maximise!r}")

    def loss(self, value: Values) -> Values:
        """The value as a loss: smaller is better."""
        return -value if self.maximise else value

    def value(self, loss: float) -> float:
        """The inverse of `loss`."""
        return -loss if self.maximise else loss

    def gain(self, default: float, chosen: float) -> float:
        """How many times better `chosen` is than `default`: 2.0 is twice as fast (or twice the throughput)."""
        better, worse = (chosen, default) if self.maximise else (default, chosen)
        return better / worse if worse else float("inf") if better else 1.0


def objectives_text(objectives: Sequence[Objective]) -> str:
    """`min time (ms), max rate`."""
    return ", ".join(f"{'max' if o.maximise else 'min'} {o.name}{f' ({o.unit})' if o.unit else ''}" for o in objectives)
