from __future__ import annotations

from tunepass.space.features.embedding import Embedding
from tunepass.space.parameter import Categorical, Ordinal
from tunepass.strategies.bo.lengthscales import ROLES


def test_each_lengthscale_has_the_prior_of_its_role() -> None:
    parameters = [Categorical("f", [False, True]), Ordinal("t", [1, 4, 16], log=True)]
    roles = Embedding(parameters).roles
    assert ROLES.priors(roles) == (ROLES.flag, ROLES.log)
