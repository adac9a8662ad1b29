"""Ranks of huge groups."""

from __future__ import annotations

import numpy as np

from tunepass.space.feasible.group import draw_ranks


def test_ranks_of_huge_spaces_cover_them() -> None:
    ranks = draw_ranks(10**30, 200, np.random.default_rng(0))
    assert min(ranks) < 10**29 and max(ranks) > 9 * 10**29
