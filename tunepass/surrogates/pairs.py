"""A process of effects of single columns and of pairs of them, and draws of it: of many flags few matter, some jointly.

    symbol        meaning
    z             (n, f) rows, columns in [-1, 1]
    w, v          (f,) how much a column matters by itself, and beside others
    theta         log w, log v, log constant, log noise, with log-normal priors
    k(z, z')      sum_c w_c z_c z'_c + (sum_c v_c z_c z'_c)^2 / 2 + constant

A stationary process takes a flag that changes nothing beside most others for one that changes nothing anywhere, and is
sure of it. Here w says nothing about v, so that flags that were never tried together stay uncertain together (the two
first orders of the additive processes of Duvenaud et al. 2011; Baptista & Poloczek 2018, "BOCS", draw such effects).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tunepass import _native
from tunepass.surrogates import kernels
from tunepass.surrogates.base import Floats
from tunepass.surrogates.forest import checked
from tunepass.surrogates.hyperpriors import Hyperpriors, LogNormal
from tunepass.surrogates.lbfgs import minimise

_ffi, _lib = _native.ffi, _native.lib
Integers = NDArray[np.int64]

JITTER = 1e-8
BOUND = 14.0  # |theta| stays below
FIT_CELLS = 250_000_000  # rows squared times columns times iterations, at most: what a fit costs
JOINT = 64  # columns whose pairs count: those with the largest v


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsSettings:
    """Priors of w, v, the constant and the noise; losses are scaled to deviation 1."""

    single: LogNormal = field(default_factory=lambda: LogNormal(-0.9, 3.0, growth=-1.0))
    joint: LogNormal = field(default_factory=lambda: LogNormal(0.1, 2.0, growth=-1.0))
    constant: LogNormal = field(default_factory=lambda: LogNormal(0.0, 2.0, growth=0.0))
    noise: LogNormal = field(default_factory=lambda: LogNormal(-8.0, 2.0, growth=0.0))
    iterations: int = 80


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """A function of rows: single (f,), joint (k, k) of `columns` (k,), the upper triangle."""

    single: Floats
    joint: Floats
    columns: NDArray[np.int32]

    def __call__(self, z: Floats) -> Floats:
        """Of rows (m, f): (m,), in units of the scaled losses, up to a constant."""
        z, value = np.ascontiguousarray(z), np.empty(len(z))
        _lib.tp_pairs_value(
            _reals(z), len(z), z.shape[1], _reals(self.single), _ffi.from_buffer("int32_t[]", self.columns),
            len(self.columns), _reals(self.joint), _reals(value),
        )  # fmt: skip
        return value

    def nearer(self, mean: Effects, share: float) -> Effects:
        """`mean` plus a share of the difference from it."""
        single, joint = self.single - mean.single, self.joint - mean.joint
        return Effects(mean.single + share * single, mean.joint + share * joint, self.columns)


class PairsProcess:
    """`PairsProcess().fit(z, loss)` finds theta; `draw(z, loss, theta, rng)` the effects given rows."""

    def __init__(self, settings: PairsSettings | None = None):
        self.settings = settings or PairsSettings()

    def fit(self, z: Floats, loss: Floats) -> Floats:
        """The most probable theta."""
        z, loss = checked(z, loss)
        s, (n, f) = self.settings, z.shape
        priors = Hyperpriors([*[s.single.at(f)] * f, *[s.joint.at(f)] * f, s.constant, s.noise])
        start = np.array([s.single.at(f).center] * f + [s.joint.at(f).center] * f + [0.0, math.log(1e-3)])
        likelihood = Likelihood(z, standardised(loss))

        def objective(theta: Floats) -> tuple[float, Floats]:
            value, gradient = likelihood(theta)
            if not math.isfinite(value):
                return 1e10, np.zeros_like(theta)
            prior, slope = priors(theta)
            return -(value + prior), -(gradient + slope)

        iterations = max(5, min(s.iterations, FIT_CELLS // (n * n * f)))
        return minimise(objective, start, bound=BOUND, iterations=iterations)[0]

    def draw(self, z: Floats, loss: Floats, theta: Floats, rng: np.random.Generator) -> Effects:
        """From the posterior of the effects, by Matheron's rule: one of the prior, corrected by what it gets wrong."""
        w, v, (constant, noise) = self._split(theta)
        columns, variance = self._joint_variance(v)
        prior = Effects(
            rng.normal(size=len(w)) * np.sqrt(w),
            rng.normal(size=variance.shape) * np.sqrt(variance),
            columns.astype(np.int32),
        )
        error = rng.normal(size=len(z)) * math.sqrt(noise) + rng.normal() * math.sqrt(constant)
        return self._corrected(z, loss, theta, prior, error)

    def mean(self, z: Floats, loss: Floats, theta: Floats) -> Effects:
        """The posterior mean of the effects given rows."""
        w, v, _ = self._split(theta)
        columns, variance = self._joint_variance(v)
        nothing = Effects(np.zeros(len(w)), np.zeros(variance.shape), columns.astype(np.int32))
        return self._corrected(z, loss, theta, nothing, np.zeros(len(z)))

    def _corrected(self, z: Floats, loss: Floats, theta: Floats, prior: Effects, error: Floats) -> Effects:
        """Effects `prior` and what the rows say of the rest, their errors being `error` (n,)."""
        z, loss = checked(z, loss)
        w, v, (constant, noise) = self._split(theta)
        columns, variance = self._joint_variance(v)
        z_joint, known = np.ascontiguousarray(z[:, columns]), np.zeros(len(w))
        known[columns] = v[columns]
        alpha = self._solve(z, w, known, constant, noise, standardised(loss) - prior(z) - error)
        joint = np.einsum("ia,ib->ab", z_joint * alpha[:, None], z_joint)
        return Effects(
            prior.single + w * (z * alpha[:, None]).sum(axis=0), prior.joint + variance * joint, prior.columns
        )

    @staticmethod
    def _split(theta: Floats) -> tuple[Floats, Floats, Floats]:
        """w, v, and the constant with the noise."""
        f = len(theta) // 2 - 1
        return np.exp(theta[:f]), np.exp(theta[f : 2 * f]), np.exp(theta[2 * f :])

    @staticmethod
    def _joint_variance(v: Floats) -> tuple[Integers, Floats]:
        """The columns (k,) whose pairs count, and the prior variance (k, k) of their effects."""
        columns = np.sort(np.argsort(-v, kind="stable")[:JOINT])
        v = v[columns]
        return columns, np.triu(v[:, None] * v[None, :], 1) + np.diag(v * v / 2)

    @staticmethod
    def _solve(z: Floats, w: Floats, v: Floats, constant: float, noise: float, y: Floats) -> Floats:
        jitter = JITTER
        while True:
            u = covariance(z, w, v, constant, noise + jitter)
            if kernels.factor(u):
                return kernels.solve(u, y)
            jitter *= 10


class Likelihood:
    """log p(y | theta) and its gradient for fixed rows; the scratch memory is kept between calls."""

    def __init__(self, z: Floats, y: Floats):
        self._z, self._y = kernels.transposed(z), np.ascontiguousarray(y)
        (self.f, stride), n = self._z.shape, len(z)
        self._scratch = np.empty((4 * n + 3) * stride + 2 * self.f)
        self._fixed = (_reals(self._z), n, stride, self.f, _reals(self._y))

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        theta, gradient = np.ascontiguousarray(theta), np.empty(2 * self.f + 2)
        value = _lib.tp_pairs_likelihood(*self._fixed, _reals(theta), JITTER, _reals(gradient), _reals(self._scratch))
        return float(value), gradient


def covariance(z: Floats, w: Floats, v: Floats, constant: float, diagonal: float) -> Floats:
    """k(z, z) + diagonal I (n, n); only its upper triangle counts."""
    zt = kernels.transposed(z)
    (f, stride), n = zt.shape, len(z)
    u, scratch = np.zeros((n, stride)), np.empty((n, stride))
    _lib.tp_pairs_covariance(
        _reals(zt), n, stride, f, _reals(w), _reals(v), constant, diagonal, _reals(u), _reals(scratch)
    )
    return np.ascontiguousarray(u[:, :n])


def standardised(loss: Floats) -> Floats:
    """Shifted and scaled to mean 0 and deviation 1."""
    shift, spread = float(loss.mean()), float(loss.std())
    return (loss - shift) / (spread if spread > 1e-12 * max(1.0, abs(shift)) else 1.0)


def best_changes(
    heads: Integers, parameter: Integers, alone: Floats, place: Integers, joint: Integers, h: Floats, count_limit: int
) -> tuple[Integers, Integers, Integers, Floats]:
    """The `count_limit` best changes of each of `heads` (n, p), of one value or two: index of the head, the new values
    (the second -1 if one changes), and the gain. Symbols: tunepass.strategies.bo.effects_climb."""
    heads = np.ascontiguousarray(heads)
    (n, p), most = heads.shape, 2 * len(heads) * count_limit
    owner, first, second = (np.empty(most, np.int64) for _ in range(3))
    gain = np.empty(most)
    count = _lib.tp_effects_changes(
        _integers(heads), n, p, _integers(parameter), len(parameter), _reals(alone), _integers(place),
        _integers(joint), len(joint), _reals(h), count_limit, _integers(owner), _integers(first), _integers(second),
        _reals(gain),
    )  # fmt: skip
    if count < 0:
        raise MemoryError(f"no memory for changes of {n} configurations")
    return owner[:count], first[:count], second[:count], gain[:count]


def _integers(a: Integers) -> object:
    return _ffi.from_buffer("int64_t[]", a)


def _reals(a: Floats) -> object:
    """A pointer to a contiguous array's data, which ffi checks."""
    assert a.dtype == np.float64
    return _ffi.from_buffer("double[]", a)
