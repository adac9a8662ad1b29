"""Objectives. This is the only place that knows directions: everywhere inside, smaller is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import StudyError
from tunepass.space.plain_values import as_real, is_finite

Values = TypeVar("Values", float, NDArray[np.float64])  # one, or one of each trial


@dataclass(frozen=True, slots=True)
class Objective:
    """A measured quantity and its direction.

    Args:
        name: an identifier, by which Measured has the values.
        unit: for people; values are never converted.
        maximise: whether larger values are better.
        reference: of several objectives, the value from which on a configuration is of no use, whatever the others
            are: the corner that hypervolumes are measured to. None: the search places it behind the front.
        limit: of several objectives, the value that a configuration should reach: the search looks for the front
            within the limits, and as near to a limit as it can where none is expected to reach it. None: no limit.

    Reference and limit steer the search; they are no part of what a trial means. Equality leaves them out, a store does
    not have them, and a study may go on with others.

    Raises:
        StudyError: the name is no identifier, another argument has the wrong type, or the limit is worse than the
            reference.

    Example:
        >>> tp.Objective("throughput", unit="GB/s", maximise=True).gain(default=2.0, chosen=3.0)
        1.5
    """

    name: str
    unit: str = ""
    maximise: bool = False
    reference: float | None = field(default=None, compare=False)
    limit: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name.isidentifier()):
            raise StudyError(f"an objective's name must be an identifier, got {self.name!r}")
        if not isinstance(self.unit, str):
            raise StudyError(f"objective {self.name}: the unit is text, got {self.unit!r}")
        if not isinstance(self.maximise, bool):
            raise StudyError(f"objective {self.name}: maximise is True or False, got {self.maximise!r}")
        for name in ("reference", "limit"):
            object.__setattr__(self, name, self._threshold(name))
        reference, limit = self.reference, self.limit
        if reference is not None and limit is not None and self.loss(limit) > self.loss(reference):
            raise StudyError(
                f"objective {self.name}: the limit is at least as good as the reference, got limit {limit:g}, "
                f"reference {reference:g}"
            )

    def _threshold(self, name: str) -> float | None:
        value: object = getattr(self, name)
        if value is None:
            return None
        number = as_real(value)
        if number is None or not is_finite(number):
            raise StudyError(f"objective {self.name}: the {name} is a finite number, or None, got {value!r}")
        return float(number)

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
