"""Matrix products and Cholesky factors whose bits do not depend on a BLAS's threads (native/src/matrices.c)."""

from __future__ import annotations

import numpy as np

from tunepass import _native
from tunepass.surrogates.base import Floats
from tunepass.surrogates.kernels import factor

_ffi, _lib = _native.ffi, _native.lib
_DOUBLES = _ffi.typeof("double[]")  # once: there are many calls


class NotPositiveError(ArithmeticError):
    """The matrix is not positive definite."""


def product(a: Floats, b: Floats) -> Floats:
    """a (m, k) times b (k, n)."""
    (m, k), n = a.shape, b.shape[1]
    if len(b) != k:
        raise ValueError(f"columns of a must be rows of b, got {a.shape} and {b.shape}")
    out = np.empty((m, n))
    if _lib.tp_matrix_product(_reals(a), m, k, _reals(b), n, _reals(out)):
        raise MemoryError(f"no memory for a product over {k} terms")
    return out


def times_vector(a: Floats, b: Floats) -> Floats:
    """a (m, k) times b (k,), (m,)."""
    return product(a, b[:, None])[:, 0]


def inverse_factor(matrix: Floats) -> tuple[Floats, float]:
    """u^-1 (n, n) and log |matrix| of a symmetric `matrix` = u^T u, u upper triangular, so that its inverse is
    u^-1 u^-T. NotPositiveError if it is not positive definite."""
    u = np.array(matrix, dtype=np.float64, order="C")
    if not np.isfinite(u).all() or not factor(u):
        raise NotPositiveError("the matrix is not positive definite")
    inverse = np.empty_like(u)
    _lib.tp_matrix_triangular_inverse(_reals(u), len(u), _reals(inverse))
    return inverse, 2.0 * float(np.log(np.diagonal(u)).sum())


def _reals(a: Floats) -> object:
    """A pointer to an array's data, or to that of a copy in rows."""
    if not a.flags.c_contiguous or a.dtype != np.float64:
        a = np.ascontiguousarray(a, dtype=np.float64)
    return _ffi.from_buffer(_DOUBLES, a)
