from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tunepass.surrogates.matrices import NotPositiveError, inverse_factor, product, times_vector


@examples(60)
@given(st.integers(1, 30), st.integers(0, 30), st.integers(1, 30), st.integers(0, 10**6))
def test_products_equal_numpys(m: int, k: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(m, k)), rng.normal(size=(n, k)).T
    np.testing.assert_allclose(product(a, b), a @ b, atol=1e-12)
    np.testing.assert_allclose(times_vector(a, b[:, 0]), a @ b[:, 0], atol=1e-12)


def test_shapes_of_a_product_must_match() -> None:
    with pytest.raises(ValueError, match="columns of a must be rows of b"):
        product(np.ones((2, 3)), np.ones((2, 3)))


@pytest.mark.parametrize("n", [1, 7, 8, 9, 33])
def test_a_factors_inverse_gives_the_inverse_and_the_determinant(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(n, n + 2))
    matrix = product(x, x.T)
    inverse, log_determinant = inverse_factor(matrix)
    np.testing.assert_allclose(inverse @ inverse.T @ matrix, np.eye(n), atol=1e-9)
    assert log_determinant == pytest.approx(np.linalg.slogdet(matrix)[1])
    assert (np.tril(inverse, -1) == 0).all()


@pytest.mark.parametrize("matrix", [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.0], [0.0, np.nan]]])
def test_a_matrix_that_is_not_positive_is_refused(matrix: list[list[float]]) -> None:
    with pytest.raises(NotPositiveError):
        inverse_factor(np.array(matrix))
