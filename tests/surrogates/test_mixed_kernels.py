"""Covariances over random mixed spaces: whatever the parameters are, kernels are positive semi-definite."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.space.features.embedding import Embedding
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.space import Space
from tunepass.surrogates.kernels import CovarianceKernel, Features, covariance, distances

KINDS = (
    lambda n, k: Real(n, 1e-2, 1.0 + k, log=bool(k % 2)),
    lambda n, k: Integer(n, 1, 2 + k, log=bool(k % 2)),
    lambda n, k: Ordinal(n, [2**i for i in range(k + 1)], log=bool(k % 2)),
    lambda n, k: Categorical(n, [f"c{i}" for i in range(k + 1)]),
    lambda n, k: Permutation(n, 2 + k % 4),
)
PARAMETERS = st.lists(st.tuples(st.integers(0, len(KINDS) - 1), st.integers(1, 6)), min_size=1, max_size=6)


@examples(80)
@given(
    PARAMETERS,
    st.sampled_from(["spearman", "kendall", "hamming", "naive"]),
    st.sampled_from(["matern52", "matern32", "se"]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_kernels_are_positive_semi_definite_on_random_mixed_spaces(
    drawn: list[tuple[int, int]], permutation: str, kernel: str, log: bool, seed: int
) -> None:
    parameters: list[Parameter] = [KINDS[kind](f"p{i}", k) for i, (kind, k) in enumerate(drawn)]
    rng = np.random.default_rng(seed)
    embedding = Embedding(parameters, permutation=permutation, log=log)  # type: ignore[arg-type]
    x = embedding.rows(Space(parameters).sample_columns(25, rng))
    features = Features.of(embedding.group, embedding.nominal)
    d2 = distances(x, x, features)
    assert (np.diagonal(d2, axis1=1, axis2=2) == 0).all() and (d2 >= 0).all()
    np.testing.assert_allclose(d2, d2.transpose(0, 2, 1), atol=1e-15)
    l = rng.gamma(2, 0.5, embedding.group.max() + 1) + 0.05
    upper = covariance(x, features, CovarianceKernel(kernel, l, 1.0, 0.0), 0.0)  # type: ignore[arg-type]
    assert np.linalg.eigvalsh(upper + np.triu(upper, 1).T).min() > -1e-9
