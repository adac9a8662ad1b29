"""The running front is the nondominated set of all that was added, whatever the blocks it came in."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.exact.running_front import RunningFront, feasible_losses
from tunepass.study.results.pareto import nondominated


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_blocks_add_up_to_the_whole(objectives: int) -> None:
    losses = np.random.default_rng(objectives).integers(0, 12, (400, objectives)).astype(float)
    front = RunningFront(objectives)
    for first in range(0, 400, 37):
        block = losses[first : first + 37]
        kept = front.candidates(block)
        front.add(kept + first, block[kept])
    assert np.array_equal(front.losses, np.unique(losses[nondominated(losses)], axis=0))
    assert np.array_equal(losses[front.points], front.losses)
    assert front.covers(losses).all() and not front.covers(front.losses - 1).any()


def test_equal_vectors_keep_the_first_point() -> None:
    front = RunningFront(2, width=1)
    front.add(np.array([[7], [8]]), np.array([[1.0, 2.0], [1.0, 2.0]]))
    front.add(np.array([[9]]), np.array([[1.0, 2.0]]))
    assert front.points.tolist() == [[7]] and len(front) == 1


def test_infeasible_and_undefined_rows_are_left_out() -> None:
    outputs = [np.array([1.0, np.nan, 3.0, 4.0]), np.array([5, 6, 7, 8]), np.array([True, True, False, True])]
    rows, losses = feasible_losses(outputs, 2)
    assert rows.tolist() == [0, 3] and losses.tolist() == [[1.0, 5.0], [4.0, 8.0]]
