"""`--surrogate` with the strategies that fit one."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import cast

import pytest

from tunepass.commands.targets import strategy_of
from tunepass.diagnostics import TunepassError
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.bo.bayesian import Bayesian
from tunepass.strategies.bo.hypervolume import Hypervolume
from tunepass.testing.strategy import task


@pytest.mark.parametrize("strategy,kind", [("bayesian", Bayesian), ("hypervolume", Hypervolume)])
def test_a_surrogate_reaches_the_strategy_that_fits_it(strategy: str, kind: type[Strategy]) -> None:
    made = cast(Callable[[Task], Strategy], strategy_of(Namespace(strategy=strategy, surrogate="joint_deep")))(
        task(objectives=2)
    )
    assert type(made) is kind and made.settings.surrogate == "joint_deep"  # type: ignore[attr-defined]


def test_other_strategies_take_none_and_unknown_surrogates_are_named() -> None:
    with pytest.raises(TunepassError, match="bayesian and hypervolume fit, random takes none"):
        strategy_of(Namespace(strategy="random", surrogate="gp"))
    with pytest.raises(TunepassError, match=r"no surrogate 'joint_dep'(.|\n)*'joint_deep'"):
        strategy_of(Namespace(strategy="hypervolume", surrogate="joint_dep"))
