"""Warm-up: the default, then a maximin design over feasible configurations in the Gaussian process's own distance.

Maximin (Johnson, Moore & Ylvisaker 1990), greedily: each next configuration of a uniform feasible pool is the one whose
nearest chosen configuration is farthest. With `middles` every other one is a medoid of the pool instead: corners tell
most about trends; where they fail or are decades off, middles tell where the good ones are. Where parameters have
priors, every other one is a draw from them.

    medoids   m_1..m_k minimising sum_x min_j d(x, m_j), m_0 the default   (Kaufman & Rousseeuw 1987, "PAM", BUILD;
              then each moves to the middle of what is nearest to it       Park & Jun 2009)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tunepass.space.columns import Columns, Indices, length, take
from tunepass.space.configuration import Configuration
from tunepass.space.features.embedding import Embedding
from tunepass.space.space import Space
from tunepass.strategies.base import Task
from tunepass.strategies.bo.fitting import draw
from tunepass.surrogates.base import Floats
from tunepass.surrogates.kernels import Features, distances

DESIGN_KEY = 0x64657369676E  # keeps the design's random stream apart from the suggestions'
MEDOID_POOL, MEDOID_ROUNDS = 400, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSettings:
    """`size=None`: one more than the parameters, at most `share` of the budget and at least 3. `middles`: every other
    one a medoid, for spaces whose corners fail. Parameters' priors, if any, shape it, in `maximin` too."""

    kind: Literal["maximin", "middles", "random"] = "maximin"
    size: int | None = None
    share: float = 0.3
    pool: int = 1000


def design_size(task: Task, settings: DesignSettings) -> int:
    if settings.size is not None:
        return settings.size
    wanted = len(task.space.parameters) + 1
    return wanted if task.max_evals is None else max(3, min(wanted, int(settings.share * task.max_evals)))


def warm_up(task: Task, embedding: Embedding, settings: DesignSettings) -> list[Configuration]:
    """The design in order, the default first; shorter than asked when the space is small."""
    space, rng = task.space, np.random.default_rng([task.seed, DESIGN_KEY])
    size = design_size(task, settings)
    if settings.kind == "random":
        return _distinct([space.default, *space.configurations(draw(task, size, rng))])[:size]
    pool = draw(task, settings.pool, rng)
    if not length(pool):  # nothing is found that fits
        return [space.default]
    others: list[Configuration] = []
    if _has_priors(task):
        others = space.configurations(draw(task, size, rng, prior=True))[: (size - 1) // 2]
    elif settings.kind == "middles":
        others = medoids(space, embedding, take(pool, slice(0, MEDOID_POOL)), (size - 1) // 2)
    corners = maximin(space, embedding, pool, size - len(others))
    for at, other in zip(range(2, size, 2), others):
        corners.insert(at, other)
    return _distinct(corners)[:size]


def maximin(space: Space, embedding: Embedding, pool: Columns, size: int) -> list[Configuration]:
    """The default and then those of `pool` whose nearest chosen one is farthest, `size` in all."""
    features = Features.of(embedding.group, embedding.nominal)
    rows = embedding.rows(pool)
    chosen = [space.default]
    nearest = np.full(length(pool), np.inf)
    while len(chosen) < min(size, length(pool)):
        last = embedding.rows(space.columns(chosen[-1:]))
        nearest = np.minimum(nearest, distances(rows, last, features).sum(axis=0)[:, 0])
        best = int(np.argmax(nearest))
        chosen.append(space.configurations(take(pool, slice(best, best + 1)))[0])
    return chosen


def medoids(space: Space, embedding: Embedding, pool: Columns, k: int) -> list[Configuration]:
    """At most `k` configurations of `pool` that, beside the default, are the middles of what is nearest to them."""
    rows = embedding.rows(pool)
    together = Features.of(np.zeros_like(embedding.group), embedding.nominal)
    apart = np.sqrt(distances(rows, rows, together)[0])
    default = np.sqrt(distances(rows, embedding.rows(space.columns([space.default])), together)[0, :, 0])
    nearest, centres = default, np.empty(0, np.int64)
    for _ in range(min(k, len(rows))):
        best = int(np.argmin(np.minimum(apart, nearest[:, None]).sum(axis=0)))
        centres, nearest = np.append(centres, best), np.minimum(nearest, apart[:, best])
    for _ in range(MEDOID_ROUNDS):
        centres, before = _moved(apart, default, centres), centres
        if np.array_equal(centres, before):
            break
    return space.configurations(take(pool, centres))


def _moved(apart: Floats, default: Floats, centres: Indices) -> Indices:
    """Each centre at the middle of the rows that are nearest to it."""
    owner = np.column_stack([default, apart[:, centres]]).argmin(axis=1) - 1
    moved = centres.copy()
    for j in range(len(centres)):
        mine = np.flatnonzero(owner == j)
        if len(mine):
            moved[j] = mine[np.argmin(apart[np.ix_(mine, mine)].sum(axis=0))]
    return moved


def _has_priors(task: Task) -> bool:
    return any(parameter.prior is not None for parameter in task.space.parameters)


def _distinct(configurations: list[Configuration]) -> list[Configuration]:
    return list(dict.fromkeys(configurations))
