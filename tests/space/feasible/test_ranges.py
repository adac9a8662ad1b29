"""Ranges of terms: their ends are numbers, also where a value overflows."""

from __future__ import annotations

import math
import warnings

import numpy as np

from tunepass.space.feasible.ranges.bounds import HUGE, TermRange, _settled, box, constant, multiply, of_values


def test_an_infinite_end_is_as_large_as_an_end_can_be() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        above = _settled(math.inf, math.inf, False, real=True)
        below = _settled(-math.inf, -math.inf, False, real=True)
    assert HUGE * 0.99 < float(above.lo) <= float(above.hi) == HUGE
    assert -HUGE == float(below.lo) <= float(below.hi) < -HUGE * 0.99


def test_numbers_of_any_size_compute_without_a_warning() -> None:
    values = np.array([1e10, -3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        product = multiply((TermRange(values, values, False), constant(1e305)), real=True)
        undefined = multiply((of_values(np.array([math.inf, math.nan]), True), box(0.0, 1e305)), real=True)
    assert np.all(product.lo <= product.hi) and float(np.max(product.hi)) == HUGE
    assert undefined.undefined and np.all(np.isfinite(undefined.hi))
