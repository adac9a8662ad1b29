"""HiPerBOt's surrogate (Menon, Bhatele & Gamblin 2020): one density of good and one of bad values a factor.

    symbol     shape    meaning
    x          (n, f)   rows: a code 0..size-1 for a discrete factor, a place in [0, 1] for a real one
    y_tau               the alpha-quantile of the losses: a loss below it is good             (§II, §III-C: 0.2)
    p_g, p_b            densities of good and bad rows, products over the factors             (Eq. 7, 8)
    w                   weight of a source's densities beside the target's                    (Eq. 9, 10)

Expected improvement is monotone in p_g / p_b (Eq. 5), so the logarithm of that ratio ranks candidates. A histogram has
`smooth` rows spread evenly over its values, and a kernel density as many over [0, 1]: the paper leaves the ratio at
values never seen open, where it would be 0 / 0.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.surrogates.base import Floats
from tunepass.surrogates.forest import checked

GRID = 256  # cells that a real factor's divergence is summed over
CELLS = 8192  # that more centres than this are gathered into for it: far narrower than a bandwidth


@dataclass(frozen=True, slots=True, kw_only=True)
class DensitySettings:
    quantile: float = 0.2  # alpha
    smooth: float = 1.0
    bandwidth: float = 0.1  # of a Gaussian kernel, as a share of the range (§III-B2: fixed)

    def __post_init__(self) -> None:
        if not (0 < self.quantile < 1 and self.smooth > 0 and self.bandwidth > 0):
            raise ValueError(f"0 < quantile < 1, smooth > 0 and bandwidth > 0 must hold, got {self}")


class Density(ABC):
    """Density of one factor."""

    @abstractmethod
    def at(self, x: Floats) -> Floats:
        """Probability, or density, at values x (n,)."""

    @abstractmethod
    def masses(self) -> Floats:
        """Probabilities that sum to 1: of each value, or of GRID equal cells."""

    @abstractmethod
    def draw(self, n: int, rng: np.random.Generator) -> Floats: ...

    @abstractmethod
    def plus(self, weight: float, source: Density) -> Density:
        """weight * source + self, normalised (Eq. 9, 10)."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram(Density):
    probability: Floats  # (size,)

    @classmethod
    def of(cls, x: Floats, size: int, settings: DensitySettings) -> Histogram:
        counts = np.bincount(x.astype(np.int64), minlength=size) + settings.smooth / size
        return cls(counts / counts.sum())

    def at(self, x: Floats) -> Floats:
        return self.probability[x.astype(np.int64)]

    def masses(self) -> Floats:
        return self.probability

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.choice(len(self.probability), n, p=self.probability).astype(np.float64)

    def plus(self, weight: float, source: Density) -> Histogram:
        return Histogram((weight * source.masses() + self.probability) / (weight + 1))


@dataclass(frozen=True, slots=True, eq=False)
class KernelDensity(Density):
    """Gaussian kernels truncated to [0, 1] at `centres` (n,), and a uniform part; the weights sum to 1."""

    centres: Floats
    weights: Floats
    uniform: float
    bandwidth: float

    @classmethod
    def of(cls, x: Floats, settings: DensitySettings) -> KernelDensity:
        total = len(x) + settings.smooth
        return cls(x, np.full(len(x), 1 / total), settings.smooth / total, settings.bandwidth)

    def at(self, x: Floats) -> Floats:
        if not len(self.centres):
            return np.full(len(x), self.uniform)
        z = (x[:, None] - self.centres) / self.bandwidth
        kernels = np.exp(-0.5 * z * z) / (math.sqrt(math.tau) * self.bandwidth * self._inside())
        return np.asarray(self.uniform + kernels @ self.weights)

    def masses(self) -> Floats:
        middle = self._gathered().at((np.arange(GRID) + 0.5) / GRID)
        return np.asarray(middle / middle.sum())

    def _gathered(self) -> KernelDensity:
        """With the centres in each of CELLS cells as one, where there are more of them."""
        if len(self.centres) <= CELLS:
            return self
        cells = np.minimum((self.centres * CELLS).astype(np.int64), CELLS - 1)
        weights = np.bincount(cells, self.weights, CELLS).astype(np.float64)
        filled = np.flatnonzero(weights)
        middles = (filled.astype(np.float64) + 0.5) / CELLS
        return KernelDensity(middles, weights[filled], self.uniform, self.bandwidth)

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        from scipy.special import ndtr, ndtri

        place = rng.choice(len(self.centres) + 1, n, p=np.append(self.weights, self.uniform))
        out = rng.random(n)
        kernel = place < len(self.centres)
        centre = self.centres[place[kernel]]
        lo, hi = ndtr(-centre / self.bandwidth), ndtr((1 - centre) / self.bandwidth)
        out[kernel] = centre + self.bandwidth * ndtri(lo + out[kernel] * (hi - lo))
        return np.clip(out, 0.0, 1.0)

    def plus(self, weight: float, source: Density) -> KernelDensity:
        assert isinstance(source, KernelDensity)
        total = weight + 1
        return KernelDensity(
            np.concatenate([self.centres, source.centres]),
            np.concatenate([self.weights, weight * source.weights]) / total,
            (self.uniform + weight * source.uniform) / total,
            self.bandwidth,
        )

    def _inside(self) -> Floats:
        from scipy.special import ndtr

        return np.asarray(ndtr((1 - self.centres) / self.bandwidth) - ndtr(-self.centres / self.bandwidth))


@dataclass(frozen=True, slots=True, eq=False)
class Densities:
    """p_g and p_b, a density a factor each."""

    good: tuple[Density, ...]
    bad: tuple[Density, ...]

    @classmethod
    def of(
        cls, x: Floats, loss: Floats, sizes: Sequence[int | None], settings: DensitySettings | None = None
    ) -> Densities:
        """From rows x (n, f) and losses (n,), inf for a failure; `sizes` has None for a real factor."""
        s = settings or DensitySettings()
        x, _ = checked(x, np.zeros(len(loss)))
        good = is_good(loss, s.quantile)
        return cls(
            *(
                tuple(
                    KernelDensity.of(column, s) if size is None else Histogram.of(column, size, s)
                    for column, size in zip(x[rows].T, sizes)
                )
                for rows in (good, ~good)
            )
        )

    def log_ratio(self, x: Floats) -> Floats:
        """log p_g(x) / p_b(x) of rows (m, f); larger is better."""
        pairs = zip(self.good, self.bad, x.T)
        return np.asarray(sum((np.log(g.at(c)) - np.log(b.at(c)) for g, b, c in pairs), np.zeros(len(x))))

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Proposals (n, f) from p_g (§III-D)."""
        return np.column_stack([density.draw(n, rng) for density in self.good])

    def plus(self, weight: float, source: Densities) -> Densities:
        """The target's densities with a source's (Eq. 9, 10)."""
        return Densities(
            tuple(g.plus(weight, s) for g, s in zip(self.good, source.good)),
            tuple(b.plus(weight, s) for b, s in zip(self.bad, source.bad)),
        )

    def importance(self) -> Floats:
        """Jensen-Shannon divergence (f,) of p_g and p_b, factor by factor, in nats (§VI, Eq. 13): 0 to log 2."""
        return np.array([jensen_shannon(g.masses(), b.masses()) for g, b in zip(self.good, self.bad)])


def is_good(loss: Floats, quantile: float) -> NDArray[np.bool_]:
    """Which losses (n,) are below the quantile of the finite ones; the smallest are if none is. inf is bad."""
    finite = np.isfinite(loss)
    if not finite.any():
        return np.zeros(len(loss), np.bool_)
    below = loss < np.quantile(loss[finite], quantile)
    return np.asarray(below if below.any() else loss == loss[finite].min())


def jensen_shannon(p: Floats, q: Floats) -> float:
    """D_JS of two distributions over the same values (Eq. 13, 14)."""
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p / middle), 0) + np.where(q > 0, q * np.log(q / middle), 0)
    return float(max(0.0, 0.5 * terms.sum()))
