"""A study ends by its budget, or by a proof that nothing is left; what sampling does not find ends it never."""

from __future__ import annotations

import pytest

from tests.study.studies import TIME, Silent, study
from tunepass.diagnostics import SamplingError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Real
from tunepass.space.space import Space
from tunepass.study.outcome import Measured
from tunepass.study.study import Study


def total(configuration: Configuration) -> Measured:
    return Measured({"time": float(sum(v for v in configuration.values() if isinstance(v, (int, float))))})


@pytest.mark.parametrize("strategy", ["random", "auto"])
def test_a_space_of_millions_under_a_product_is_searched_to_the_end_of_the_budget(strategy: str) -> None:
    space = Space([Integer(f"x{i}", 1, 100_000) for i in range(3)], ["x0 * x1 * x2 <= 1000000"])
    some = Study(space, [TIME], strategy=strategy, max_evals=14)
    while not some.finished:
        for configuration in some.suggest():
            some.observe(configuration, total(configuration))
    assert len(some.trials) == 14 and not some.exhausted
    assert len({t.configuration for t in some.trials}) == 14


def test_a_counted_space_is_exhausted_once_all_of_it_is_under_evaluation() -> None:
    some = study()
    size = some.space.size
    first = some.suggest(size - 1)
    assert not some.exhausted and not some.finished
    (last,) = some.suggest(3)
    assert some.exhausted and some.finished and some.suggest() == []
    for configuration in [*first, last]:
        some.observe(configuration, total(configuration))
    assert some.exhausted and len(some.trials) == size


def test_a_spent_budget_is_not_exhaustion() -> None:
    some = study(max_evals=1)
    some.suggest()
    assert some.finished and not some.exhausted


def test_what_sampling_does_not_find_is_an_error_that_names_the_constraint() -> None:
    space = Space([Integer(name, 1, 10**9, default=1) for name in "ab"], ["a * a + b * b == 2 or a == b + 999999998"])
    some = Study(space, [TIME], strategy="random")
    with pytest.raises(SamplingError, match="no proof") as raised:
        while not some.finished:
            for configuration in some.suggest():
                some.observe(configuration, total(configuration))
    assert "holds in none of 4096 draws" in raised.value.diagnostics[0].message
    assert raised.value.diagnostics[0].span is not None
    assert not some.finished and not some.exhausted and some.trials


def test_a_strategy_that_gives_up_does_not_end_a_study() -> None:
    some = Study(Space([Integer("x", 0, 9), Integer("y", 0, 9)]), [TIME], strategy=Silent)
    some.observe(some.suggest()[0], Measured({"time": 1.0}))
    with pytest.raises(SamplingError, match="1 of 100 configurations were suggested or observed"):
        some.suggest()
    assert not some.finished
    with pytest.raises(SamplingError, match="no proof"):
        silent = Study(Space([Real("x", 0.0, 1.0)]), [TIME], strategy=Silent)
        silent.suggest(2)
        silent.suggest()
