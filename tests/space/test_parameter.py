"""Values, columns and places in the domain convert into one another; priors add up."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real

FINITE: list[Parameter] = [
    Integer("i", -3, 20, step=4, prior="gaussian"),
    Integer("l", 1, 1000, log=True, prior=(2.0, 5.0)),
    Ordinal("o", [8, 2, 4, 64], log=True, prior="decay"),
    Ordinal("f", [0.5, 2, 1.25]),
    Categorical("s", ["x", "y", "z"], prior=[1, 2, 1]),
    Categorical("b", [True, False]),
    Categorical("n", [3, 1, 2]),
    Permutation("p", 4),
    Permutation("q", ["i", "j", "k"]),
]


@pytest.mark.parametrize("p", FINITE, ids=lambda p: p.name)
def test_values_columns_and_places_convert(p: Parameter) -> None:
    values = list(p.domain)
    column = p.at(np.arange(len(values)))
    assert len(values) == p.size and p.values(column) == values
    assert np.array_equal(p.column(values), column)
    assert p.find(column).tolist() == list(range(len(values)))
    assert all(p.admits(v) for v in values) and not p.admits("nothing") and not p.admits(None)
    assert p.admits(p.default)


@pytest.mark.parametrize("p", [p for p in FINITE if not isinstance(p, Permutation)], ids=lambda p: p.name)
def test_prior_masses_add_up(p: Parameter) -> None:
    masses = p.masses()
    assert masses.sum() == pytest.approx(1) and (masses >= 0).all()
    every = p.at(np.arange(len(masses)))
    assert np.allclose(p.log_prior(every), np.log(masses))
    drawn = np.bincount(p.find(p.draw_by_prior(20_000, np.random.default_rng(0))), minlength=len(masses)) / 20_000
    assert np.abs(drawn - masses).max() < 0.02


def test_decay_favours_the_beginning_and_exponential_the_end() -> None:
    decay, exponential = (Integer("i", 1, 9, prior=shape).masses() for shape in ("decay", "exponential"))
    assert decay[0] > 2 * decay[4] and exponential[-1] > 2 * exponential[4]
    assert np.allclose(Integer("i", 1, 9, prior="uniform").masses(), 1 / 9)


def test_defaults_are_the_first_value_the_given_order_and_the_middle_of_a_real() -> None:
    assert Integer("i", 3, 9).default == 3
    assert Ordinal("o", [8, 2]).default == 8
    assert Permutation("p", ["b", "a"]).default == ("b", "a")
    assert Real("r", 0, 4).default == 2 and Real("r", 1, 100, log=True).default == pytest.approx(10)


def test_a_real_scales_both_ways() -> None:
    r = Real("r", 1e-3, 1, log=True)
    u = np.linspace(0, 1, 11)
    assert np.allclose(r.unit(r.from_unit(u)), u)
    assert not r.admits(float("nan")) and not r.admits(True) and r.admits(1)
