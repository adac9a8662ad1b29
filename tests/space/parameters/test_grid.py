"""Reals with a step: finite, exact decimals, the same as other parameters everywhere else."""

from __future__ import annotations

import numpy as np
import pytest

from tests.study.studies import TIME
from tunepass.diagnostics import SpaceError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Real
from tunepass.space.space import Space
from tunepass.study.outcome import Measured
from tunepass.study.space_description import describe_space
from tunepass.study.study import Study

TENTHS = Real("x", 0.1, 1.0, step=0.1)


def test_values_are_decimals_from_the_lower_end() -> None:
    assert list(TENTHS.domain) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert (
        list(Real("x", 0.0, 1.0, step=0.3).domain) == [0.0, 0.3, 0.6, 0.9] and Real("x", 0.0, 1.0, step=0.3).hi == 0.9
    )
    assert TENTHS.canonical(0.1 + 0.2) == 0.3 and not TENTHS.admits(0.35) and not TENTHS.admits(1.1)
    assert TENTHS.parse("0.7") == 0.7 and TENTHS.parse("0.75") is None
    assert str(TENTHS) == "real(0.1..1 step 0.1)" and TENTHS.size == 10


def test_its_default_is_a_value_near_the_middle() -> None:
    assert Real("x", 1.0, 100.0, step=1.0, log=True).default == 10.0
    assert Real("x", 0.0, 1.0, step=0.25).default == 0.5
    with pytest.raises(SpaceError, match="not one of its values"):
        Real("x", 0.0, 1.0, step=0.25, default=0.3)


def test_its_space_is_counted_and_searched_to_the_end() -> None:
    space = Space([TENTHS, Integer("k", 1, 4)], ["x * k <= 1"])
    assert space.size == sum(k * x <= 10 for k in range(1, 5) for x in range(1, 11)) and space.listed
    some = Study(space, [TIME])
    while not some.finished:
        for c in some.suggest(4):
            some.observe(c, Measured({"time": float(str(c["x"]))}))
    assert some.exhausted and len(some.trials) == space.size
    assert {c["x"] for c in space.neighbours(Configuration({"x": 0.3, "k": 1}))} == set(TENTHS.domain)


def test_priors_weigh_its_values() -> None:
    decaying = Real("x", 0.0, 1.0, step=0.1, prior="decay")
    drawn = decaying.draw_by_prior(2000, np.random.default_rng(0))
    assert decaying.inside(drawn).all() and drawn.mean() < 0.4
    assert decaying.masses().sum() == pytest.approx(1.0)
    assert np.exp(decaying.log_prior(np.array([0.0, 0.1]))) == pytest.approx(decaying.masses()[:2])


def test_the_step_is_part_of_a_space_and_of_no_other() -> None:
    assert '"step' not in describe_space(Space([Real("x", 0.0, 1.0)]))
    stepped, plain = Real("x", 0.0, 1.0, step=0.5), Real("x", 0.0, 1.0)
    assert describe_space(Space([stepped])) != describe_space(Space([plain])) and stepped != plain


@pytest.mark.parametrize("step", [0, -1.0, float("nan"), "0.1", 1e-9, True])
def test_a_step_that_is_none_is_refused(step: object) -> None:
    with pytest.raises(SpaceError, match=r"step|grid"):
        Real("x", 0.0, 1.0, step=step)  # type: ignore[arg-type]
