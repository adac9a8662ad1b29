"""Priors of a process's hyperparameters, as log densities of their logarithms.

    symbol    meaning
    theta     logarithm of a hyperparameter
    p         how many lengthscales the process has

    Gamma(a, b)                          (a - 1) theta - b exp(theta)                   (BaCO, §3.2)
    LogNormal(center, width, growth)     -(theta - center - growth ln p)^2 / (2 w^2),  w = width + spread ln⁺(p / 20)

Squared distances add up over parameters, so lengthscales that suit ten leave all rows of a hundred uncorrelated. A
log-normal whose center grows by ln(p) / 2 keeps the expected correlation of two rows where it is (Hvarfner, Hellsten &
Nardi 2024, "Vanilla Bayesian optimization performs great in high dimensions", §4). Of many parameters few matter, and
those as much as ever, so that its width may grow too (`spread`, ours).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.surrogates.base import Floats

MANY = 20  # lengthscales from which a width may grow


@dataclass(frozen=True, slots=True)
class Gamma:
    """Gamma(shape a, rate b)."""

    a: float
    b: float


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Normal of the logarithm. `growth` of its center with ln p: 0.5 where every parameter may matter alike."""

    center: float
    width: float
    growth: float = 0.5
    spread: float = 0.0

    def at(self, p: int) -> LogNormal:
        """The prior for a process of `p` lengthscales."""
        wider = self.spread * max(0.0, math.log(p / MANY))
        return LogNormal(self.center + self.growth * math.log(p), self.width + wider, 0.0)


Lengthscales = Gamma | LogNormal | tuple[LogNormal, ...]  # one for all, or one each
VANILLA = LogNormal(math.sqrt(2.0), math.sqrt(3.0))  # Hvarfner et al. 2024, Eq. 6
FLAT = Gamma(1.0, 0.0)


def lengthscale_priors(stated: Lengthscales | None, p: int) -> list[Gamma | LogNormal]:
    """The prior of each of `p` lengthscales; flat where none is stated."""
    if isinstance(stated, tuple):
        if len(stated) != p:
            raise ValueError(f"lengthscale priors must be as many as lengthscales, got {len(stated)} for {p}")
        return [prior.at(p) for prior in stated]
    return [stated.at(p) if isinstance(stated, LogNormal) else stated or FLAT] * p


def draw_starts(priors: Sequence[Gamma | LogNormal], n: int, rng: np.random.Generator) -> Floats:
    """Logarithms (n, p): the middle of each prior, then draws from it; those of Gamma(2, 2) where it is flat."""
    gammas = [prior if isinstance(prior, Gamma) and prior != FLAT else Gamma(2.0, 2.0) for prior in priors]
    a, b = np.array([prior.a for prior in gammas]), np.array([prior.b for prior in gammas])
    starts = np.log(rng.gamma(a, 1 / b, (n, len(priors))) + 1e-3)
    starts[0] = np.log(a / b)
    normal = [i for i, prior in enumerate(priors) if isinstance(prior, LogNormal)]
    if normal:
        centers = np.array([prior.center for prior in priors if isinstance(prior, LogNormal)])
        widths = np.array([prior.width for prior in priors if isinstance(prior, LogNormal)])
        starts[:, normal] = centers + widths * rng.normal(size=(n, len(normal)))
        starts[0, normal] = centers
    return np.asarray(starts)


class Hyperpriors:
    """Log density of all of theta and its gradient, gammas and normals beside each other."""

    def __init__(self, priors: Sequence[Gamma | LogNormal]):
        gammas = [prior if isinstance(prior, Gamma) else FLAT for prior in priors]
        normals = [prior if isinstance(prior, LogNormal) else LogNormal(0.0, math.inf) for prior in priors]
        self._powers = np.array([prior.a - 1 for prior in gammas])
        self._rates = np.array([prior.b for prior in gammas])
        self._centers = np.array([prior.center for prior in normals])
        self._precisions = np.array([prior.width**-2.0 for prior in normals])

    @property
    def table(self) -> Floats:
        """Powers, rates, centers and precisions (4, p + 2)."""
        return np.stack([self._powers, self._rates, self._centers, self._precisions])

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        scales, apart = self._rates * np.exp(theta), theta - self._centers
        pull = self._precisions * apart
        value = self._powers * theta - scales - 0.5 * pull * apart
        return float(np.add.reduce(value)), self._powers - scales - pull
