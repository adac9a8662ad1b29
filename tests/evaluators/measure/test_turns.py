"""Programs that are measured in the same turns: who has the floor, and what the turns' own speed does not change."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunepass.evaluators.measure.timing import Sample
from tunepass.evaluators.measure.turns import Stopped, Turns, in_same_turns


def held(parties: int, rounds: int, leaves: int | None = None) -> list[int]:
    """Who had the floor, one after another; `leaves` does after its first turn."""
    turns, order = Turns(parties, rounds), list[int]()

    def take_part(party: int) -> None:
        try:
            for _ in range(rounds):
                with turns.floor(party):
                    order.append(party)
                if party == leaves:
                    return
        finally:
            turns.leave(party)

    threads = [threading.Thread(target=take_part, args=(party,)) for party in range(parties)]
    for thread in reversed(threads):
        thread.start()
    for thread in threads:
        thread.join()
    return order


def test_in_order_whoever_comes_first_and_nobody_twice_in_a_row() -> None:
    assert held(3, 4) == [0, 1, 2] * 4


def test_the_turns_of_who_left_are_left_out() -> None:
    assert held(3, 3, leaves=1) == [0, 1, 2, 0, 2, 0, 2]


def test_nobody_has_the_floor_when_it_was_stopped() -> None:
    turns = Turns(2, 1)
    turns.stop()
    with pytest.raises(Stopped), turns.floor(0):
        pass


def samples(milliseconds: Sequence[float], calibration: float = 1.0, interruptions: int = 0) -> list[Sample]:
    return [Sample(ms / 1000, interruptions, calibration * 1e-5) for ms in milliseconds]


@given(st.lists(st.floats(0.5, 2.0), min_size=2, max_size=8), st.floats(0.5, 2.0))
def test_a_turns_own_speed_does_not_change_what_two_programs_differ_by(speeds: list[float], gain: float) -> None:
    first = [samples([3.0 * s], calibration=s) for s in speeds]
    second = [samples([3.0 * s / gain], calibration=s) for s in speeds]
    one, other = in_same_turns([first, second])
    assert one / other == pytest.approx(gain)
    assert math.sqrt(one * other) == pytest.approx(3e-3 * float(np.median(speeds)) / math.sqrt(gain), rel=0.5)


def test_a_turn_in_which_one_was_slowed_is_not_told_from_the_others() -> None:
    usual, slow = samples([1.0, 1.0, 1.0]), samples([1.4, 1.4, 1.4])
    one, other = in_same_turns([[usual] * 5, [usual, slow, usual, usual, usual]])
    assert one / other == pytest.approx(1.0)


def test_disturbed_samples_count_only_where_too_few_are_not() -> None:
    clean = samples([1.0, 1.0, 1.0])
    for disturbed in (samples([9.0] * 5, calibration=1.2), samples([9.0] * 5, interruptions=1)):
        assert in_same_turns([[clean], [clean + disturbed]]) == pytest.approx([1e-3, 1e-3])
        assert in_same_turns([[clean], [disturbed]])[1] > 2e-3
