"""The ends of domains, as intervals hold them."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.expr.domain import Interval, ends, number
from tunepass.expr.nodes import BOOL, INT_MAX, INT_MIN, INTEGER, REAL, CategoryType

C = CategoryType(("u", "v", "w"))


def test_ends() -> None:
    assert ends(Interval(1, 5), INTEGER) == (1, 5) and ends((8, 2), INTEGER) == (2, 8)
    assert ends(("w", "v"), C) == (1, 2) and ends(np.array([2, 0]), C) == (0, 2)
    assert ends(None, INTEGER) == (INT_MIN, INT_MAX) and ends(None, BOOL) == (0, 1)
    assert ends(None, REAL) == (-np.inf, np.inf) and ends(None, C) == (0, 2)
    assert number("v", C) == 1 and number(True, INTEGER) == 1


def test_a_range_is_not_empty() -> None:
    with pytest.raises(ValueError, match="lo <= hi"):
        Interval(2, 1)
