"""Figure 5 and Table III: recall of the feasibility classifier over its 81 settings, five-fold.

A greedily grown tree cut at a depth is the tree that is grown to that depth, and a forest's first ten trees are a
forest of ten. So nine forests of the most trees, by share of features and weight, give all 81 settings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.paper.problems import Bools, Floats
from tunepass.surrogates.forest import ForestSettings, Trees, grow

DEPTHS: tuple[int | None, ...] = (None, 4, 8)
FEATURES: tuple[str | float, ...] = ("auto", 0.5, 0.75)  # auto: the root of their number
WEIGHTS = (0.5, 0.75, 0.9)  # of what fits
FOLDS = 5


def settings(trees: tuple[int, ...]) -> list[str]:
    """The 81 in the order of `recalls`, as people read them."""
    return [
        f"{n} trees, depth {depth}, features {features}, weight {weight}"
        for features, weight, n, depth in product(FEATURES, WEIGHTS, trees, DEPTHS)
    ]


def recalls(
    x: Floats, y: Bools, trees: tuple[int, ...], folder: Path, may_run: Callable[[], bool] = lambda: True
) -> Floats | None:
    """(81,), the mean over folds; `trees` ascending. Kept in the folder, by what they are of; None for what is neither
    kept nor may be run. One where every row fits or none does, for want of anything to learn."""
    told = hashlib.sha256(x.tobytes() + y.tobytes() + repr((trees, DEPTHS, FEATURES, WEIGHTS)).encode()).hexdigest()
    path = folder / f"recalls-{told[:16]}.npy"
    if path.exists():
        return np.asarray(np.load(path))
    if not may_run():
        return None
    folds = min(FOLDS, int(y.sum()), int((~y).sum()))
    if folds < 2:
        return np.ones(len(settings(trees)))
    held = _folds(y, folds)
    found = [
        np.mean([_fold(x, y, held == k, features, weight, trees) for k in range(folds)], axis=0)
        for features, weight in product(FEATURES, WEIGHTS)
    ]
    result = np.concatenate(found)
    np.save(path, result)
    return result


def _folds(y: Bools, folds: int) -> NDArray[np.int64]:
    """The fold (n,) of each row, both classes spread evenly."""
    rng, fold = np.random.default_rng(5), np.empty(len(y), np.int64)
    for kind in (y, ~y):
        rows = rng.permutation(np.flatnonzero(kind))
        fold[rows] = np.arange(len(rows)) % folds
    return fold


def _fold(x: Floats, y: Bools, held: Bools, features: str | float, weight: float, trees: tuple[int, ...]) -> Floats:
    """The recall of what is held back, (trees, depths) in a row."""
    share = sqrt(x.shape[1]) / x.shape[1] if isinstance(features, str) else features
    weights = np.where(y[~held], weight, 1 - weight)
    known = ForestSettings(trees=trees[-1], features=share)
    forest = grow(x[~held], y[~held].astype(np.float64), known, weights)
    rows, fitting = x[held & y], list[float]()
    for n in trees:
        for depth in DEPTHS:
            mean = cut(replace(forest, root=forest.root[:n]), depth).predict(rows).mean
            fitting.append(float((mean > 0.5).mean()))
    return np.array(fitting)


def cut(forest: Trees, depth: int | None) -> Trees:
    """The forest with leaves in place of what stands at the depth."""
    if depth is None:
        return forest
    feature, level = forest.feature.copy(), forest.root
    for _ in range(depth):
        inner = level[feature[level] >= 0]
        level = np.concatenate([forest.left[inner], forest.left[inner] + 1])
    feature[level] = -1
    return replace(forest, feature=feature)
