"""Climb where values are a continuum: normal steps around each head, shorter where none is better.

An evolution strategy of one parent and `CHILDREN` a round (Rechenberg 1973): the deviation of the steps grows after a
better child and shrinks after none. Half of the children move all reals, the others a third of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tunepass.space.columns import Columns, join, length, take
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.surrogates.base import Floats

CHILDREN = 32  # a head and round
FIRST, GROWN, SHRUNK = 0.05, 1.5, 0.5  # deviation of the steps, in shares of the scaled range, and what becomes of it


def polish(
    utility: Callable[[Columns], Floats],
    neighbourhood: Neighbourhood,
    heads: Columns,
    values: Floats,
    rounds: int,
    rng: np.random.Generator,
) -> Iterator[tuple[Columns, Floats]]:
    """Yields the children of `heads`, whose utilities are `values`, round by round, with theirs."""
    scale, values = np.full(length(heads), FIRST), values.copy()
    for _ in range(rounds):
        owner = np.repeat(np.arange(len(scale)), CHILDREN // 2)
        parts = [neighbourhood.jittered(take(heads, owner), scale[owner], share, rng) for share in (1.0, 1 / 3)]
        children = join([rows for rows, _ in parts])
        parents = np.concatenate([owner[index] for _, index in parts])
        utilities = utility(children)
        yield children, utilities
        order = np.lexsort((-utilities, parents))
        best = order[np.unique(parents[order], return_index=True)[1]]
        best = best[utilities[best] > values[parents[best]]]
        better = parents[best]
        heads = {name: column.copy() for name, column in heads.items()}
        for name, column in heads.items():
            column[better] = children[name][best]
        values[better] = utilities[best]
        scale *= SHRUNK
        scale[better] *= GROWN / SHRUNK
