"""Rows drawn one parameter after the other: found where they are rare, near uniform, the same for one generator."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.space.columns import length
from tunepass.space.feasible.sampling.conditioned import ConditionedSampler
from tunepass.space.parameter import Integer, Ordinal, Parameter, Real
from tunepass.space.space import Space


def reals(n: int, hi: float = 1.0) -> list[Parameter]:
    return [Real(f"x{i}", 0.0, hi) for i in range(n)]


def total(n: int) -> str:
    return " + ".join(f"x{i}" for i in range(n))


RARE: dict[str, tuple[list[Parameter], list[str]]] = {
    "a product of integers": ([Integer(f"x{i}", 1, 100_000) for i in range(3)], ["x0 * x1 * x2 <= 1000000"]),
    "a product that is given": ([Integer(f"x{i}", 1, 10**6) for i in range(4)], ["x0 * x1 * x2 * x3 == 4096"]),
    "a sum of twenty reals": (reals(20), [f"{total(20)} <= 2"]),
    "a sum that is given": (reals(8), [f"{total(8)} == 1"]),
    "a product of reals that is given": ([Real("x", 1e-3, 1e3), Real("y", 1e-3, 1e3)], ["x * y == 1"]),
    "a quotient": ([Real("x", 0.0, 1.0), Real("y", 1e-6, 1.0)], ["x / y == 0.001"]),
    "a circle": ([Real("x", -1.0, 1.0), Real("y", -1.0, 1.0)], ["x * x + y * y == 1"]),
    "a ball": (
        [Real(f"x{i}", -1.0, 1.0) for i in range(12)],
        [" + ".join(f"x{i} * x{i}" for i in range(12)) + " <= 0.1"],
    ),
    "a ball by powers": (
        [Real(f"x{i}", -1.0, 1.0) for i in range(9)],
        [" + ".join(f"x{i}**2" for i in range(9)) + " <= 0.1"],
    ),
    "an order": (reals(12), [f"x{i} <= x{i + 1}" for i in range(11)]),
    "a band": (reals(6), [f"abs(x{i} - x{i + 1}) < 0.00001" for i in range(5)]),
    "equal products of integers": (
        [Integer(f"x{i}", 1, 5000) for i in range(4)],
        ["x0 * x1 == x2 * x3", "x0 % 7 == 3", "x1 > 1000 and x3 > 1000"],
    ),
    "a product and a sum": (
        [*(Integer(f"x{i}", 1, 100_000) for i in range(6)), Ordinal("k", [1, 2, 4])],
        ["x0 * x1 * x2 * x3 * x4 * x5 * k <= 1000000", "x0 >= x1", "x2 + x3 <= 100"],
    ),
}


@pytest.mark.parametrize("kind", RARE)
def test_rows_are_found_where_draws_meet_none(kind: str) -> None:
    space = Space(*RARE[kind])
    rows = space.sample(40, np.random.default_rng(0))
    assert len(set(rows)) == 40 and all(space.contains(c) for c in rows)
    assert rows == Space(*RARE[kind]).sample(40, np.random.default_rng(0))
    assert space.contains(space.default)


def test_a_draw_does_not_depend_on_the_draws_before() -> None:
    once, twice = Space(*RARE["a sum of twenty reals"]), Space(*RARE["a sum of twenty reals"])
    twice.sample(5, np.random.default_rng(7))
    assert once.sample(5, np.random.default_rng(1)) == twice.sample(5, np.random.default_rng(1))


def test_a_ball_is_drawn_near_uniformly_and_soon() -> None:
    """Uniform in a ball of d reals: the square of the radius is d / (d + 2) of its largest in the mean."""
    space = Space(
        [Real(f"x{i}", -1.0, 1.0) for i in range(10)], [" + ".join(f"x{i}*x{i}" for i in range(10)) + " <= 0.2"]
    )
    drawn = space.sample_columns(1000, np.random.default_rng(0))
    assert length(drawn) == 1000
    assert abs(sum(np.square(x) for x in drawn.values()).mean() / 0.2 - 10 / 12) < 0.03


def test_a_simplex_is_drawn_near_uniformly() -> None:
    """Uniform under a sum of d reals: each is 2 / (d + 1) in the mean, and the sum 2 d / (d + 1)."""
    drawn = Space(reals(10, 2.0), [f"{total(10)} <= 2"]).sample_columns(1000, np.random.default_rng(0))
    means = np.array([drawn[f"x{i}"].mean() for i in range(10)])
    assert np.abs(means - 2 / 11).max() < 0.04
    assert abs(sum(drawn.values()).mean() - 20 / 11) < 0.03  # type: ignore[arg-type, union-attr]


def test_integers_under_a_product_are_drawn_near_uniformly() -> None:
    space = Space([Integer("a", 1, 50_000_000), Integer("b", 1, 60)], ["a * b <= 50000000"])
    sampler = ConditionedSampler(
        [p for p in space.parameters if isinstance(p, Integer)],
        [c.expression for c in space.constraints],
        None,
        prior=False,
    )
    drawn = sampler.draw(1000, np.random.default_rng(0))
    share = np.bincount(drawn["b"].astype(int), minlength=61)[1:4] / length(drawn)
    assert np.abs(share - (1 / np.arange(1, 4)) / (1 / np.arange(1, 61)).sum()).max() < 0.04


def test_priors_weigh_the_rows() -> None:
    texts = [f"{total(6)} <= 1"]
    plain = Space([Real(f"x{i}", 0.0, 1.0) for i in range(6)], texts)
    biased = Space([Real(f"x{i}", 0.0, 1.0, prior=(6.0, 2.0) if i == 0 else None) for i in range(6)], texts)
    uniform = plain.sample_columns(400, np.random.default_rng(0), prior=True)["x0"].mean()
    assert biased.sample_columns(400, np.random.default_rng(0), prior=True)["x0"].mean() > uniform + 0.2


@pytest.mark.parametrize("text", ["x + y == 3", "sqrt(x) + sqrt(y) > 2.0000001", "x * y >= 2 and x < 1"])
def test_ranges_prove_that_nothing_is_feasible(text: str) -> None:
    with pytest.raises(SpaceError, match="the space is empty"):
        Space([Real("x", 0.0, 1.0), Real("y", 0.0, 1.0)], [text])


def test_only_what_conflicts_is_named() -> None:
    with pytest.raises(SpaceError, match=r"the space is empty: no value meets this constraint: x \+ y == 3"):
        Space([Real("x", 0.0, 1.0), Real("y", 0.0, 1.0)], ["x <= 0.5", "x + y == 3"])
