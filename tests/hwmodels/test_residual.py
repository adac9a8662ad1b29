"""What a model's values lack, learned from a few reports."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import INTEGER, Name
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.residual import learn_residual

LANES, TILE = Name("lanes", INTEGER), Name("tile", INTEGER)
TERMS = (alg.apply("log2", alg.mul(1.0, LANES)), alg.apply("log2", alg.mul(1.0, TILE)))
MODEL = alg.add(100, alg.div(8000.0, LANES))


def columns(n: int, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {"lanes": rng.integers(1, 64, n), "tile": 2 ** rng.integers(0, 6, n)}


def value(expression, at) -> np.ndarray:  # type: ignore[no-untyped-def]
    return np.asarray(evaluate(expression, at, len(at["lanes"])).values, float)


def test_one_factor_is_found_from_few_reports() -> None:
    at = columns(4)
    found = learn_residual(MODEL, TERMS, at, np.floor(2 * value(MODEL, at)))
    assert found is not None and found.before == pytest.approx(2, rel=0.02) and found.after < 1.4
    new = columns(50, 1)
    assert np.median(value(found.corrected(MODEL), new) / (2 * value(MODEL, new))) == pytest.approx(1, abs=0.25)


def test_a_trend_is_found_from_more() -> None:
    at, new = columns(24), columns(200, 1)
    truth = lambda c: value(MODEL, c) * c["tile"] ** 0.5  # noqa: E731
    noisy = truth(at) * np.exp(np.random.default_rng(2).normal(0, 0.05, 24)) + 0.5
    found = learn_residual(MODEL, TERMS, at, noisy)
    assert found is not None and found.after < 1.15 < found.before
    error = np.abs(np.log(value(found.corrected(MODEL), new) / truth(new)))
    assert np.median(error) < 0.1 < np.median(np.abs(np.log(value(MODEL, new) / truth(new))))


def test_a_model_that_is_right_is_left_alone() -> None:
    at = columns(12)
    assert learn_residual(MODEL, TERMS, at, value(MODEL, at) + 1e-9) is None
    noise = np.exp(np.random.default_rng(3).normal(0, 0.1, 12))
    assert learn_residual(MODEL, TERMS, at, value(MODEL, at) * noise / noise.mean()) is None


def test_too_few_reports_and_amounts_without_a_ratio_teach_nothing() -> None:
    at = columns(3)
    assert learn_residual(MODEL, TERMS, at, 2 * value(MODEL, at)) is None
    assert learn_residual(alg.lift(-5.0), TERMS, columns(9), np.full(9, 3.0)) is None


def test_amounts_of_nothing_have_a_factor_too() -> None:
    at = columns(8)
    found = learn_residual(alg.mul(0, LANES), TERMS, at, np.full(8, 3.0))
    assert found is not None
    assert value(found.corrected(alg.lift(0)), columns(2)) == pytest.approx([3, 3], rel=0.3)


def test_the_factor_stays_within_what_was_seen() -> None:
    at = {"lanes": np.arange(1, 9), "tile": np.ones(8, int)}
    found = learn_residual(MODEL, TERMS, at, np.floor(value(MODEL, at) * at["lanes"] ** 0.8))
    far = {"lanes": np.array([10_000]), "tile": np.array([1])}
    assert found is not None
    assert value(found.corrected(MODEL), far) <= value(MODEL, far) * 8**0.8 * 1.1
