"""Warm-up: the default, then a maximin design over feasible configurations in the Gaussian process's own distance.

Maximin (Johnson, Moore & Ylvisaker 1990), greedily: each next configuration of a uniform feasible pool is the one whose
nearest chosen configuration is farthest. Where parameters have priors, every other one is a draw from them instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tunepass.space.columns import length, take
from tunepass.space.configuration import Configuration
from tunepass.space.embedding import Embedding
from tunepass.strategies.base import Task
from tunepass.surrogates.kernels import Features, distances

DESIGN_KEY = 0x64657369676E  # keeps the design's random stream apart from the suggestions'


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSettings:
    """`size=None`: one more than the parameters, at most `share` of the budget and at least 3. `half`: every other one
    a uniform draw, for spaces whose corners fail. Parameters' priors, if any, shape it, in `maximin` too."""

    kind: Literal["maximin", "half", "random"] = "maximin"
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
    draws = space.sample(size, rng, prior=True) if _has_priors(task) or settings.kind != "maximin" else []
    if settings.kind == "random":
        return _distinct([space.default, *space.sample(size, rng)])[:size]
    pool = space.sample_columns(settings.pool, rng)
    features = Features.of(embedding.group, embedding.nominal)
    rows = embedding.rows(pool)
    chosen = [space.default]
    nearest = np.full(length(pool), np.inf)
    while len(chosen) < min(size, length(pool)):
        last = embedding.rows(space.columns(chosen[-1:]))
        nearest = np.minimum(nearest, distances(rows, last, features).sum(axis=0)[:, 0])
        if draws and len(chosen) % 2 == 0:
            chosen.append(draws.pop())
            continue
        best = int(np.argmax(nearest))
        chosen.append(space.configurations(take(pool, slice(best, best + 1)))[0])
    return _distinct(chosen)[:size]


def _has_priors(task: Task) -> bool:
    return any(parameter.prior is not None for parameter in task.space.parameters)


def _distinct(configurations: list[Configuration]) -> list[Configuration]:
    return list(dict.fromkeys(configurations))
