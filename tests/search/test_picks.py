"""Picks of a front."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import TunepassError
from tunepass.search.picks import objective_of, picked_of, possible
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.trial import Trial

CYCLES, ALMS, RATE = Objective("cycles"), Objective("alms"), Objective("rate", maximise=True)


def front(*values: tuple[float, float], names: tuple[str, str] = ("cycles", "alms")) -> list[Trial]:
    return [Trial(i, Configuration({"x": i}), Measured(dict(zip(names, v)))) for i, v in enumerate(values)]


def test_fastest_smallest_and_a_name() -> None:
    points = front((1, 900), (10, 30), (100, 10))
    for pick, number in (("fastest", 0), ("smallest", 2), ("cycles", 0), ("alms", 2), (None, 0), ("knee", 1)):
        assert picked_of(pick, points, (CYCLES, ALMS)).number == number
    assert picked_of("fastest", points, (ALMS, CYCLES)).number == 0


def test_the_knee_is_found_on_the_log_scale() -> None:
    # on the log scale (10, 100) is the middle of a straight line, and only (20, 20) lies below it
    assert picked_of("knee", front((1, 1000), (10, 100), (20, 20), (1000, 1)), (CYCLES, ALMS)).number == 2


def test_directions_count() -> None:
    points = front((1, 5), (2, 50), (3, 60), names=("cycles", "rate"))
    assert picked_of("rate", points, (CYCLES, RATE)).number == 2
    assert picked_of("knee", points, (CYCLES, RATE)).number in (1, 2)


def test_of_equals_the_better_in_the_rest() -> None:
    assert picked_of("fastest", front((1, 9), (1, 5)), (CYCLES, ALMS)).number == 1


def test_what_cannot_be_picked() -> None:
    with pytest.raises(TunepassError, match="nothing that is to be small but time"):
        objective_of("smallest", (CYCLES,))
    with pytest.raises(TunepassError, match="did you mean 'fastest'"):
        objective_of("fastes", (CYCLES, ALMS))
    assert possible((CYCLES, ALMS)) == ("fastest", "smallest", "knee")
    assert possible((ALMS, RATE)) == ("smallest", "knee") and possible((CYCLES,)) == ()
