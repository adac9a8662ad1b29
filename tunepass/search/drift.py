"""A machine that gets slower halfway: times are compared at the speed it had when the default was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.study.outcome import Evaluation, Measured
from tunepass.study.trial import Trial

TOLERATED = 0.05  # of the calibration loop's speed: what it varies by on a machine at rest


def at_first_speed(evaluation: Evaluation, trials: Sequence[Trial]) -> Evaluation:
    """The evaluation with its values as the first timed trial's machine would have given them, and a note in the log;
    as it is where the speed is the same, or unknown (then the values are no times). Samples stay as they were taken."""
    first = next((t.calibration for t in trials if t.calibration is not None), None)
    outcome, now = evaluation.outcome, evaluation.calibration
    if first is None or now is None or not isinstance(outcome, Measured) or abs(now / first - 1) <= TOLERATED:
        return evaluation
    values = {name: value * now / first for name, value in outcome.values.items()}
    change = f"{abs(now / first - 1):.0%} {'slower' if now < first else 'faster'}"
    note = f"the machine was {change} than when the default was measured: the time is given at that speed"
    log = f"{evaluation.log}\n{note}" if evaluation.log else note
    return replace(evaluation, outcome=replace(outcome, values=values), log=log)
