"""Ranks and draws of huge groups."""

from __future__ import annotations

import numpy as np

from tunepass.space.feasible.group import draw_ranks
from tunepass.space.parameter import Integer
from tunepass.space.space import Space


def test_ranks_of_huge_spaces_cover_them() -> None:
    ranks = draw_ranks(10**30, 200, np.random.default_rng(0))
    assert min(ranks) < 10**29 and max(ranks) > 9 * 10**29


def test_draws_of_more_rows_than_64_bits_count_are_feasible_and_uniform() -> None:
    parameters = [Integer(f"n{i}", 0, 3) for i in range(40)]
    total = " + ".join(p.name for p in parameters)
    space = Space(parameters, [f"{total} <= 60"])
    (group,) = space.groups
    rows = group.draw(4000, np.random.default_rng(0))
    assert space.size > 1 << 62 and space.contains_columns(rows).all()
    by_rank = group.unrank(draw_ranks(group.size, 4000, np.random.default_rng(1)))
    for name in ("n0", "n20", "n39"):
        shares = [np.bincount(column[name], minlength=4) / 4000 for column in (rows, by_rank)]
        np.testing.assert_allclose(*shares, atol=0.04)
