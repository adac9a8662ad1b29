"""The front by enumeration equals the front by branch and bound."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.exact import enumeration
from tunepass.exact.branch_and_bound import pareto_front
from tunepass.exact.enumeration import enumerated_front
from tunepass.expr.parser import parse
from tunepass.space.parameter import Categorical, Integer, Ordinal
from tunepass.space.space import Space

PARAMETERS = [Ordinal("tile", [4, 8, 16, 32, 64]), Integer("par", 1, 24), Categorical("fast", [False, True])]


def expressions(*texts: str):  # type: ignore[no-untyped-def]
    return [parse(text, {p.name: p.type for p in PARAMETERS}) for text in texts]


@pytest.mark.parametrize("chunk", [7, 1 << 18])
def test_both_ways_find_the_same_front(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "CHUNK", chunk)
    space = Space(PARAMETERS, ["tile % par == 0"])
    wanted = expressions("ceildiv(4096, tile) * ceildiv(96, par)", "par * 50 + 3 * tile + if(fast, 40, 0)")
    fits = expressions("tile * par <= 300")
    every = enumerated_front(space, wanted, fits)
    other = pareto_front(PARAMETERS, wanted, [*fits, *(c.expression for c in space.constraints)])
    assert np.array_equal(every.values, other.values)
    assert every.certificate.exact and every.certificate.evaluated == space.size and every.gap == 0
    assert all(space.contains(c) for c in every.configurations)


def test_it_stops_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration, "CHUNK", 16)
    space = Space(PARAMETERS)
    found = enumerated_front(space, expressions("tile", "par"), max_points=40)
    assert 40 <= found.certificate.evaluated < 60 and found.certificate.open > 0 and found.gap == float("inf")
    assert enumerated_front(space, expressions("tile", "par"), stop=lambda: True).certificate.evaluated == 0
