"""Nondominated sets and hypervolumes: known values, and laws against brute force."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.examples import examples
from tunepass.diagnostics import StudyError
from tunepass.study.results.pareto import hypervolume, nondominated

GRID = st.integers(0, 5).map(float)


def fronts(m: int, most: int = 24) -> st.SearchStrategy[np.ndarray]:
    return st.integers(0, most).flatmap(lambda n: hnp.arrays(np.float64, (n, m), elements=GRID))


def brute_mask(rows: np.ndarray) -> list[bool]:
    return [not any((a <= b).all() and (a < b).any() for a in rows) for b in rows]


def brute_volume(rows: np.ndarray, reference: tuple[float, ...]) -> float:
    """On an integer grid the volume is the number of unit cells that a row dominates."""
    cells = itertools.product(*(range(int(r)) for r in reference))
    return float(sum(any((row <= cell).all() for row in rows) for cell in cells))


def test_known_front() -> None:
    losses = [[1, 4], [2, 2], [4, 1], [3, 3], [2, 2], [1, 5]]
    assert nondominated(losses).tolist() == [True, True, True, False, True, False]


def test_known_hypervolumes() -> None:
    assert hypervolume([[1.0]], [3.0]) == 2.0
    assert hypervolume([[1, 2], [2, 1]], [3, 3]) == 3.0
    assert hypervolume([[0, 0, 0]], [2, 3, 4]) == 24.0
    assert hypervolume([[3, 0]], [3, 3]) == 0.0  # on the reference: nothing is strictly better
    assert hypervolume(np.empty((0, 2)), [1, 1]) == 0.0


def test_empty_and_single() -> None:
    assert nondominated(np.empty((0, 3))).tolist() == []
    assert nondominated([[1.0, 2.0, 3.0]]).tolist() == [True]


@given(st.integers(1, 5).flatmap(fronts))
@examples(150)
def test_mask_is_brute_force(rows: np.ndarray) -> None:
    assert nondominated(rows).tolist() == brute_mask(rows)


@given(st.sampled_from([1, 2, 3]).flatmap(fronts))
@examples(150)
def test_hypervolume_counts_the_cells(rows: np.ndarray) -> None:
    reference = (5.0, 4.0, 6.0)[: rows.shape[1]]
    assert hypervolume(rows, reference) == brute_volume(rows, reference)


@given(st.sampled_from([4, 5]).flatmap(lambda m: fronts(m, 12)))
@examples(60)
def test_hypervolume_of_many_objectives_counts_the_cells(rows: np.ndarray) -> None:
    pytest.importorskip("moocore")
    reference = (5.0, 4.0, 3.0, 5.0, 2.0)[: rows.shape[1]]
    assert hypervolume(rows, reference) == pytest.approx(brute_volume(rows, reference))


def test_many_objectives_without_moocore_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moocore", None)
    with pytest.raises(StudyError, match="needs moocore") as caught:
        hypervolume([[1, 1, 1, 1]], [2, 2, 2, 2])
    assert "tunepass[objectives]" in str(caught.value)
    assert hypervolume([[3, 1, 1, 1]], [2, 2, 2, 2]) == 0.0


@given(fronts(3))
@examples(60)
def test_hypervolume_ignores_order_and_dominated_rows(rows: np.ndarray) -> None:
    reference = (6.0, 6.0, 6.0)
    whole = hypervolume(rows, reference)
    assert hypervolume(rows[::-1], reference) == whole
    assert hypervolume(rows[nondominated(rows)], reference) == whole
    assert hypervolume(rows[:, [2, 0, 1]], reference) == whole


def test_random_front_of_thousands() -> None:
    rows = np.random.default_rng(0).random((3000, 3))
    front = rows[nondominated(rows)]
    for block in np.split(rows, 30):
        no_worse = (front[None, :, :] <= block[:, None, :]).all(axis=2)
        members = (front[None, :, :] == block[:, None, :]).all(axis=2).any(axis=1)
        assert (no_worse.sum(axis=1) == 1)[members].all() and no_worse.any(axis=1).all()
    inside = (front[:, None, :] <= np.random.default_rng(1).random((1, 4000, 3))).all(axis=2).any(axis=0)
    assert hypervolume(rows, [1, 1, 1]) == pytest.approx(inside.mean(), abs=0.02)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="finite"):
        nondominated([[1.0, np.nan]])
    with pytest.raises(ValueError, match="shape"):
        nondominated([1.0, 2.0])
    with pytest.raises(ValueError, match="at least one objective"):
        hypervolume([[1.0]], [])
    with pytest.raises(ValueError, match="agree"):
        hypervolume([[1, 1]], [2, 2, 2])
