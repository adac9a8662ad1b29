"""The tile-load net, fitted to the recorded Black-Scholes space and to the compiler's own measurements.

x        readers / 15, rows / 10,000, columns / 24,576, par / 192                (n, 4)
f(x)     s(o_0 + sum_j o_j s(h_j0 + h_j . x)), s the logistic function           (n,)
loss     relative error; a measured sample counts MEASURED as much as a recorded point. Where f rises with par inside
         a box of the device's file, the rise is added, so that more lanes help wherever the data leave it open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

HIDDEN = 6
MEASURED = 0.3
RISE = 3.0
SCALES = np.array([15.0, 10_000.0, 24_576.0, 192.0])
GRIDS = (  # readers, rows, columns, par: single rows, tiles
    ((1, 3, 6, 9, 12, 14), (1,), (96, 400, 960, 1920, 3000, 4800, 7000, 9600, 14000, 19200),
     (1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 96)),
    ((1, 4, 8, 12), (4, 30, 100, 400, 1000), (96, 400, 960, 1920, 3000, 4800), (1, 2, 4, 8, 16, 24, 32, 40, 48)),
)  # fmt: skip
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    x: Floats  # (n, 4)
    share: Floats  # (n,)

    def __getitem__(self, kept: slice | NDArray[np.bool_]) -> Samples:
        return Samples(self.x[kept], self.share[kept])


def recorded(points: Floats) -> Samples:
    """Rows of readers, columns, par and share; a recorded load has one row."""
    x = np.stack([points[:, 0], np.ones(len(points)), points[:, 1], points[:, 2]], axis=1)
    return Samples(x / SCALES, points[:, 3])


def measured(t: dict[str, Floats]) -> Samples:
    """TileLoadData.csv, whose columns are divided by SCALES and rounded."""
    x = np.stack([t[name] for name in ("Readers", "Rows", "Columns", "Par")], axis=1)
    return Samples(np.round(x * SCALES) / SCALES, t["Improve"])


def value(q: Floats, x: Floats) -> Floats:
    return _layers(q, x)[1]


def errors(q: Floats, samples: Samples) -> Floats:
    """Relative errors (n,)."""
    return np.abs(value(q, samples.x) / samples.share - 1)


def fit(points: Samples, tiles: Samples, starts: int) -> Floats:
    """Random starts on few points, the best one refined on more, at last with what its rises cost."""
    few = points[:: max(1, len(points.share) // 2500)]
    repeated = Samples(np.tile(tiles.x, (6, 1)), np.tile(tiles.share, 6))
    best, least = np.zeros(0), np.inf
    for seed in range(starts):
        start = np.random.default_rng(seed).normal(0, 2, 6 * HIDDEN + 1)
        found, cost = _solve(start, few, repeated, 1.0, 0.02, 400)
        if cost < least:
            best, least = found, cost
    for scale in (0.02, 0.005):
        best, _ = _solve(best, few, tiles, MEASURED, scale, 1500)
    more = points[:: max(1, len(points.share) // 4800)]
    for scale in (0.005, 0.002):
        best, _ = _solve(best, more, tiles, MEASURED, scale, 3000)
    for scale, most in ((0.01, 400), (0.003, 800)):
        best, _ = _solve(best, more, tiles, MEASURED, scale, most, rise=RISE)
    return best


def validate(points: Samples, tiles: Samples, starts: int, folds: int) -> Floats:
    """Relative errors of the measured samples, each by a net that has not seen it."""
    fold = np.random.default_rng(0).permutation(len(tiles.share)) % folds
    found = np.zeros(len(tiles.share))
    for k in range(folds):
        found[fold == k] = errors(fit(points, tiles[fold != k], starts), tiles[fold == k])
    return found


def _layers(q: Floats, x: Floats) -> tuple[Floats, Floats]:
    hidden, output = q[: 5 * HIDDEN].reshape(HIDDEN, 5), q[5 * HIDDEN :]
    active = _logistic(hidden[:, 0] + x @ hidden[:, 1:].T)
    return active, _logistic(output[0] + active @ output[1:])


def _logistic(z: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -60, 60))))


def _slopes(q: Floats, x: Floats) -> Floats:
    """df/dq (n, 6 HIDDEN + 1)."""
    active, f = _layers(q, x)
    g = f * (1 - f)
    inner = active * (1 - active) * q[5 * HIDDEN + 1 :] * g[:, None]  # (n, HIDDEN)
    hidden = np.concatenate([inner[:, :, None], inner[:, :, None] * x[:, None, :]], axis=2)
    return np.concatenate([hidden.reshape(len(x), -1), g[:, None], active * g[:, None]], axis=1)


def _solve(
    start: Floats, points: Samples, tiles: Samples, weight: float, scale: float, most: int, *, rise: float = 0.0
) -> tuple[Floats, float]:
    x, y = np.concatenate([points.x, tiles.x]), np.concatenate([points.share, tiles.share])
    w = np.concatenate([np.ones(len(points.share)), np.full(len(tiles.share), weight)]) / y
    grids = [np.stack(np.meshgrid(*map(np.array, axes), indexing="ij"), axis=-1) / SCALES for axes in GRIDS]

    def residuals(q: Floats) -> Floats:
        parts = [(value(q, x) - y) * w]
        for grid in grids if rise else ():
            f = value(q, grid.reshape(-1, 4)).reshape(grid.shape[:-1])
            parts.append(rise * np.maximum(0, np.diff(f, axis=-1) / f[..., :-1]).ravel())
        return np.concatenate(parts)

    def jacobian(q: Floats) -> Floats:
        parts = [_slopes(q, x) * w[:, None]]
        for grid in grids if rise else ():
            flat = grid.reshape(-1, 4)
            f = value(q, flat).reshape(*grid.shape[:-1], 1)
            d = _slopes(q, flat).reshape(*grid.shape[:-1], -1)
            before, after = f[..., :-1, :], f[..., 1:, :]
            change = (d[..., 1:, :] / before - after * d[..., :-1, :] / before**2) * (after > before)
            parts.append(rise * change.reshape(-1, d.shape[-1]))
        return np.concatenate(parts)

    found = least_squares(residuals, start, jac=jacobian, loss="soft_l1", f_scale=scale, max_nfev=most, x_scale="jac")
    return found.x, float(found.cost)
