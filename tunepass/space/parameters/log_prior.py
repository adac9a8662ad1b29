"""The parameters' priors of whole configurations: how likely the user thinks each is to be the best."""

from __future__ import annotations

import numpy as np

from tunepass.space.columns import Columns, length
from tunepass.space.parameter import Column, Integer, Parameter, Permutation, Real
from tunepass.space.prior import Floats
from tunepass.space.space import Space

LEAST = 1e-12  # probability of what a prior rules out: doubted for long, never excluded
EDGE = 0.005  # share of a real range: at its ends some Beta densities are infinite


def log_prior(space: Space, columns: Columns) -> Floats:
    """Log prior (n,) of a space's rows up to a constant, the sum over the parameters that have one."""
    total = np.zeros(length(columns))
    for parameter in space.parameters:
        if parameter.prior is not None:
            total += np.maximum(_log(parameter, columns[parameter.name]), np.log(LEAST))
    return total


def _log(p: Parameter, column: Column) -> Floats:
    if isinstance(p, Real):
        return p.prior.log_density(np.clip(p.unit(column), EDGE, 1 - EDGE)) if p.prior else np.zeros(len(column))
    if isinstance(p, Integer):
        return p.log_density(column)
    masses = np.maximum(p.masses(), LEAST)
    if isinstance(p, Permutation):
        return _order(masses, np.asarray(column, np.int64))
    return np.asarray(np.log(masses[p.find(column)] / masses.max()))


def _order(weights: Floats, rows: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> Floats:
    """Each position chooses among the items still unused, by their weights (k, k)."""
    total, unused = np.zeros(len(rows)), np.ones(rows.shape, np.bool_)
    at = np.arange(len(rows))
    for position in range(rows.shape[1]):
        weight = np.where(unused, weights[position], 0.0)
        item = rows[:, position]
        total += np.log(weight[at, item]) - np.log(weight.sum(axis=1))
        unused[at, item] = False
    return total
