"""Registers of configurations that were not compiled are estimated from those of their neighbours."""

from __future__ import annotations

import numpy as np

from tunepass.expr.nodes import INTEGER, Name
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.gpu.register_lessons import MOST, Lessons, learn

X, Y = Name("X", INTEGER), Name("Y", INTEGER)
GRID = np.array([(x, y) for x in range(1, 11) for y in range(1, 11)])
COLUMNS = {"X": GRID[:, 0], "Y": GRID[:, 1]}
ESTIMATED = np.full(len(GRID), 40.0)
TRUE = 40 * (1 + 0.08 * GRID[:, 0]) * np.where(GRID[:, 1] > 5, 1.3, 1.0)  # off by what both parameters are


def lessons(seen: np.ndarray) -> Lessons:
    return learn((X, Y), {name: column[seen] for name, column in COLUMNS.items()}, ESTIMATED[seen], TRUE[seen])


def factors(known: Lessons) -> np.ndarray:
    return np.asarray(evaluate(known.factor(), COLUMNS, len(GRID)).values, float)


def test_what_was_seen_of_neighbours_is_expected_of_the_others() -> None:
    seen = np.arange(len(GRID)) % 3 == 0
    off = np.abs(np.log(TRUE / ESTIMATED))[~seen]
    left = np.abs(np.log(TRUE / (ESTIMATED * factors(lessons(seen)))))[~seen]
    assert left.mean() < 0.15 * off.mean()


def test_far_from_all_reports_one_factor_is_kept() -> None:
    seen = (GRID[:, 0] <= 4) & (np.arange(len(GRID)) % 2 == 0)
    known = lessons(seen)
    far = {"X": np.array([10_000]), "Y": np.array([10_000])}
    factor = float(evaluate(known.factor(), far, 1).values[0])
    assert np.isclose(factor, np.exp(known.constant)) and np.isclose(
        known.constant, np.log(TRUE / ESTIMATED)[seen].mean()
    )


def test_reports_that_agree_are_one_factor() -> None:
    known = learn((X, Y), COLUMNS, ESTIMATED, 1.5 * ESTIMATED)
    assert np.allclose(factors(known), 1.5) and known.error < 1e-6


def test_what_does_not_vary_and_what_is_not_defined_is_left_out() -> None:
    columns = {"X": np.full(6, 3), "Y": np.arange(6)}
    known = learn((X, Y), columns, np.full(6, 20.0), np.linspace(20, 40, 6))
    assert known.features == (Y,)


def test_the_expression_has_a_bound_whatever_the_reports() -> None:
    known = learn((X, Y), COLUMNS, ESTIMATED, TRUE)
    assert len(known.points) == len(known.weights) == MOST
    assert np.abs(np.log(TRUE / (ESTIMATED * factors(known)))).mean() < 0.02
