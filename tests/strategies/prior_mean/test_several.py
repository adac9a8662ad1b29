"""Several sources as one prior mean: which of them the trials agree with counts."""

from __future__ import annotations

import numpy as np
import pytest

import tunepass as tp
from tunepass.diagnostics import StudyError
from tunepass.expr.parser import parse
from tunepass.space.columns import Columns
from tunepass.strategies.prior_mean.several import SeveralPriorMeans
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.strategies.prior_mean.taught import TaughtPriorMean

SPACE = tp.Space([tp.Integer("a", 1, 40), tp.Integer("b", 1, 40)])
BY_A, BY_B = PriorMean.from_expression("10 + a"), PriorMean.from_expression("1000 * (10 + b)")


def columns(n: int) -> Columns:
    return SPACE.sample_columns(n, np.random.default_rng(1))


def test_it_is_part_of_the_public_interface() -> None:
    assert tp.SeveralPriorMeans is SeveralPriorMeans
    with pytest.raises(StudyError, match="one at least"):
        SeveralPriorMeans([])


def test_all_sources_count_the_same_at_first_whatever_their_units() -> None:
    several = SeveralPriorMeans([BY_A, BY_B])
    values = several.values(SPACE, {"a": np.array([1, 40, 1]), "b": np.array([40, 1, 1])})
    assert values[0] == pytest.approx(values[1], rel=0.05) and values[2] < values[0]
    assert (values > 0).all()  # sources on the log scale give a prior mean on it


def test_the_source_that_agrees_with_the_trials_takes_over() -> None:
    several, tried = SeveralPriorMeans([BY_A, BY_B]), columns(12)
    assert several.weigh(SPACE, tried, 3.0 * (10.0 + tried["b"]))
    assert several.weights[1] > 0.95
    assert not several.weigh(SPACE, tried, 3.0 * (10.0 + tried["b"]))
    at = several.values(SPACE, {"a": np.array([1, 40]), "b": np.array([40, 1])})
    assert at[0] > 2 * at[1]


def test_few_trials_do_not_rule_a_source_out() -> None:
    several, tried = SeveralPriorMeans([BY_A, BY_B]), columns(3)
    several.weigh(SPACE, tried, 3.0 * (10.0 + tried["b"]))
    assert several.weights.min() > 0.02
    several.weigh(SPACE, columns(1), np.array([1.0]))
    assert several.weights.tolist() == [0.5, 0.5]


def test_where_a_source_says_nothing_the_others_count() -> None:
    several = SeveralPriorMeans([BY_A, PriorMean.from_expression("1 / (b - 1)")])
    values = several.values(SPACE, {"a": np.array([1, 40]), "b": np.array([1, 1])})
    assert np.isfinite(values).all() and values[0] < values[1]
    nothing = SeveralPriorMeans([PriorMean.from_expression("1 / (b - 1)")])
    assert np.isnan(nothing.values(SPACE, {"a": np.array([1]), "b": np.array([1])})).all()


def test_the_best_of_each_source_are_known_in_turn() -> None:
    rows = [{"a": 1, "b": 5}, {"a": 2, "b": 5}, {"a": 3, "b": 6}]
    first = PriorMean.from_observations(rows, [1.0, 2.0, 3.0])
    second = PriorMean.from_observations(rows, [3.0, 2.0, 1.0])
    known = SeveralPriorMeans([first, second]).known(SPACE, 3, largest=False)
    assert [c["a"] for c in known] == [1, 3, 2]


def test_a_source_that_learns_is_renewed() -> None:
    types = {p.name: p.type for p in SPACE.parameters}
    reports = 0
    taught = TaughtPriorMean(parse("10 + a", types), lambda: reports, lambda: parse("10 + b", types))
    several, places = SeveralPriorMeans([taught]), {"a": np.array([1, 40]), "b": np.array([40, 1])}
    assert not several.renew() and np.diff(several.values(SPACE, places)) > 0
    reports = 8
    assert several.renew() and np.diff(several.values(SPACE, places)) < 0
    assert not several.renew() and not SeveralPriorMeans([BY_A]).renew()


@pytest.mark.parametrize("maximise", [False, True])
def test_a_search_follows_the_sibling_that_is_like_it(maximise: bool) -> None:
    def rate(c: tp.Configuration) -> float:
        time = 20.0 + abs(c["a"] - 31) + 2 * abs(c["b"] - 7)  # type: ignore[operator]
        return 1000 / time if maximise else time

    like = "20 + abs(a - 29) + 2 * abs(b - 8)"
    unlike = "20 + abs(a - 3) + 2 * abs(b - 35)"
    sources = [PriorMean.from_expression(f"1000 / ({text})" if maximise else text) for text in (unlike, like)]
    several = SeveralPriorMeans(sources)
    study = tp.Study(SPACE, [tp.Objective("rate", maximise=maximise)], max_evals=14, prior_mean=several)
    while not study.finished:
        for c in study.suggest():
            study.observe(c, tp.Measured({"rate": rate(c)}))
    assert several.weights[1] > 0.9
    assert (
        study.best is not None
        and 20 <= (1000 / rate(study.best.configuration) if maximise else rate(study.best.configuration)) <= 23
    )
    assert study.trust is not None and study.trust.rank_correlation > 0.5
