"""Programs of a round that are timed together."""

from __future__ import annotations

import pytest

from tunepass.evaluators.harness.together import Slices


@pytest.mark.parametrize(
    ("call_s", "slices"),
    [
        (1e-6, Slices(8, 40)),
        (1.5e-3, Slices(8, 7)),
        (0.015, Slices(4, 1)),
        (0.03, Slices(2, 1)),
        (5.0, Slices(2, 1)),
    ],
)
def test_long_calls_make_few_slices(call_s: float, slices: Slices) -> None:
    assert Slices.of(call_s, 0.08) == slices
