"""Objectives. This is the only place that knows directions: everywhere inside, smaller is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import StudyError


@dataclass(frozen=True, slots=True)
class Objective:
    """A measured quantity: `Objective("time", unit="ms")`, `Objective("throughput", unit="GB/s", maximise=True)`."""

    name: str
    unit: str = ""
    maximise: bool = False

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise StudyError(f"an objective's name must be an identifier, got {self.name!r}")

    def loss(self, value: float) -> float:
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
