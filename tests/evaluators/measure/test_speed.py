"""The calibration loop of programs without a harness."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.evaluators.measure.speed import FIRST, LATEST, LastingSpeed, machine_speed


def test_the_machine_has_a_speed() -> None:
    assert 1e2 < machine_speed() < 1e7


def watched(readings: Sequence[float]) -> tuple[LastingSpeed, list[float]]:
    """With the pauses that it made."""
    left, pauses = iter(readings), list[float]()
    return LastingSpeed(lambda: next(left), pauses.append), pauses


def test_the_first_look_takes_several_readings_some_time_apart() -> None:
    lasting, pauses = watched([4, 4, 7, 4, 4, 5])
    assert (lasting.look(), lasting.speed) == (5, 7)
    assert len(pauses) == FIRST - 1 and all(pause > 0 for pause in pauses)


def test_a_slow_moment_is_seen_and_does_not_count() -> None:
    lasting, _ = watched([7.0] * FIRST + [4.0])
    lasting.look()
    assert (lasting.look(), lasting.speed) == (4, 7)


def test_another_speed_is_one_that_all_of_the_latest_readings_show() -> None:
    lasting, _ = watched([7.0] * FIRST + [4.0] * LATEST + [6.0] * LATEST)
    lasting.look()
    speeds = [(lasting.look(), lasting.speed)[1] for _ in range(2 * LATEST)]
    assert speeds == [7.0] * (LATEST - 1) + [4.0] * LATEST + [6.0]


def test_where_readings_vary_no_speed_is_believed_but_the_first() -> None:
    """All of the first readings were slow."""
    lasting, _ = watched([4.0] * FIRST + [7.0, 4.1, 5.0, 7.0] * LATEST)
    lasting.look()
    assert {(lasting.look(), lasting.speed)[1] for _ in range(4 * LATEST)} == {4.0}
