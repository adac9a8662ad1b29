"""Warm-up: the default, then a maximin design over feasible configurations in the Gaussian process's own distance.

Maximin, greedily: each next configuration of a uniform feasible pool is the one whose nearest chosen configuration is
farthest. With `medoids` every other one is a medoid of the pool instead: maximin chooses corners, which tell most about
trends; where they fail or are decades off, medoids tell where the good configurations are. As far as trials fail, the
rest of the design is drawn towards the best one, since what fails tells little. Where parameters have priors, every
other one is a draw from them; where these say of most of many that the default is good, each configuration changes a
group of them, and none is far from the default.

    symbol       meaning
    d            distance of configurations, the Gaussian process's own
    m_0          the default
    maximin      x_k = argmax_x min_{j < k} d(x, x_j)                     (Johnson, Moore & Ylvisaker 1990)
    medoids      m_1..m_k minimising sum_x min_j d(x, m_j)                (Kaufman & Rousseeuw 1987, "PAM", BUILD;
                 then each becomes the medoid of what is nearest to it     Park & Jun 2009)
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tunepass.space.columns import Columns, Indices, length, take
from tunepass.space.configuration import Configuration, Value
from tunepass.space.features.embedding import Embedding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter
from tunepass.space.space import Space
from tunepass.strategies.base import Task
from tunepass.strategies.bo.crossover import mixed
from tunepass.strategies.draws import draw_fitting
from tunepass.strategies.prior_mean.scaled import ScaledPriorMean
from tunepass.surrogates.base import Floats
from tunepass.surrogates.kernels import Features, distances
from tunepass.surrogates.residual import ResidualSettings

MANY = 30  # parameters from which a design keeps near a default that priors say is good
LEAST_MASS = 1e-6  # of a value that its prior all but rules out: it is tried once
FEW_OBJECTIVES = 3
DESIGN_KEY = 0x64657369676E  # keeps the design's random stream apart from the suggestions'
MEDOID_POOL, MEDOID_ROUNDS = 400, 8
MIXES, LESS = 8, 0.7  # of a point and the best: how many, and how much of the point each has of what the last one has


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignSettings:
    """Settings of the configurations that are tried before the first fit.

    Parameters' priors, if any, shape the design, in `maximin` too.

    Args:
        kind: `maximin`, far from each other; `medoids`, every other one a medoid, for spaces whose corners fail; or
            `random`.
        size: None: one more than the parameters, of four and more objectives at least two for each, within the bounds
            below and at least 3.
        share: of the budget, at most.
        most: configurations, at most.
        pool: draws that it is chosen from.

    Example:
        >>> tp.BayesianSettings(design=tp.DesignSettings(kind="random", size=10)).design.size
        10
    """

    kind: Literal["maximin", "medoids", "random"] = "maximin"
    size: int | None = None
    share: float = 0.3
    most: int = 16
    pool: int = 1000


def design_size(task: Task, settings: DesignSettings) -> int:
    if settings.size is not None:
        return settings.size
    objectives = len(task.objectives)
    least = 2 * objectives if objectives > FEW_OBJECTIVES else 0
    size = min(max(len(task.space.parameters) + 1, least), settings.most)
    return size if task.max_evals is None else max(3, min(size, int(settings.share * task.max_evals)))


def warm_up(task: Task, embedding: Embedding, settings: DesignSettings) -> list[Configuration]:
    """The design in order, the default first; shorter than asked when the space is small."""
    space, rng = task.space, np.random.default_rng([task.seed, DESIGN_KEY])
    size = design_size(task, settings)
    if settings.kind == "random":
        return _distinct([space.default, *space.configurations(draw_fitting(task, size, rng))])[:size]
    if has_good_defaults(task):
        return _distinct([space.default, *partitioned(task, size - 1, rng)])
    pool = draw_fitting(task, settings.pool, rng)
    if not length(pool):  # nothing is found that fits
        return [space.default]
    others: list[Configuration] = []
    if any(parameter.prior is not None for parameter in space.parameters):
        others = space.configurations(draw_fitting(task, size, rng, prior=True))[: (size - 1) // 2]
    elif settings.kind == "medoids":
        others = medoids(space, embedding, take(pool, slice(0, MEDOID_POOL)), (size - 1) // 2)
    design = maximin(space, embedding, pool, size - len(others))
    for position, other in zip(range(2, size, 2), others):
        design.insert(position, other)
    return _distinct(design)[:size]


def informed_design(
    design: Sequence[Configuration], prior: ScaledPriorMean, embedding: Embedding, settings: ResidualSettings
) -> list[Configuration]:
    """The first of `design`, then alternately one of the prior mean's best and one of the rest of `design`."""
    n = settings.warm_up_best
    rows = prior.spread_best(embedding, n) if n > 1 else np.zeros(n, np.int64)
    best = prior.task.space.configurations(take(prior.best, rows))
    return interleaved(design[0], best, design[1 : 1 + settings.warm_up_design])


def interleaved(
    default: Configuration, best: Sequence[Configuration], design: Sequence[Configuration]
) -> list[Configuration]:
    """The default, then alternately one of `best` and one of `design`, without repetitions."""
    pairs = itertools.zip_longest(best, design)
    return _distinct([default, *(c for pair in pairs for c in pair if c is not None)])


def nearer(
    neighbourhood: Neighbourhood, point: Configuration, best: Configuration, failing: float, rng: np.random.Generator
) -> Configuration:
    """`point` with the share `failing` of its values replaced by those of `best`; with a larger share where that is not
    inside of `neighbourhood`; `point` itself where no mix is."""
    space = neighbourhood.space
    first, second = np.zeros(MIXES, np.int64), np.ones(MIXES, np.int64)
    shares = np.asarray(1 - (1 - failing) * LESS ** np.arange(MIXES), np.float64)
    rows = mixed(neighbourhood, space.columns([best, point]), first, second, rng, shares)
    rows = take(rows, neighbourhood.inside(rows))
    return space.configurations(take(rows, slice(0, 1)))[0] if length(rows) else point


def maximin(space: Space, embedding: Embedding, pool: Columns, size: int) -> list[Configuration]:
    """The default and then those of `pool` whose nearest chosen one is farthest, `size` in all."""
    return farthest(space, embedding, pool, [space.default], size)


def farthest(
    space: Space, embedding: Embedding, pool: Columns, first: Sequence[Configuration], size: int
) -> list[Configuration]:
    """`first` and then those of `pool` whose nearest chosen one is farthest, `size` in all, if `pool` has so many."""
    features = Features.of(embedding.group, embedding.nominal)
    rows, chosen = embedding.rows(pool), list(first)
    nearest = distances(rows, embedding.rows(space.columns(chosen)), features).sum(axis=0).min(axis=1)
    while len(chosen) < min(size, length(pool)):
        best = int(np.argmax(nearest))
        chosen.append(space.configurations(take(pool, slice(best, best + 1)))[0])
        added = distances(rows, embedding.rows(space.columns(chosen[-1:])), features).sum(axis=0)[:, 0]
        nearest = np.minimum(nearest, added)
    return chosen


def medoids(space: Space, embedding: Embedding, pool: Columns, k: int) -> list[Configuration]:
    """At most `k` configurations of `pool` that, with the default, are close to all others."""
    rows = embedding.rows(pool)
    one_group = Features.of(np.zeros_like(embedding.group), embedding.nominal)
    distance = np.sqrt(distances(rows, rows, one_group)[0])  # (n, n)
    to_default = np.sqrt(distances(rows, embedding.rows(space.columns([space.default])), one_group)[0, :, 0])
    nearest, centres = to_default, np.empty(0, np.int64)
    for _ in range(min(k, len(rows))):
        best = int(np.argmin(np.minimum(distance, nearest[:, None]).sum(axis=0)))
        centres, nearest = np.append(centres, best), np.minimum(nearest, distance[:, best])
    for _ in range(MEDOID_ROUNDS):
        centres, before = _recentred(distance, to_default, centres), centres
        if np.array_equal(centres, before):
            break
    return space.configurations(take(pool, centres))


def _recentred(distance: Floats, to_default: Floats, centres: Indices) -> Indices:
    """Each centre (k,) replaced by the medoid of the rows that are nearest to it; rows nearest the default stay."""
    nearest_centre = np.column_stack([to_default, distance[:, centres]]).argmin(axis=1) - 1
    moved = centres.copy()
    for j in range(len(centres)):
        members = np.flatnonzero(nearest_centre == j)
        if len(members):
            moved[j] = members[np.argmin(distance[np.ix_(members, members)].sum(axis=0))]
    return moved


def has_good_defaults(task: Task) -> bool:
    """Are parameters many, and most of them by their priors probably best at the default?"""
    parameters = task.space.parameters
    return len(parameters) > MANY and 2 * sum(map(_is_good_default, parameters)) > len(parameters)


def partitioned(task: Task, size: int, rng: np.random.Generator) -> list[Configuration]:
    """`size` draws from the priors, but for parameters with a good default: of those each is changed in one of them, a
    group in each. Draws alone leave half of hundreds of flags untried. Where a group is not feasible, the draw stays.
    """
    good = [p for p in task.space.parameters if _is_good_default(p)]
    order = rng.permutation(len(good))
    drawn = task.space.configurations(draw_fitting(task, size, rng, prior=True))
    design = []
    for number, draw in enumerate(drawn):
        values = {p.name: p.default for p in good}
        values |= {good[i].name: _changed(good[i], rng) for i in order[number::size]}
        configuration = task.space.completed({**draw, **values})
        design.append(configuration if _is_feasible(task, configuration) else draw)
    return design


def _is_feasible(task: Task, configuration: Configuration) -> bool:
    space, feasible = task.space, task.feasible
    return space.contains(configuration) and (feasible is None or bool(feasible(space.columns([configuration]))[0]))


def _is_good_default(parameter: Parameter) -> bool:
    """Has a prior by which the default is likelier than all other values together."""
    if parameter.prior is None or not isinstance(parameter, (Categorical, Integer, Ordinal)):
        return False
    return bool(parameter.masses()[_default_index(parameter)] > 0.5)


def _default_index(parameter: Categorical | Integer | Ordinal) -> int:
    return int(parameter.find(parameter.column([parameter.default]))[0])


def _changed(parameter: Parameter, rng: np.random.Generator) -> Value:
    """Another value than the default, by the prior."""
    assert isinstance(parameter, (Categorical, Integer, Ordinal))
    masses = np.maximum(parameter.masses(), LEAST_MASS)
    masses[_default_index(parameter)] = 0
    return parameter.values(parameter.at(rng.choice(len(masses), size=1, p=masses / masses.sum())))[0]


def _distinct(configurations: list[Configuration]) -> list[Configuration]:
    return list(dict.fromkeys(configurations))
