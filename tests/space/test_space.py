"""What a space promises beyond counting: errors, warnings, defaults, priors, tables, reals, the node limit."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import SpaceError
from tunepass.space.configuration import Configuration
from tunepass.space.features.encoding import Encoding
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_an_empty_space_names_a_minimal_conflict() -> None:
    parameters = [Integer("a", 1, 8), Integer("b", 1, 8)]
    with pytest.raises(SpaceError) as error:
        Space(parameters, ["a % 2 == 0", "a + b > 3", "a * b == 7", "b < 8"])
    text = str(error.value)
    assert "a * b == 7" in text and "a % 2 == 0" in text
    assert "a + b > 3" not in text and "b < 8" not in text
    assert len(error.value.diagnostics) == 2 and all(d.span is not None for d in error.value.diagnostics)


def test_a_constant_false_constraint_empties_the_space() -> None:
    with pytest.raises(SpaceError, match="1 > 2"):
        Space([Integer("a", 1, 2)], ["1 > 2"])


def test_an_infeasible_default_moves_to_the_nearest_and_warns() -> None:
    space = Space([Integer("a", 1, 8, default=5), Integer("b", 1, 8, default=7)], ["a * b <= 30", "a >= 4"])
    assert space.default == Configuration({"a": 4, "b": 7})
    assert "infeasible" in space.warnings[0].message


def test_long_free_integers_are_never_listed() -> None:
    space = Space([Integer("n", 1, 10**9, log=True, prior="decay"), Permutation("p", 15), Ordinal("t", [1, 2])])
    drawn = space.sample(100, rng(), prior=True)
    assert len(set(drawn)) == 100 and space.contains_columns(space.columns(drawn)).all()
    assert space.rank(space.unrank(10**20)) == 10**20
    assert np.isfinite(space.log_prior(space.columns(drawn))).all()


def test_a_size_beyond_64_bits_is_exact() -> None:
    parameters = [Integer(f"x{i}", 0, 63) for i in range(16)]
    tied = " + ".join(f"x{i}" for i in range(16))
    space = Space(parameters, [f"({tied}) % 2 == 0"])
    assert space.size == 64**16 // 2
    assert space.rank(space.unrank(space.size - 1)) == space.size - 1
    assert len(set(space.sample(50, rng()))) == 50


def test_past_the_node_limit_the_space_is_sampled() -> None:
    parameters = [Integer(f"x{i}", 1, 50) for i in range(6)]
    space = Space(parameters, ["x0 * x1 + x2 * x3 + x4 * x5 <= 900", "x0 + x5 * 3 != x3"], node_limit=500)
    assert not space.complete and "sampled" in space.warnings[0].message
    drawn = space.sample(200, rng())
    assert len(set(drawn)) == 200 and all(space.contains(c) for c in drawn)
    assert space.neighbours(drawn[0]) and all(space.contains(c) for c in space.neighbours(drawn[0]))
    with pytest.raises(SpaceError, match="no size"):
        _ = space.size


def test_domains_too_long_to_list_are_drawn_and_nothing_found_is_no_error() -> None:
    space = Space([Integer("a", 1, 10**9), Integer("b", 1, 10**9)], ["a < b"])
    assert not space.complete and len(space.sample(50, rng())) == 50
    rare = Space([Integer("a", 1, 10**9), Integer("b", 1, 10**9)], ["a * 7 == b * b"])
    assert all(c["a"] * 7 == c["b"] * c["b"] for c in rare.sample(5, rng()))  # type: ignore[operator]


def test_reals_are_drawn_and_constrained_by_sampling() -> None:
    space = Space([Real("r", 0, 10), Integer("n", 1, 10), Real("s", 1e-3, 1, log=True)], ["r * n <= 5", "r > 0.1"])
    drawn = space.sample(100, rng())
    assert len(drawn) == 100 and all(0.1 < c["r"] <= 5 / c["n"] for c in drawn)  # type: ignore[operator]
    assert not space.finite
    with pytest.raises(SpaceError, match="no size"):
        _ = space.size


def test_a_table_is_a_space_of_its_rows() -> None:
    rows = [{"t": t, "s": s, "p": p} for t in (1, 2, 4) for s in ("x", "y") for p in ((0, 1), (1, 0)) if t + len(s) > 2]
    space = Space.from_table([*rows, rows[0]])
    assert space.size == len(rows) and {tuple(c.items()) for c in space.enumerate()} == {tuple(r.items()) for r in rows}
    assert not space.contains({"t": 1, "s": "x", "p": (0, 1)})
    assert all(space.rank(space.unrank(i)) == i for i in range(space.size))


def test_uniform_sampling_is_uniform() -> None:
    space = Space([Integer("a", 1, 6), Integer("b", 1, 6)], ["a * b % 3 != 0", "a <= b"])
    generator, counts = rng(), np.zeros(space.size)
    for _ in range(3000):
        counts[space.rank(space.sample(1, generator)[0])] += 1
    expected = 3000 / space.size
    assert ((counts - expected) ** 2 / expected).sum() < 2.5 * space.size


def test_prior_sampling_follows_the_prior_restricted_to_the_feasible() -> None:
    a = Integer("a", 1, 4, prior=(2, 3))
    c = Categorical("c", ["x", "y", "z"], prior=[0.6, 0.4, 0.0])
    p = Permutation("p", 3, prior=[[4, 1, 1], [1, 1, 1], [1, 1, 1]])
    space = Space([a, c, p], ["a > 1 or c == 'x'", "pos(p, 0) < a"])
    everything = list(space.enumerate())
    weight = np.exp(space.log_prior(space.columns(everything)))
    generator, counts = rng(), np.zeros(len(everything))
    for _ in range(300):
        columns = space.groups[0].draw_by_prior(20, generator)
        for r in space.groups[0].walk(columns)[1]:
            counts[r] += 1
    for g in space.groups[1:]:
        raise AssertionError(g)
    expected = weight / weight.sum() * counts.sum()
    assert (counts[weight == 0] == 0).all()
    live = weight > 0
    assert ((counts - expected)[live] ** 2 / expected[live]).sum() < 2.0 * live.sum()
    assert len(set(space.sample(space.size, generator, prior=True))) == space.size


def test_encoding_scales_expands_and_positions() -> None:
    space = Space(
        [Ordinal("t", [1, 2, 4], log=True), Categorical("s", ["x", "y"]), Permutation("p", 3), Real("r", 0, 4)]
    )
    columns = space.columns([Configuration({"t": 2, "s": "y", "p": (2, 0, 1), "r": 1.0})])
    encoding = Encoding(space)
    assert encoding.encode(columns).tolist() == [[0.5, 0.0, 1.0, 0.5, 1.0, 0.0, 0.25]]
    assert len(encoding.features) == 7


@pytest.mark.parametrize(
    "make,message",
    [
        (lambda: Space([Integer("a", 1, 2), Integer("a", 1, 2)]), "distinct"),
        (lambda: Space([]), "at least one"),
        (lambda: Integer("a", 3, 2), "lo <= hi"),
        (lambda: Integer("a", 1, 2, step=0), "step >= 1"),
        (lambda: Integer("a", 1, 2, default=3), "not one of its values"),
        (lambda: Integer("1a", 1, 2), "name"),
        (lambda: Integer("and", 1, 2), "expression language"),
        (lambda: Integer("a", 0, 2, log=True), "log"),
        (lambda: Real("a", 0, float("nan")), "finite"),
        (lambda: Real("a", 0, 1, prior="bell"), "prior"),
        (lambda: Real("a", 0, 1, prior=(0, 1)), "a > 0"),
        (lambda: Ordinal("a", []), "at least one"),
        (lambda: Ordinal("a", [1, 1]), "twice"),
        (lambda: Ordinal("a", [1, True]), "Boolean"),
        (lambda: Ordinal("a", ["x"]), "numbers"),
        (lambda: Categorical("a", ["x", 1]), "all strings"),
        (lambda: Categorical("a", ["x", "y"], prior=[1.0]), "one probability per value"),
        (lambda: Categorical("a", ["x", "y"], prior=[-1.0, 2.0]), "negative"),
        (lambda: Permutation("a", 0), "items"),
        (lambda: Permutation("a", 3, default=(0, 1, 1)), "not one of its values"),
        (lambda: Permutation("a", 2, prior=[[1, 1]]), "2 x 2"),
        (lambda: Space([Integer("a", 1, 2)], ["a + 1"]), "true or false|Bool"),
    ],
)
def test_bad_input_is_a_space_error(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SpaceError, match=message):
        make()


def test_rows_of_indices_are_feasible_as_their_values_are() -> None:
    parameters = [
        Categorical("free", ["x", "y"]),
        Integer("a", 1, 4),
        Ordinal("b", [1, 2, 4]),
        Categorical("f", [0, 1]),
    ]
    space = Space(parameters, ["a % b == 0"])
    rows = np.stack(np.meshgrid(*(np.arange(p.size or 0) for p in parameters)), axis=-1).reshape(-1, 4)
    inside = space.contains_indices(rows)
    assert inside.sum() == space.size
    columns = {p.name: p.at(rows[:, number]) for number, p in enumerate(parameters)}
    np.testing.assert_array_equal(inside, space.contains_columns(columns))
    assert len(space._product._binding) == 1  # parameters that no constraint names are not looked at
