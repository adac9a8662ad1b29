"""A kind of parameter answers everything that differs by kind: a sixth one needs no other module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from tunepass.space.columns import Column, Indices
from tunepass.space.configuration import Value
from tunepass.space.feasible.diagram.compiled import build_group
from tunepass.space.feasible.product import GroupProduct
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.parameters.numeric import NumericParameter

KINDS: list[Parameter] = [
    Real("r", 0.5, 8.0, log=True),
    Integer("i", 1, 40, step=3, default=4),
    Ordinal("o", [1, 2, 4, 8, 16, 32, 64]),
    Categorical("c", ["x", "y"]),
    Categorical("b", [False, True]),
    Permutation("p", ["i", "j", "k"]),
]


@pytest.mark.parametrize(
    "parameter,written,value",
    [*zip(KINDS, ["2", "7", "16.0", "y", "true", "(k i j)"], [2, 7, 16, "y", True, ("k", "i", "j")])],
    ids=lambda x: getattr(x, "name", None),
)
def test_a_written_value_is_read_and_no_other(parameter: Parameter, written: str, value: Value) -> None:
    assert parameter.parse(written) == value and parameter.canonical(value) == value
    assert parameter.parse("nothing") is None and parameter.canonical("nothing") is None


def test_what_is_expected_names_the_nearest_numbers() -> None:
    assert KINDS[2].expected("25") == "it takes 1, 2, ..., 64; the nearest are 16 and 32"
    assert KINDS[0].expected("20") == "it takes 0.5 .. 8" and KINDS[3].expected("z") == "it takes x, y"
    assert KINDS[5].expected("i j") == "it takes the orders of i j k"


@pytest.mark.parametrize("parameter", KINDS, ids=lambda p: p.name)
def test_only_the_default_is_at_no_distance_from_it(parameter: Parameter) -> None:
    assert parameter.distance_from_default(parameter.default) == 0
    moved, _ = parameter.steps(parameter.column([parameter.default]), 128)
    assert all(0 < parameter.distance_from_default(v) <= 1 for v in parameter.values(moved))


class PowersOfTwo(NumericParameter):
    """1, 2, 4, ... 2^most: a kind that only this test knows."""

    def __init__(self, name: str, most: int):
        self.name, self.most, self.span = name, most, None
        self.log, self.default, self.prior = True, 1, None

    @property
    def type(self):  # type: ignore[no-untyped-def]
        return Integer("i", 0, 1).type

    @property
    def size(self) -> int:
        return self.most + 1

    @property
    def domain(self) -> Sequence[int]:
        return [1 << k for k in range(self.size)]

    def ends(self) -> tuple[float, float]:
        return 1.0, float(1 << self.most)

    def admits(self, value: object) -> bool:
        return value in self.domain

    def column(self, values: Sequence[Value]) -> Column:
        return np.array(values, np.int64)

    def values(self, column: Column) -> list[Value]:
        return list(column.tolist())

    def at(self, index: Indices) -> Column:
        return np.left_shift(1, index)

    def find(self, column: Column) -> Indices:
        return np.array([self.domain.index(v) if v in self.domain else -1 for v in column.tolist()], np.int64)

    def from_unit(self, u: np.ndarray) -> Column:  # type: ignore[type-arg]
        return self.at(np.rint(u * self.most).astype(np.int64))

    def masses(self) -> np.ndarray:  # type: ignore[type-arg]
        return np.full(self.size, 1 / self.size)

    def definition(self) -> Mapping[str, Value | list[Value]]:
        return {"most": self.most}


def test_a_sixth_kind_is_counted_constrained_drawn_and_moved() -> None:
    from tunepass.expr.parser import parse

    powers, other = PowersOfTwo("w", 6), Integer("i", 1, 6)
    parameters: list[Parameter] = [powers, other]  # type: ignore[list-item]
    group = build_group(parameters, [parse("w * i <= 32", {p.name: p.type for p in parameters})], 1000)
    product = GroupProduct(parameters, [group])
    expected = {(w, i) for w in powers.domain for i in range(1, 7) if w * i <= 32}
    rows = product.rows(np.arange(product.size))
    assert set(zip(rows["w"].tolist(), rows["i"].tolist())) == expected
    drawn = product.draw(50, np.random.default_rng(0), prior=True)
    assert product.contains(drawn).all()
    moved, _ = product.steps({"w": np.array([4]), "i": np.array([6])})["w"]
    assert sorted(moved.tolist()) == [1, 2]
    assert powers.summary() == "1, 2, 4, 8, 16, 32, 64" and powers.kind == "powersoftwo"


def test_a_representation_has_the_condition_where_there_is_one() -> None:
    always, sometimes = Integer("depth", 1, 4), Integer("depth", 1, 4, when="mode == 'tree'")
    assert repr(always) == "Integer(name='depth', lo=1, hi=4, step=1, log=False, default=1, prior=None)"
    assert repr(Real("ratio", 0.0, 1.0, step=0.25)).endswith("prior=None, step=0.25)")
    assert repr(sometimes) == f"{repr(always)[:-1]}, when=\"mode == 'tree'\")"
