"""What the user believes before anything is measured (HyperMapper 2.0, §III-A), as a probability for every value.

A Beta density over the scaled range of a numeric parameter, a probability per category, or, for a permutation, a
weight per (position, item). A discrete value's probability is the Beta mass of the scaled values closest to it: the
paper draws from the density, rescales to the range and takes the closest allowed value. The outermost cells reach half
a step beyond the range, so that equally spaced values share Beta(1, 1) equally.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SpaceError, spelling_hint
from tunepass.space.plain_values import as_real, is_finite

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Beta:
    """Density x^(a-1) (1-x)^(b-1) / B(a, b) on the unit interval (HyperMapper 2.0, Eq. 2)."""

    a: float
    b: float

    def __post_init__(self) -> None:
        if as_real(self.a) is None or as_real(self.b) is None:
            raise SpaceError(f"a Beta prior needs two numbers, got a={self.a!r}, b={self.b!r}")
        if not (is_finite(self.a) and is_finite(self.b) and self.a > 0 and self.b > 0):
            raise SpaceError(f"a Beta prior needs finite a > 0 and b > 0, got a={self.a}, b={self.b}")

    def mass(self, lo: Floats, hi: Floats) -> Floats:
        """Probability of each interval [lo, hi] of the unit interval."""
        from scipy.special import betainc

        below = betainc(self.a, self.b, hi) - betainc(self.a, self.b, lo)
        above = betainc(self.b, self.a, 1 - lo) - betainc(self.b, self.a, 1 - hi)  # exact in the upper tail
        return np.asarray(np.where(lo < 0.5, below, above), dtype=np.float64)

    def between(self, lo: Floats, hi: Floats, share: Floats) -> Floats:
        """Where (n,) each interval [lo, hi] has `share` (n,) of its probability below."""
        from scipy.special import betainc, betaincinv

        below, above = betainc(self.a, self.b, lo), betainc(self.a, self.b, hi)
        return np.clip(betaincinv(self.a, self.b, below + share * (above - below)), lo, hi)

    def log_density(self, x: Floats) -> Floats:
        from scipy.special import betaln, xlog1py, xlogy

        return np.asarray(xlogy(self.a - 1, x) + xlog1py(self.b - 1, -x) - betaln(self.a, self.b), dtype=np.float64)

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.beta(self.a, self.b, size=n)


SHAPES = {
    "uniform": Beta(1.0, 1.0),
    "gaussian": Beta(3.0, 3.0),
    "decay": Beta(0.5, 1.5),
    "exponential": Beta(1.5, 0.5),
}

BetaLike = str | tuple[float, float] | Beta
"""A shape by name, or (a, b)."""


def beta_prior(owner: str, prior: BetaLike | None) -> Beta | None:
    """The Beta that `prior` names; None, no prior knowledge, stays None."""
    if prior is None or isinstance(prior, Beta):
        return prior
    if isinstance(prior, str):
        if prior not in SHAPES:
            raise SpaceError(
                f"{owner}: prior is one of {', '.join(SHAPES)} or a pair (a, b), got {prior!r}",
                hint=spelling_hint(prior, SHAPES, quote=repr),
            )
        return SHAPES[prior]
    pair = _numbers(prior)
    if pair is None or len(pair) != 2:
        raise SpaceError(f"{owner}: prior is a shape's name or a pair (a, b), got {prior!r}")
    return Beta(*pair)


def cell_edges(scaled: Floats) -> Floats:
    """Edges (n + 1,) in [0, 1] of the cells of ascending `scaled` values (n,), ends widened by half a step."""
    if len(scaled) == 1:
        return np.array([0.0, 1.0])
    middle = (scaled[1:] + scaled[:-1]) / 2
    edges = np.concatenate([[2 * scaled[0] - middle[0]], middle, [2 * scaled[-1] - middle[-1]]])
    return np.asarray((edges - edges[0]) / (edges[-1] - edges[0]), dtype=np.float64)


def value_masses(prior: Beta | None, scaled: Floats) -> Floats:
    """Probability (n,) of each of the `scaled` values (n,), in any order; they sum to 1.

    No prior and Beta(1, 1), "no prior knowledge" in the paper's words, make every value equally likely.
    """
    if prior is None or (prior.a == 1 and prior.b == 1):
        return np.full(len(scaled), 1.0 / len(scaled))
    return _beta_masses(prior, scaled.tobytes()).copy()


@lru_cache(maxsize=4096)  # a search of hundreds of parameters asks for all of them at every suggestion
def _beta_masses(prior: Beta, scaled_bytes: bytes) -> Floats:
    scaled = np.frombuffer(scaled_bytes)
    order = np.argsort(scaled)
    edges = cell_edges(scaled[order])
    out = np.empty(len(scaled))
    out[order] = prior.mass(edges[:-1], edges[1:])
    return np.asarray(out / out.sum(), dtype=np.float64)


def probabilities(owner: str, prior: Sequence[float] | str | None, n: int) -> tuple[float, ...] | None:
    """A probability per category, normalised to sum 1."""
    if prior is None or (isinstance(prior, str) and prior == "uniform"):
        return None
    if isinstance(prior, str):
        raise SpaceError(f"{owner}: a categorical prior is one probability per value, got {prior!r}")
    weights = _numbers(prior)
    if weights is None:
        raise SpaceError(f"{owner}: a categorical prior is one probability per value, got {prior!r}")
    if len(weights) != n:
        raise SpaceError(f"{owner}: prior needs one probability per value, got {len(weights)} for {n} values")
    return _normalised(owner, weights)


def position_weights(
    owner: str, prior: Sequence[Sequence[float]] | str | None, k: int
) -> tuple[tuple[float, ...], ...] | None:
    """A weight per (position, item), (k, k): position p chooses among the items still unused with these weights."""
    if prior is None:
        return None
    given = [] if isinstance(prior, str) or not isinstance(prior, Iterable) else [_numbers(row) for row in prior]
    rows = tuple(row for row in given if row is not None)
    if not given or len(rows) < len(given):
        raise SpaceError(f"{owner}: a permutation's prior is a {k} x {k} matrix of weights, got {prior!r}")
    if len(rows) != k or any(len(row) != k for row in rows):
        lengths = [len(row) for row in rows]
        raise SpaceError(f"{owner}: prior needs a weight per position and item, {k} x {k}, got rows of {lengths}")
    return tuple(_normalised(owner, row) for row in rows)


def draw_order(weights: Floats, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Orders (n, k): position p takes an unused item by `weights[p]`; any unused one if those weigh nothing."""
    k = len(weights)
    unused = np.ones((n, k), dtype=bool)
    orders = np.empty((n, k), dtype=np.int64)
    for p in range(k):
        edges = np.cumsum(_choices(weights[p], unused), axis=1)
        pick = (edges <= rng.random((n, 1)) * edges[:, -1:]).sum(axis=1).clip(max=k - 1)
        orders[:, p] = pick
        unused[np.arange(n), pick] = False
    return orders


def log_order_probability(weights: Floats, orders: NDArray[np.int64]) -> Floats:
    """Log of the probability with which `draw_order` gives each of `orders` (n, k)."""
    total, unused = np.zeros(len(orders)), np.ones(orders.shape, dtype=bool)
    row = np.arange(len(orders))
    with np.errstate(divide="ignore"):
        for p in range(orders.shape[1]):
            weight = _choices(weights[p], unused)
            item = orders[:, p]
            total += np.log(weight[row, item]) - np.log(weight.sum(axis=1))
            unused[row, item] = False
    return total


def _choices(weights: Floats, unused: NDArray[np.bool_]) -> Floats:
    """Weights (n, k) of the unused items; equal ones where all of those weigh nothing."""
    weight = np.where(unused, weights, 0.0)
    return np.where(weight.sum(axis=1, keepdims=True) > 0, weight, unused)


def _numbers(values: object) -> tuple[float, ...] | None:
    """The values as floats; None for what is no sequence of numbers."""
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        return None
    plain = [as_real(value) for value in values]
    if None in plain:
        return None
    return tuple(float(v) if isinstance(v, float) or is_finite(v) else math.inf for v in plain if v is not None)


def _normalised(owner: str, weights: tuple[float, ...]) -> tuple[float, ...]:
    total = math.fsum(weights)
    if not all(math.isfinite(w) and w >= 0 for w in weights) or not total > 0:
        raise SpaceError(f"{owner}: prior weights are finite, not negative and not all zero, got {list(weights)}")
    return tuple(w / total for w in weights)
