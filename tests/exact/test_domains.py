"""The values of parameters in ascending order."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import SpaceError
from tunepass.exact.domains import is_numeric, ordered_domain, ordered_values
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation


def test_domains_ascend() -> None:
    assert ordered_domain(Ordinal("tile", [64, 4, 16])).tolist() == [4, 16, 64]
    assert is_numeric(Categorical("on", [True, False])) and not is_numeric(Categorical("kind", ["x", "y"]))
    with pytest.raises(SpaceError, match="order: branch and bound needs parameters with finitely many"):
        ordered_domain(Permutation("order", 3))


def test_a_domain_that_nobody_lists_is_refused() -> None:
    with pytest.raises(SpaceError, match="n: an exact solver lists its values, and 1,000,000,000,000 are too many"):
        ordered_values(Integer("n", 1, 10**12))
