"""Who is compared at the end of a search, and who makes room for whom."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.passes.fakes import Comparing
from tunepass.executors.base import executor
from tunepass.search.budget import Budget
from tunepass.search.faults import FaultGuard
from tunepass.search.finalists.final_round import FinalRound
from tunepass.search.finalists.rounds import Rounds
from tunepass.search.trial_log import TrialLog
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

TIME = Objective("time", unit="ms")
SPACE = Space([Categorical(f"f{i}", [0, 1], default=0) for i in range(40)])


def first(n: int) -> Configuration:
    return Configuration({**SPACE.default, **{f"f{i}": 1 for i in range(n)}})


@pytest.mark.parametrize(
    "changes,spared", [([30, 25, 16, 3], 3), ([30, 25, 17], None), ([16, 5, 3], None)], ids=["few", "all", "none"]
)
def test_the_finalist_that_differs_in_little_is_spared_where_others_differ_in_much(
    changes: Sequence[int], spared: int | None
) -> None:
    study = Study(SPACE, [TIME])
    values = {SPACE.default: 2.0, **{first(n): 1.0 + (40 - n) / 1000 for n in changes}}
    for configuration, value in values.items():
        study.observe(configuration, Measured({"time": value}))
    evaluator = Comparing(values.__getitem__, lambda c, turn: values[c])
    trial_log = TrialLog(study, TIME)
    budget = Budget(trial_log, evaluator, None, None, evaluator.clock)
    final = FinalRound(trial_log, budget, evaluator, FaultGuard(evaluator, executor("local", 1)), sanitize=False)
    assert final.verdict(lambda: None) is not None
    assert isinstance(evaluator.behind, Rounds)
    place = evaluator.behind.spared
    assert (None if place is None else evaluator.compared[0][place]) == (None if spared is None else first(spared))
