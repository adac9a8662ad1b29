from __future__ import annotations

import numpy as np

from tunepass.space.features.embedding import Embedding
from tunepass.space.parameter import Real
from tunepass.strategies.bo.models import GpModel
from tunepass.strategies.bo.output import OutputChoice, interval_score
from tunepass.strategies.transforms import PLAIN, log_scale_of
from tunepass.surrogates.base import Floats, Posterior
from tunepass.surrogates.gp import GpSettings


def choice() -> OutputChoice:
    embedding = Embedding([Real("a", 0.0, 1.0), Real("b", 0.0, 1.0)])
    return OutputChoice(GpModel(embedding, GpSettings()), GpModel(embedding, GpSettings()))


def rows() -> Floats:
    return np.random.default_rng(0).random((24, 2))


def test_products_are_fitted_on_the_log_scale() -> None:
    x = rows()
    loss = np.exp(6 * x[:, 0] - 4 * x[:, 1] ** 2)
    chosen = choice()
    assert chosen.choose(x, loss) == log_scale_of(loss) != PLAIN
    assert chosen.model is chosen.on_log_scale


def test_what_reaches_zero_smoothly_is_fitted_as_it_is() -> None:
    x = rows()
    loss = np.cos(np.pi / 2 * x[:, 0]) * (1 + x[:, 1])
    loss[:2] = [0.0, 1e-3]
    x[:2, 0] = [1.0, 0.9995]
    chosen = choice()
    assert chosen.choose(x, loss) == PLAIN
    assert chosen.model is chosen.plain


def test_the_choice_does_not_depend_on_the_path() -> None:
    x = rows()
    loss = x[:, 0] + 0.2 * np.sin(9 * x[:, 1]) + 0.201
    one, other = choice(), choice()
    for n in range(6, 25):
        chosen = one.choose(x[:n], loss[:n])
    assert other.choose(x, loss) == chosen


def test_few_losses_and_losses_of_both_signs() -> None:
    x = rows()
    assert choice().choose(x[:3], np.array([1.0, 10.0, 100.0])).sign == 1
    assert choice().choose(x, x[:, 0] - 0.5) == PLAIN


def test_a_sure_prediction_of_a_value_near_zero_is_worth_no_more_than_others() -> None:
    loss = np.array([1e-9, 1.0, 1.0])
    scale = log_scale_of(np.array([1e-9, 1.0, 1.0]) + 1e-9)  # no offset
    sure = Posterior(scale.apply(loss), np.full(3, 1e-12))
    assert -1e-9 <= interval_score(sure, scale, loss) <= 0.0
    assert -1e-9 <= interval_score(Posterior(loss, np.full(3, 1e-12)), PLAIN, loss) <= 0.0
