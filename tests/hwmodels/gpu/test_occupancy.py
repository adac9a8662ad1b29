"""Occupancy: NVIDIA's calculator and AMD's waves, and the same as expressions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunepass.expr import numpy_eval
from tunepass.expr.nodes import INTEGER, Name
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.gpu.device import load, names
from tunepass.hwmodels.gpu.occupancy import occupancy, occupancy_expressions


def test_the_calculator_s_own_example() -> None:
    """A100, 256 threads of 64 registers, 16 KiB: 8 warps of 2048 registers, 32 warps resident; 17 KiB of 164 each."""
    answer = occupancy(load("a100"), 256, 64, 16384)
    assert (answer.blocks_per_sm, answer.warps_per_sm, answer.occupancy) == (4, 32, 0.5)
    assert answer.limited_by == ("registers",) and dict(answer.blocks) == {
        "warps": 8, "registers": 4, "shared": 9, "blocks": 32,
    }  # fmt: skip


@pytest.mark.parametrize(("threads", "registers", "shared"), [(0, 1, 0), (32, -1, 0), (32, 1, -1)])
def test_what_no_block_can_have(threads: int, registers: int, shared: int) -> None:
    with pytest.raises(ModelError):
        occupancy(load("a100"), threads, registers, shared)


@given(
    name=st.sampled_from(names()),
    points=st.lists(
        st.tuples(st.integers(1, 1200), st.integers(0, 300), st.integers(0, 240_000)), min_size=1, max_size=40
    ),
)
def test_the_expressions_say_what_the_integers_say(name: str, points: list[tuple[int, int, int]]) -> None:
    gpu = load(name)
    words = ("threads", "registers", "shared")
    columns = {word: np.array([point[i] for point in points]) for i, word in enumerate(words)}
    e = occupancy_expressions(gpu, *(Name(word, INTEGER) for word in words))
    answers = [occupancy(gpu, *point) for point in points]

    def values(field: str) -> list[float]:
        return list(numpy_eval.evaluate(getattr(e, field), columns, len(points)).values)

    assert values("blocks_per_sm") == [a.blocks_per_sm for a in answers]
    assert values("warps_per_sm") == [a.warps_per_sm for a in answers]
    assert values("occupancy") == [a.occupancy for a in answers]
    assert values("fits") == [a.fits for a in answers]


def test_a_block_without_threads_does_not_fit() -> None:
    e = occupancy_expressions(load("a100"), *(Name(word, INTEGER) for word in "trs"))
    columns = {"t": np.array([0, 32]), "r": np.array([8, 8]), "s": np.array([0, 0])}
    assert list(numpy_eval.evaluate(e.fits, columns, 2).values) == [False, True]
