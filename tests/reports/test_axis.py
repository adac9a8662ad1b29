from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunepass.reports.axis import Axis, axis_for, short

positive = st.floats(1e-9, 1e9)


@given(st.lists(positive, min_size=1, max_size=20))
def test_every_value_has_a_place_on_its_axis(values: list[float]) -> None:
    axis = axis_for(values, 300, 40)
    for value in values:
        assert 40 <= axis.place(value) <= 300


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_an_axis_of_any_sign_has_ticks_within_it(values: list[float]) -> None:
    axis = axis_for(values, 0, 100)
    assert all(axis.lo <= tick <= axis.hi for tick in axis.ticks())
    assert math.isfinite(axis.lo) and axis.lo < axis.hi


def test_ticks_are_round() -> None:
    assert Axis(0, 10, 0, 1).ticks() == (0, 2, 4, 6, 8, 10)
    assert Axis(1, 100, 0, 1, log=True).ticks() == (1, 2, 5, 10, 20, 50, 100)


@pytest.mark.parametrize(
    "value,text", [(0, "0"), (412.13, "412.1"), (0.001234, "0.001234"), (1e-7, "1e-07"), (123456, "123456")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text
