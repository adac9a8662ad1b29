"""Statistics: totals are exact however lengths are binned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tensors.data.tensors import CSR, coordinates, formats
from tunepass.ir.tensor import Format
from tunepass.tensors.data.pack import pack
from tunepass.tensors.data.statistics import BINS, statistics
from tunepass.tensors.data.stored import Coordinates


@given(st.data(), st.integers(1, 4))
def test_nodes_and_lengths_add_up(data: st.DataObject, modes: int) -> None:
    stored = pack("B", data.draw(coordinates(modes)), data.draw(formats(modes)), "double")
    parents = 1
    for level, described in zip(stored.levels, statistics(stored).levels):
        assert described.extent == level.extent
        if level.crd is None:
            assert (described.nodes, described.lengths) == (parents * level.extent, ())
        else:
            assert described.nodes == level.crd.size == sum(length * count for length, count in described.lengths)
            assert parents == sum(count for _, count in described.lengths)
            assert described.spread >= 1
        parents = described.nodes
    assert parents == stored.vals.size


def test_a_power_law_is_binned() -> None:
    lengths = np.concatenate([[0] * 7, np.arange(1, 400), [100_000]])
    rows = np.repeat(np.arange(lengths.size), lengths)
    columns = np.concatenate([np.arange(length) for length in lengths])
    entries = Coordinates((lengths.size, 100_000), np.stack([rows, columns]).astype(np.int32), np.ones(rows.size))
    level = statistics(pack("B", entries, CSR, "double")).levels[1]
    assert len(level.lengths) <= BINS
    assert level.lengths[0] == (0.0, 7) and level.lengths[-1] == (100_000.0, 1)
    assert [length for length, _ in level.lengths] == sorted(length for length, _ in level.lengths)
    assert sum(count for _, count in level.lengths) == lengths.size
    assert sum(length * count for length, count in level.lengths) == pytest.approx(rows.size)


def test_spread_is_the_mean_distance_within_segments() -> None:
    indices = np.array([[0, 0, 0, 1, 2, 2], [0, 10, 30, 5, 1, 2]], np.int32)
    stored = pack("B", Coordinates((3, 40), indices, np.ones(6)), CSR, "double")
    assert statistics(stored).levels[1].spread == pytest.approx((10 + 20 + 1) / 3)
    single = Coordinates((3, 40), np.array([[1], [2]], np.int32), np.ones(1))
    assert statistics(pack("B", single, Format(("compressed",) * 2, (0, 1)), "double")).levels[1].spread == 1
