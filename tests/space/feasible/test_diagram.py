"""The diagram alone: numbering equal rows, tables, counts, walks, weights."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tunepass.space.feasible.diagram.diagram import dedupe, from_rows
from tunepass.space.parameter import Integer
from tunepass.space.space import Space


def test_equal_rows_get_equal_numbers() -> None:
    rows = np.random.default_rng(0).integers(-3, 4, size=(5000, 3)) * (1 << 40)
    ids, first = dedupe(rows)
    assert (rows[first[ids]] == rows).all()
    assert len(first) == len(np.unique(rows, axis=0)) and (np.diff(first) > 0).all()
    ids, first = dedupe(np.zeros((4, 0), dtype=np.int64))
    assert ids.tolist() == [0, 0, 0, 0] and first.tolist() == [0]
    assert len(dedupe(np.zeros((0, 2), dtype=np.int64))[1]) == 0


def test_a_table_counts_ranks_and_merges_tails() -> None:
    rows = np.array([r for r in itertools.product(range(4), range(3), range(5)) if (r[0] + r[1] * r[2]) % 3 != 1])
    diagram = from_rows(rows[np.random.default_rng(0).permutation(len(rows))], [4, 3, 5])
    assert diagram.size == len(rows)
    assert (diagram.unrank(np.arange(len(rows))) == rows).all()
    inside, rank = diagram.walk(rows)
    assert inside.all() and (rank == np.arange(len(rows))).all()
    dense = np.array(list(itertools.product(range(4), range(3), range(5))))
    assert diagram.walk(dense)[0].sum() == len(rows)
    assert (diagram.contains(dense) == diagram.walk(dense)[0]).all()
    for outside in (dense * 0 - 1, dense * 0 + 9):
        assert not diagram.walk(outside)[0].any() and not diagram.contains(outside).any()
    assert diagram.nodes < len({tuple(r[:2]) for r in rows.tolist()})


def test_weights_draw_in_proportion() -> None:
    rows = np.array([[0, 0], [0, 1], [1, 1]])
    weighted = from_rows(rows, [2, 2]).weigh([np.array([1.0, 3.0]), np.array([1.0, 2.0])])
    drawn = weighted.draw(9000, np.random.default_rng(0))
    counts = [int((drawn == r).all(axis=1).sum()) for r in rows]
    assert np.allclose(np.array(counts) / 9000, np.array([1, 2, 6]) / 9, atol=0.02)
    assert not from_rows(rows, [2, 2]).weigh([np.zeros(2), np.ones(2)]).possible


def test_building_is_silent_where_a_settled_constraint_divides_by_nothing(recwarn: pytest.WarningsRecorder) -> None:
    parameters = [Integer("a", 1, 4), Integer("b", 1, 4), Integer("c", 1, 9)]
    space = Space(parameters, ["a + c <= 4 or c % (a * b) == 0", "a * b >= 2"])
    assert space.size == 43 and not recwarn.list
