"""A prior mean that is corrected while the search goes on."""

from __future__ import annotations

import numpy as np

import tunepass as tp
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import INTEGER, Name
from tunepass.strategies.base import Task
from tunepass.strategies.history import TrialHistory
from tunepass.strategies.prior_mean.scaled import ScaledPriorMean
from tunepass.strategies.prior_mean.taught import TaughtPriorMean

SPACE = tp.Space([tp.Integer("a", 1, 40, default=20), tp.Integer("b", 1, 40, default=30)])
A, B = Name("a", INTEGER), Name("b", INTEGER)


def test_it_changes_only_when_it_is_renewed_and_enough_is_known() -> None:
    known: list[int] = []
    taught = TaughtPriorMean(A, lambda: len(known), lambda: alg.mul(len(known), B))
    columns = SPACE.columns([SPACE.default])
    assert not taught.renew() and taught.values(SPACE, columns) == [20]
    known += [0] * 5
    assert taught.values(SPACE, columns) == [20]
    assert taught.renew() and taught.values(SPACE, columns) == [150]
    known += [0]
    assert not taught.renew() and taught.values(SPACE, columns) == [150]
    known += [0] * 2
    assert taught.renew() and taught.values(SPACE, columns) == [240]


def test_what_a_strategy_knows_of_it_follows() -> None:
    known: list[int] = []
    taught = TaughtPriorMean(A, lambda: len(known), lambda: B)
    task = Task(space=SPACE, objectives=(tp.Objective("time"),), prior_mean=taught)
    scaled = ScaledPriorMean(task, log=True)
    assert set(scaled.best["a"][:20]) == {1}
    known += [0] * 4
    scaled.renew(TrialHistory(task))
    assert set(scaled.best["b"][:20]) == {1} and len(set(scaled.best["a"][:20])) > 5
    ranks = scaled.rank({"a": np.array([1, 40]), "b": np.array([40, 1])})
    assert ranks[0] > 0.9 and ranks[1] == 0


def test_a_search_with_reports_ends_where_the_model_alone_misleads() -> None:
    """The model takes a for all that counts; reports say it is b."""
    for strategy in ("bayesian", "density_ratio", "auto"):
        known: list[int] = []
        taught = TaughtPriorMean(A, lambda: len(known), lambda: B)  # noqa: B023
        study = tp.Study(SPACE, [tp.Objective("time")], strategy=strategy, seed=1, max_evals=16, prior_mean=taught)
        while not study.finished:
            for configuration in study.suggest(1):
                study.observe(configuration, tp.Measured({"time": 100 + 5.0 * int(configuration["b"])}))
                known.append(0)
        assert study.best is not None and int(study.best.configuration["b"]) <= 4
        assert study.trust is not None and study.trust.rank_correlation > 0.9
