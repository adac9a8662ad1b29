"""Residual of a model's values, learned from a few reports: a factor on the values of all configurations.

    symbol   shape     meaning
    y        (n,)      log((reported + o) / (model + o)); o is 1 for amounts that are counted, else 0
    X        (n, p)    the terms, to mean 0 and deviation 1, and a column of ones
    w        (p,)      ridge with Huber's loss H: argmin sum H(y - X w) + l |w|^2, a few turns of reweighting

The model is corrected by nothing, by one factor, or by the ridge, whichever predicts the reports best with each left
out in turn; by the ridge only where that also ranks them no worse, since few designs that are far off must not turn
what the model knows of the others. The factor never leaves the range of those that were seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import Columns, evaluate_within

Floats = NDArray[np.float64]
FEW = 4  # reports below which nothing is corrected
PENALTIES = (0.3, 1.0, 3.0, 10.0, 30.0)  # l that are tried
FREE = 0.1  # l of the column of ones
SMALL = 0.005  # an error of y that nothing is done about
BETTER = 0.85  # what the next kind of correction has to bring the error down to
MANY, CLEAR = 8, 0.5  # fewer reports than these correct only what is clear
TURNS = 5  # of reweighting
HUBER = 1.345  # deviations beyond which a residual counts as its distance and not as its square


@dataclass(frozen=True, slots=True)
class Residual:
    """`before` and `after` are the errors of the model's values, as factors: 1.3 is 30 % off in the (geometric) mean.
    `after` is of reports that were left out."""

    slopes: tuple[float, ...]  # by term
    terms: tuple[Expr, ...]
    constant: float
    lowest: float  # of y
    highest: float
    offset: float
    before: float
    after: float
    reports: int

    def corrected(self, value: Expr) -> Expr:
        """The model's value with the factor."""
        weighted = [alg.mul(slope, term) for slope, term in zip(self.slopes, self.terms) if slope]
        y = alg.add(self.constant, *weighted)
        factor = alg.apply("exp", alg.maximum(self.lowest, alg.minimum(self.highest, y)))
        if not self.offset:
            return alg.mul(factor, value)
        return alg.sub(alg.mul(factor, alg.add(value, self.offset)), self.offset)


def learn_residual(value: Expr, terms: Sequence[Expr], columns: Columns, reported: Floats) -> Residual | None:
    """From what was reported (n,) of the configurations in the columns; None where the model is best left alone."""
    n = len(reported)
    offset = 1.0 if (reported == np.floor(reported)).all() else 0.0
    expected = _values(value, columns, n) + offset
    usable = np.isfinite(expected) & (expected > 0) & (reported + offset > 0)
    if usable.sum() < FEW:
        return None
    y = np.log((reported[usable] + offset) / expected[usable])
    base = alg.add(value, offset) if offset else value
    rows = [(term, _values(term, columns, n)[usable]) for term in (alg.apply("log", base), *terms)]
    rows = [(term, row) for term, row in rows if np.isfinite(row).all() and row.std() > 1e-9]
    slopes, constant, after = _best(y, np.log(expected[usable]), [row for _, row in rows])
    before = _error(y)
    if after >= before or before < SMALL:
        return None
    return Residual(
        slopes=tuple(slopes),
        terms=tuple(term for term, _ in rows),
        constant=constant,
        lowest=min(0.0, float(y.min())),
        highest=max(0.0, float(y.max())),
        offset=offset,
        before=float(np.exp(before)),
        after=float(np.exp(after)),
        reports=int(usable.sum()),
    )


def _best(y: Floats, expected: Floats, rows: Sequence[Floats]) -> tuple[list[float], float, float]:
    """Slopes by term, the constant, and the error left out; all zero where no correction is better. `expected` is the
    logarithm of the model's values."""
    n, none = len(y), [0.0] * len(rows)
    better = BETTER if n >= MANY else CLEAR
    slopes, constant, error = none, 0.0, _error(y)
    _, one, left = _ridge(y, np.zeros((n, 0)), 1.0)
    if _error(left) < better * error:
        slopes, constant, error = none, one, _error(left)
    if not rows:
        return slopes, constant, error
    x = np.stack(rows, axis=1)  # (n, p)
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    fits = [_ridge(y, (x - mean) / deviation, penalty) for penalty in PENALTIES]
    weights, one, left = min(fits, key=lambda fit: _error(fit[2]))
    reported = expected + y
    if _error(left) < better * error and _agreement(reported - left, reported) >= _agreement(expected, reported):
        slopes = list(map(float, weights / deviation))
        constant, error = one - float(weights @ (mean / deviation)), _error(left)
    return slopes, constant, error


def _ridge(y: Floats, x: Floats, penalty: float) -> tuple[Floats, float, Floats]:
    """Weights (p,), the constant, and the residuals (n,) with each report left out."""
    design = np.column_stack([x, np.ones(len(y))])
    diagonal = np.diag(np.append(np.full(x.shape[1], penalty), FREE))
    importance = np.ones(len(y))
    for _ in range(TURNS):
        weighted = design.T * importance  # (p + 1, n)
        solved = np.linalg.solve(weighted @ design + diagonal, weighted)
        weights = solved @ y
        residual = y - design @ weights
        leverage = np.einsum("ij,ji->i", design, solved)
        far = np.abs(residual) / max(1e-9, HUBER * 1.4826 * float(np.median(np.abs(residual))))
        importance = 1 / np.maximum(1, far)
    return weights[:-1], float(weights[-1]), residual / np.maximum(1e-9, 1 - leverage)


def _error(residual: Floats) -> float:
    return float(np.abs(residual).mean())


def _agreement(a: Floats, b: Floats) -> float:
    """The rank correlation of two arrays without ties."""
    ranks = [np.argsort(np.argsort(values, kind="stable"), kind="stable") for values in (a, b)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _values(e: Expr, columns: Columns, n: int) -> Floats:
    values: Floats = np.asarray(evaluate_within(e, columns, n).values, np.float64)
    return np.broadcast_to(values, (n,))
