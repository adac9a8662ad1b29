"""The front that models predict: a population evolved on predicted losses, one member for each reference direction.

    symbol   shape    meaning
    d        (l, k)   reference directions: evenly over positive ones, and one along each objective (Deb & Jain 2014)
    f        (n, k)   predicted losses, scaled so that the region of the front is [0, 1]
    g_i      (n,)     max_j f_j / d_ij + rho sum_j f_j: the best of it is the member of direction i

The range to scale by is that of the front of f + c sum f, without ends at which one loss rises by 1 while the others
fall by less than c in all. The region of the front is that of the members: an end along one objective is where the
other losses are within `LEAST_COMPONENT` of their ranges, not where they are least by a little at any cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tunepass.acquisition.directions import even_directions
from tunepass.acquisition.scalarise import Scale
from tunepass.space.columns import Columns, join, length, take
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.strategies.bo.crossover import mixed, mutated
from tunepass.study.results.pareto import nondominated
from tunepass.surrogates.base import Floats

DIRECTIONS = 64
NEAR_DIRECTIONS = 6  # from which the second parent comes
CHILDREN = 128  # a generation
RHO = 0.01
LEAST_COMPONENT = 0.1  # of a direction, before it has length 1
JITTER = (0.3, 0.1, 0.03)  # deviations of the steps of reals, in shares of their range, in turn from child to child


def evolved(
    neighbourhood: Neighbourhood,
    predict: Callable[[Columns], Floats],
    start: Columns,
    trade_off: float,
    generations: int,
    rng: np.random.Generator,
) -> tuple[Columns, Floats]:
    """The members after so many generations from `start`, and all losses (n, k) that were predicted on the way."""
    members, losses = start, predict(start)
    directions = reference_directions(losses.shape[1])
    seen = [losses]
    for _ in range(generations):
        best = niches(losses, directions, trade_off)
        children = _children(neighbourhood, members, best, directions, rng)
        if not length(children):
            break
        seen.append(predict(children))
        parents = np.unique(best)
        members, losses = join([take(members, parents), children]), np.vstack([losses[parents], seen[-1]])
    return take(members, np.unique(niches(losses, directions, trade_off))), np.vstack(seen)


@lru_cache(maxsize=8)
def reference_directions(k: int) -> Floats:
    """(DIRECTIONS + k, k)."""
    directions = np.maximum(np.vstack([even_directions(k, DIRECTIONS), np.eye(k)]), LEAST_COMPONENT)
    return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))


@lru_cache(maxsize=8)
def near_directions(k: int) -> NDArray[np.int64]:
    """The NEAR_DIRECTIONS reference directions nearest to each (DIRECTIONS + k, NEAR_DIRECTIONS), itself the first."""
    directions = reference_directions(k)
    order = np.argsort(-directions @ directions.T, axis=1, kind="stable")
    return np.asarray(order[:, :NEAR_DIRECTIONS])


def niches(losses: Floats, directions: Floats, trade_off: float) -> NDArray[np.int64]:
    """The row of losses (n, k) that is the best of each direction (l,)."""
    scaled = Scale.of(losses).apply(losses)
    front = scaled[nondominated(scaled + trade_off * scaled.sum(axis=1, keepdims=True))]
    low, size = front.min(axis=0), np.ptp(front, axis=0)
    scaled = (scaled - low) / np.where(size > 0, size, 1.0)
    g = np.full((len(directions), len(losses)), -np.inf)
    for j, column in enumerate(scaled.T):
        g = np.maximum(g, column / directions[:, j, None])
    return np.asarray(np.argmin(g + RHO * scaled.sum(axis=1), axis=1))


def front_region(losses: Floats, trade_off: float) -> tuple[Floats, Floats]:
    """The least and largest losses (k,) of the best of each direction of (n, k)."""
    best = losses[niches(losses, reference_directions(losses.shape[1]), trade_off)]
    return best.min(axis=0), best.max(axis=0)


def _children(
    neighbourhood: Neighbourhood,
    members: Columns,
    best: NDArray[np.int64],
    directions: Floats,
    rng: np.random.Generator,
) -> Columns:
    """Mixtures of members of near directions, then steps of one to three parameters, or of any length in reals."""
    near = near_directions(directions.shape[1])
    first = rng.integers(len(directions), size=CHILDREN)
    second = near[first, rng.integers(near.shape[1], size=CHILDREN)]
    rows = mixed(neighbourhood, members, best[first], best[second], rng)
    half = CHILDREN // 2 if neighbourhood.continuous else CHILDREN
    stepped = mutated(neighbourhood, take(rows, slice(0, half)), rng)
    parts = [take(stepped, neighbourhood.inside(stepped))]
    if half < CHILDREN:
        scale = np.resize(JITTER, CHILDREN - half)
        parts.append(neighbourhood.jittered(take(rows, slice(half, None)), scale, 0.5, rng)[0])
    return join([part for part in parts if length(part)] or parts)
