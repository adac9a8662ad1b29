from __future__ import annotations

import numpy as np
import pytest

from tunepass.space.columns import length, take
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation, Real
from tunepass.space.space import Space


def test_batched_neighbours_are_the_neighbours_of_each() -> None:
    space = Space(
        [Ordinal("tile", [1, 2, 4, 8, 16]), Integer("unroll", 1, 8), Categorical("s", ["a", "b"]), Permutation("o", 4)],
        constraints=["tile % unroll == 0", "pos(o, 0) < pos(o, 3)"],
    )
    rows = space.sample_columns(12, np.random.default_rng(0))
    found, owner = Neighbourhood(space).of(rows)
    for i, configuration in enumerate(space.configurations(rows)):
        ours = space.configurations(take(found, owner == i))
        assert len(set(ours)) == len(ours)
        assert set(ours) == set(space.neighbours(configuration))


def test_neighbours_change_one_parameter_and_are_all_of_them() -> None:
    parameters = [Integer("a", 1, 6), Integer("b", 1, 6), Permutation("p", 3), Categorical("s", ["x", "y"])]
    space = Space(parameters, ["a * b <= 8", "pos(p, 0) < a"])
    default = space.default
    got = {tuple(c.items()) for c in space.neighbours(default)}
    wanted = {tuple(c.items()) for c in space.enumerate() if sum(c[name] != default[name] for name in c) == 1}
    assert got <= wanted and {c for c in wanted if dict(c)["p"] == default["p"]} <= got


def test_a_real_stays_as_it_is_and_a_long_constrained_integer_goes_wherever_its_diagram_allows() -> None:
    space = Space([Real("r", 0.0, 1.0), Integer("n", 0, 20_000), Integer("m", 0, 1)], ["n + m <= 9000"])
    near = space.neighbours(space.default)
    assert {c["r"] for c in near} == {space.default["r"]} and len(near) == 9000 + 1


def test_listed_values_give_the_same_neighbours_in_the_same_order() -> None:
    space = Space(
        [Ordinal("tile", [1, 2, 4, 8]), Integer("unroll", 1, 8), Categorical("s", ["b", "a"]), Integer("n", 0, 300)],
        constraints=["tile % unroll == 0", "n != 7"],
    )
    rows = space.sample_columns(6, np.random.default_rng(0))
    for around in (Neighbourhood(space), Neighbourhood(space, lambda columns: columns["tile"] != 2)):
        found, owner = around.of(rows)
        singles, owners = around._feasible(*around._singles(rows))
        assert space.configurations(found) == space.configurations(singles) and (owner == owners).all()


def test_double_moves_where_every_single_one_is_infeasible() -> None:
    space = Space(
        [Ordinal("x", [1, 2, 4, 8]), Ordinal("y", [1, 2, 4, 8]), Integer("z", 3, 3)], constraints=["x * y == 8"]
    )
    found, owner = Neighbourhood(space).of(space.columns([space.unrank(0)]))
    assert len(set(space.configurations(found))) == 3 and (owner == 0).all()


@pytest.mark.parametrize("count", [12, 50])
def test_double_moves_of_many_parameters_go_both_ways_and_stay_few(count: int) -> None:
    """A sum that is given leaves no single move, and no double one of two parameters that both grow."""
    names = [f"n{i}" for i in range(count)]
    space = Space([Integer(name, 0, 9) for name in names], [f"{' + '.join(names)} == {count + 9}"])
    rows = space.sample_columns(2, np.random.default_rng(0))
    found, owner = Neighbourhood(space).of(rows)
    assert (np.bincount(owner, minlength=2) >= 100).all() and length(found) <= 2 * 4096
    changed = sum(np.asarray(found[name] != rows[name][owner], np.int64) for name in names)
    assert (changed == 2).all() and space.contains_columns(found).all()


def test_reals_move_within_their_range_and_long_integers_by_powers_of_two() -> None:
    space = Space([Real("r", 1e-3, 1.0, log=True), Integer("n", 0, 1000, default=500)], constraints=["n != 501"])
    here = space.columns([space.default])
    found, _ = Neighbourhood(space).of(here)
    assert space.contains_columns(found).all()
    assert length(found) >= 8 + 16
    assert {int(n) for n in found["n"]} >= {499, 502, 504, 500 + 256} - {501}
    assert ((found["r"] >= 1e-3) & (found["r"] <= 1.0)).all()
