"""Random forest surrogate: mean and variance across trees (Hutter et al. 2014, the law of total variance).

The trees grow in native code: fitting 50 of them to 60 rows takes about 1 ms, where scikit-learn takes 30 ms, and a
suggestion has 20 ms in all. One thread, so the result does not depend on how many there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass import _native
from tunepass.surrogates.base import Floats, Posterior, Surrogate

_ffi, _lib = _native.ffi, _native.lib


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestSettings:
    """Settings of a random forest.

    Args:
        trees: how many.
        min_leaf: rows of a leaf, at least.
        features: share of the features that are tried at each split.
        most_features: their number, at most: with hundreds of flags the cost of a fit would be all of a suggestion's.
        bootstrap: whether each tree sees a sample of the rows, with replacement.
        seed: of every random choice.

    Raises:
        ValueError: a number below 1, or a share that is not in (0, 1].

    Example:
        >>> tp.BayesianSettings(forest=tp.ForestSettings(trees=100)).forest.trees
        100
    """

    trees: int = 50
    min_leaf: int = 1
    features: float = 0.7
    most_features: int = 24
    bootstrap: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.trees, self.min_leaf, self.most_features) < 1 or not 0 < self.features <= 1:
            raise ValueError(f"trees, min_leaf, most_features >= 1 and 0 < features <= 1 must hold, got {self}")


@dataclass(frozen=True, slots=True)
class Trees:
    """A grown forest as flat arrays (native/src/forest.c); `out_of_bag` (n,) is NaN for a row that every tree saw."""

    width: int
    root: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Floats
    left: NDArray[np.int32]
    mean: Floats
    variance: Floats
    out_of_bag: Floats

    def predict(self, x: Floats) -> Posterior:
        """Mean (m,) and variance (m,) at rows `x` (m, d)."""
        x = np.ascontiguousarray(x, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != self.width:
            raise ValueError(f"rows must have the {self.width} columns of the fit, got shape {x.shape}")
        mean, variance = np.empty(len(x)), np.empty(len(x))
        if _lib.tp_forest_predict(
            _reals(x), len(x), self.width, len(self.root), len(self.feature), _ints(self.root), _ints(self.feature),
            _reals(self.threshold), _ints(self.left), _reals(self.mean), _reals(self.variance),
            _reals(mean), _reals(variance),
        ):  # fmt: skip
            raise MemoryError(f"no memory for predictions of {len(x)} rows")
        return Posterior(mean, variance)


def grow(x: Floats, y: Floats, settings: ForestSettings, weight: Floats | None = None) -> Trees:
    """Grow trees on rows `x` (n, d) and targets `y` (n,), each row counting `weight` (n,) times."""
    x, y = checked(x, y)
    weight = np.ones(len(y)) if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    (n, d), nodes = x.shape, settings.trees * (2 * len(y) - 1)
    tried = max(1, min(round(settings.features * d), settings.most_features))
    root = np.empty(settings.trees, np.int32)
    feature, left = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    threshold, mean, variance, out_of_bag = np.empty(nodes), np.empty(nodes), np.empty(nodes), np.empty(n)
    used = _lib.tp_forest_fit(
        _reals(x), _reals(y), _reals(weight), n, d, settings.trees, settings.min_leaf, tried,
        settings.bootstrap, settings.seed, _ints(root), _ints(feature),
        _reals(threshold), _ints(left), _reals(mean), _reals(variance), _reals(out_of_bag),
    )  # fmt: skip
    if used < 0:
        raise MemoryError(f"no memory for {settings.trees} trees on {n} rows")
    return Trees(d, root, feature[:used], threshold[:used], left[:used], mean[:used], variance[:used], out_of_bag)


class Forest(Surrogate):
    """A random forest: the mean and the variance of its trees' predictions.

    Args:
        settings: None: the usual ones.

    Example:
        >>> forest = tp.Forest(tp.ForestSettings(trees=10))
        >>> forest.fit(np.array([[0.0], [0.5], [1.0]]), np.array([1.0, 0.0, 1.0]))
        >>> forest.posterior(np.array([[0.5]])).mean.shape
        (1,)
    """

    def __init__(self, settings: ForestSettings | None = None):
        self.settings = settings or ForestSettings()
        self._trees: Trees | None = None

    def fit(self, x: Floats, loss: Floats) -> None:
        self._trees = grow(x, loss, self.settings)

    def posterior(self, x: Floats) -> Posterior:
        return self.trees.predict(x)

    @property
    def trees(self) -> Trees:
        """The grown trees. ValueError before the first fit."""
        if self._trees is None:
            raise ValueError("fit before asking for a posterior")
        return self._trees


def checked(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Rows and targets as contiguous float64; ValueError unless n >= 1 rows match and all are finite."""
    x, y = np.ascontiguousarray(x, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64)
    if x.ndim != 2 or y.shape != (len(x),) or not len(x):
        raise ValueError(f"rows (n, d) and losses (n,) with n >= 1 must match, got {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("rows and losses must be finite")
    return x, y


def _reals(a: Floats) -> object:
    return _ffi.from_buffer("double[]", a)


def _ints(a: NDArray[np.int32]) -> object:
    return _ffi.from_buffer("int32_t[]", a)
