from __future__ import annotations

import numpy as np

from tunepass.space.features.embedding import Embedding
from tunepass.space.features.encoding import Encoding
from tunepass.strategies.bo.models import (
    ForestModel,
    GpModel,
    equal_mixture,
    held_out_score,
    informative_rows,
    last_refit,
    model_weights,
    softmax,
)
from tunepass.surrogates.base import Posterior
from tunepass.surrogates.forest import ForestSettings
from tunepass.surrogates.gp import GaussianProcess, GpSettings
from tunepass.surrogates.kernels import Features
from tunepass.testing.strategy import small_space


def test_refits_are_every_row_at_first_and_a_bounded_share_later() -> None:
    points = sorted({last_refit(n) for n in range(1, 2000)})
    assert points[:20] == list(range(1, 21))
    gaps = np.diff(points)
    assert max(gap / n for n, gap in zip(points[20:], gaps[20:]) if n < 200) <= 0.09
    assert max(gap / n for n, gap in zip(points[20:], gaps[20:])) <= 0.25 and (gaps[60:] > 1).all()


def test_hyperparameters_do_not_depend_on_the_path() -> None:
    space = small_space()
    rows = space.sample_columns(60, np.random.default_rng(0))
    embedding = Embedding(space.parameters)
    x = embedding.rows(rows)
    loss = np.sin(3 * x[:, 0]) + x[:, 1]
    steady, sudden = GpModel(embedding, GpSettings()), GpModel(embedding, GpSettings())
    nothing = np.empty((0, x.shape[1]))
    for n in range(50, 61):
        steady.fit(x[:n], loss[:n], nothing)
    sudden.fit(x, loss, nothing)
    np.testing.assert_array_equal(steady.posterior(x).mean, sudden.posterior(x).mean)


def test_draws_take_turns_and_their_mean_is_the_averaged_model() -> None:
    space = small_space()
    x = Embedding(space.parameters).rows(space.sample_columns(36, np.random.default_rng(2)))
    loss = np.sin(3 * x[:, 0]) + x[:, 1]
    settings = GpSettings(samples=3, thompson_rows=35)
    turns, mixed = (
        GpModel(Embedding(space.parameters), settings),
        GpModel(Embedding(space.parameters), GpSettings(samples=3)),
    )
    at = last_refit(33)
    turns.fit(x[:at], loss[:at], x[:0])
    mixed.fit(x[:at], loss[:at], x[:0])
    singles = []
    for theta in next(iter(turns._thetas.values())):
        process = GaussianProcess(Features.of(turns.embedding.group, turns.embedding.nominal), settings)
        process.refit(x[:at], loss[:at], theta)
        singles.append(process.posterior(x))
    assert not np.allclose(singles[0].mean, singles[1].mean)
    mixture, together = equal_mixture(singles), mixed.posterior(x)
    np.testing.assert_array_equal([together.mean, together.variance], [mixture.mean, mixture.variance])
    np.testing.assert_allclose(turns.posterior(x).mean, singles[at % 3].mean)
    for model in (turns, mixed):
        model.fit(x, loss, x[:0])
    np.testing.assert_array_equal(turns.posterior(x).mean, mixed.posterior(x).mean)


def test_a_model_predicts_by_its_latest_fit() -> None:
    space = small_space()
    embedding, rng = Embedding(space.parameters), np.random.default_rng(3)
    x = embedding.rows(space.sample_columns(30, rng))
    loss, other = np.sin(3 * x[:, 0]), rng.normal(size=30)
    used, fresh = (GpModel(embedding, GpSettings(samples=3)) for _ in range(2))
    used.fit(x, other, x[:2])
    before = used.posterior(x)
    used.fit(x, loss, x[:0])
    fresh.fit(x, loss, x[:0])
    np.testing.assert_array_equal(used.posterior(x).mean, fresh.posterior(x).mean)
    assert not np.allclose(used.posterior(x).mean, before.mean)


def test_fantasies_are_believed() -> None:
    space = small_space()
    embedding = Embedding(space.parameters)
    x = embedding.rows(space.sample_columns(30, np.random.default_rng(1)))
    model = GpModel(embedding, GpSettings())
    loss = x[:20, 0] * 3
    model.fit(x[:20], loss, np.empty((0, x.shape[1])))
    before = model.posterior(x[20:21])
    model.fit(x[:20], loss, x[20:21])
    after = model.posterior(x[20:21])
    assert after.variance[0] < before.variance[0]
    assert abs(after.mean[0] - before.mean[0]) < 0.2 * np.sqrt(before.variance[0]) + 0.05


def test_informative_rows_are_the_best_and_the_latest() -> None:
    loss = np.arange(100)[::-1].astype(float)  # the latest are the best
    np.testing.assert_array_equal(informative_rows(loss, 200), np.arange(100))
    keep = informative_rows(np.abs(np.arange(100) - 10.0), 20)
    assert len(keep) == 20 and set(range(6, 15)) <= set(keep.tolist()) and 99 in keep


def test_the_better_predictor_counts_more() -> None:
    space = small_space()
    columns = space.sample_columns(40, np.random.default_rng(0))
    embedding, encoding = Embedding(space.parameters), Encoding(space)
    gp, forest = GpModel(embedding, GpSettings()), ForestModel(encoding, ForestSettings(), 0)
    smooth = embedding.rows(columns)[:, 0] + 0.5 * embedding.rows(columns)[:, 1]
    for model in (gp, forest):
        model.fit(model.rows(columns), smooth, model.rows(columns)[:0])
    share = model_weights([gp, forest], score_weight=4.0)
    assert share[0] > 0.9 and abs(share.sum() - 1.0) < 1e-12
    np.testing.assert_array_equal(model_weights([gp, forest], score_weight=0.0), 0.5)


class Counting(ForestModel):
    """Counts how often its score is asked for."""

    scores = 0

    def score(self) -> float:
        self.scores += 1
        return super().score()


def test_models_without_a_finite_score_count_alike() -> None:
    assert softmax(np.full(2, -np.inf)).tolist() == [0.5, 0.5]
    assert softmax(np.array([-np.inf, 3.0])).tolist() == [0.0, 1.0]


def test_a_model_alone_is_not_asked_for_its_score() -> None:
    model = Counting(Encoding(small_space()), ForestSettings(), 0)
    np.testing.assert_array_equal(model_weights([model], score_weight=4.0), [1.0])
    assert model.scores == 0
    model_weights([model, model], score_weight=4.0)
    assert model.scores == 2


def test_held_out_score_is_free_of_units_and_prefers_honest_variances() -> None:
    rng = np.random.default_rng(0)
    loss = rng.normal(size=200)
    mean = loss + rng.normal(scale=0.3, size=200)
    score = {v: held_out_score(Posterior(mean, np.full(200, v)), loss) for v in (0.01, 0.09, 1.0)}
    assert score[0.09] > score[0.01] and score[0.09] > score[1.0]
    assert abs(held_out_score(Posterior(mean * 7, np.full(200, 0.09 * 49)), loss * 7) - score[0.09]) < 1e-9


def test_predictions_are_averaged_over_draws_fewer_the_more_rows() -> None:
    space = small_space()
    embedding = Embedding(space.parameters)
    x = embedding.rows(space.sample_columns(30, np.random.default_rng(1)))
    loss = np.sin(3 * x[:, 0]) + x[:, 1]
    x, loss = np.repeat(x, 12, axis=0), np.repeat(loss, 12)
    model = GpModel(embedding, GpSettings(samples=3))
    for rows, count in ((20, 3), (250, 2), (350, 1)):
        model.fit(x[:rows], loss[:rows], x[:0])
        assert len(model._used) == count and np.isfinite(model.score())
        assert (model.posterior(x).variance >= 0).all()


def test_a_bound_is_raised_to_what_its_neighbours_say_and_never_lowered() -> None:
    """Rows beside one another: the bound among the slow rises, the bound that is above its neighbours stays."""
    space = small_space()
    columns = space.sample_columns(80, np.random.default_rng(0))
    embedding = Embedding(space.parameters)
    nothing = np.empty((0, embedding.rows(columns).shape[1]))
    truth = 4 * embedding.rows(columns)[:, 0]
    cut = np.zeros(80, np.bool_)
    cut[:40] = truth[:40] > 2  # above 2, half of the rows are known to be above 2 alone
    loss = np.where(cut, 2.0, truth)
    for model in (GpModel(embedding, GpSettings()), ForestModel(Encoding(space), ForestSettings(), 0)):
        x, errors = model.rows(columns), []
        for bounds in (None, cut):
            model.fit(x, loss, nothing if isinstance(model, GpModel) else x[:0], None, bounds)
            errors.append(np.abs(model.posterior(x[cut]).mean - truth[cut]).mean())
        assert errors[1] < 0.9 * errors[0]
        model.fit(x, truth, x[:0], None, cut & (truth < 0))
        assert np.abs(model.posterior(x).mean - truth).mean() < 1
