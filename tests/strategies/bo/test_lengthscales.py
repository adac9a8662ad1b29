from __future__ import annotations

from dataclasses import replace

from tunepass.space.features.embedding import Embedding
from tunepass.space.parameter import Categorical, Ordinal
from tunepass.space.space import Space
from tunepass.strategies.auto import SETTINGS
from tunepass.strategies.bo.bayesian import Bayesian
from tunepass.strategies.bo.lengthscales import ROLES
from tunepass.testing.strategy import task


def test_each_lengthscale_has_the_prior_of_its_role() -> None:
    roles = Embedding([Categorical("f", [False, True]), Ordinal("t", [1, 4, 16], log=True)]).roles
    assert replace(ROLES, more_than=1).priors(roles) == (ROLES.flag, ROLES.log)


def test_a_process_of_few_lengthscales_keeps_its_own_prior() -> None:
    few, many = Space([Categorical("f", [0, 1])]), Space([Categorical(f"f{i}", [0, 1]) for i in range(21)])
    assert ROLES.priors(Embedding(few.parameters).roles) is None
    assert Bayesian(task(few), SETTINGS).process_settings == SETTINGS.gp
    assert Bayesian(task(many), SETTINGS).process_settings.lengthscale == (ROLES.flag,) * 21
