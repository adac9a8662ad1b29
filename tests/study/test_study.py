"""The study: what it suggests, keeps and refuses."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import tunepass as tp
from tests.study.studies import RATE, TIME, Shuffled, drive, space, study, time_of
from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer
from tunepass.space.space import Space
from tunepass.study.ledger import Check, Ledger
from tunepass.study.outcome import Evaluation, Failed, Infeasible, Measured
from tunepass.study.study import Study
from tunepass.study.task import Factory, Task


def test_the_documented_loop_covers_the_space_once_default_first() -> None:
    some = study()
    seen = drive(some)
    assert seen[0] == some.space.default == Configuration({"tile": 16, "unroll": 1, "opt": "-O2"})
    assert len(seen) == len(set(seen)) == some.space.size
    assert some.suggest(3) == [] and some.finished
    assert [t.number for t in some.trials] == list(range(some.space.size))


def test_budget_counts_what_is_under_evaluation() -> None:
    some = study(max_evals=5)
    first = some.suggest(3)
    assert len(first) == 3 and not some.finished
    assert len(some.suggest(10)) == 2
    assert some.finished and some.suggest(1) == []
    for configuration in first:
        some.observe(configuration, time_of(configuration))
    assert some.finished and len(some.trials) == 3


def test_batches_are_distinct_and_never_repeat_what_is_pending() -> None:
    some = study()
    batches = [some.suggest(4) for _ in range(8)]
    flat = [c for batch in batches for c in batch]
    assert len(flat) == len(set(flat)) == some.space.size


def test_what_is_to_come_first_comes_before_the_strategys_suggestions() -> None:
    some = study()
    wanted = list(some.space.enumerate())[-2:]
    first = some.suggest(1, wanted)
    assert first == [some.space.default]  # the default before everything
    assert some.suggest(1, wanted) == wanted[:1]
    rest = some.suggest(2, wanted)
    assert rest[0] == wanted[1] and rest[1] not in [*first, *wanted]


def test_observing_what_was_not_suggested() -> None:
    some = study()
    trial = some.observe({"opt": "-O3", "unroll": np.int64(2), "tile": 8.0}, Measured({"time": 1}))
    assert trial.number == 0 and list(trial.configuration.items()) == [("tile", 8), ("unroll", 2), ("opt", "-O3")]
    assert some.best == trial
    assert trial.configuration not in drive(some)


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({"tile": 8, "unroll": 1}, "missing: opt"),
        ({"tile": 8, "unroll": 1, "opt": "-O2", "tiel": 1}, "no parameter 'tiel'(.|\n)*did you mean 'tile'"),
        ({"tile": 9, "unroll": 1, "opt": "-O2"}, "tile: 9 is not one of its values"),
        ({"tile": 8, "unroll": 3, "opt": "-O2"}, r"does not contain(.|\n)*it breaks tile % unroll == 0"),
    ],
)
def test_a_configuration_that_is_not_of_the_space(configuration: dict[str, int | str], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        study().observe(configuration, Measured({"time": 1.0}))


def test_outcomes_that_do_not_fit() -> None:
    some = study()
    default = some.space.default
    with pytest.raises(StudyError, match="finite"):
        some.observe(default, Measured({"time": float("nan")}))
    with pytest.raises(StudyError, match=r"no objective 'tme'(.|\n)*did you mean 'time'"):
        some.observe(default, Measured({"tme": 1.0}))
    with pytest.raises(StudyError, match="missing: time"):
        some.observe(default, Measured({}))
    with pytest.raises(StudyError, match="an outcome is Measured, Infeasible or Failed, got 3"):
        some.observe(default, 3.0)  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="seconds of stage compile"):
        some.observe(default, Measured({"time": 1.0}), seconds={"compile": float("inf")})
    assert some.trials == []


def test_an_evaluation_brings_its_cost_with_it() -> None:
    some = study()
    first, second = some.suggest(2)
    some.observe(first, Measured({"time": 1.0}))
    checks = Ledger([Check("outputs")])
    trial = some.observe(
        second, Evaluation(Measured({"time": 2.0}), {"compile": 0.5}, "a log", 3.0, first, "c0de", checks)
    )
    assert (trial.seconds, trial.log, trial.calibration) == ({"compile": 0.5}, "a log", 3.0)
    assert (trial.same_as, trial.code, trial.checks) == (0, "c0de", checks)
    with pytest.raises(StudyError, match=r"has its own seconds(.|\n)*leave out seconds=, code="):
        some.observe(some.suggest()[0], Evaluation(Measured({"time": 1.0})), seconds={}, code="1")


def test_observing_twice_needs_replace() -> None:
    some = study()
    default = some.space.default
    some.observe(default, Failed("compile", "x"))
    with pytest.raises(StudyError, match=r"is trial 0 already(.|\n)*replace=True"):
        some.observe(default, Measured({"time": 2.0}))
    assert some.best is None
    some.observe(default, Measured({"time": 2.0}), replace=True)
    assert some.best is not None and some.best.number == 0 and len(some.trials) == 1


@pytest.mark.parametrize("strategy", ["auto", Shuffled])  # one that revises, one that is replayed
def test_trials_that_took_an_outcome_take_the_new_one(strategy: str | Factory) -> None:
    some = Study(space(), [TIME], strategy=strategy)
    default = some.space.default
    same, other = (Configuration({**default, "tile": tile}) for tile in (8, 32))
    some.observe(default, Measured({"time": 1.0}))
    some.observe(same, Measured({"time": 7.0}), same_as=default, log="cached")
    some.observe(other, Measured({"time": 1.2}), log="said")
    some.observe(same, Measured({"time": 13.0}), again=True)  # of the trial whose outcome it took
    assert [some.best_so_far, some.spent, some.trials[1].measured_again] == [[7.0, 7.0, 1.2], 3, 0]
    assert some.trials[0].outcome == some.trials[1].outcome and some.best == some.trials[2]
    some.observe(default, Measured({"time": 4.0}), replace=True)
    assert [t.outcome for t in some.trials[:2]] == [Measured({"time": 4.0})] * 2
    some.observe(default, Failed("crash", "gone"), replace=True, log="gone")
    assert [t.log for t in some.trials] == ["gone", "gone", "said"] and not some.trials[1].measured


def test_best_and_its_ties() -> None:
    some = study()
    assert some.best is None and some.pareto == [] and some.best_so_far == []
    far = Configuration({"tile": 4, "unroll": 4, "opt": "-O3"})
    near = Configuration({"tile": 16, "unroll": 2, "opt": "-O2"})
    nearest = Configuration({"tile": 8, "unroll": 1, "opt": "-O2"})
    some.observe(some.space.default, Failed("run"))
    some.observe(far, Measured({"time": 1.0}))
    some.observe(near, Measured({"time": 1.0}))
    some.observe(nearest, Infeasible("fits"))
    assert some.best is not None and some.best.configuration == near
    assert [t.number for t in some.pareto] == [1, 2]
    assert some.best_so_far == [None, 1.0, 1.0, 1.0]
    assert some.failures == {"run": 1, "infeasible": 1}


def test_a_measurement_that_was_cut_short_is_not_the_best() -> None:
    some = study()
    cut, whole = (Configuration({"tile": tile, "unroll": 1, "opt": "-O2"}) for tile in (4, 8))
    some.observe(cut, Measured({"time": 1.0}, censored=True))
    assert some.best is not None and some.best.number == 0  # there is nothing else
    some.observe(whole, Measured({"time": 2.0}))
    assert some.best.number == 1 and [t.number for t in some.pareto] == [1]
    assert some.best_so_far == [None, 2.0]


def test_a_search_among_equal_codes_ends() -> None:
    some = Study(Space([Integer("n", 0, 99)]), [TIME], strategy=Shuffled, max_evals=3)
    default = some.space.default
    while found := some.suggest(1):
        some.observe(found[0], Measured({"time": 1.0}), same_as=None if found[0] == default else default)
    assert len(some.trials) == 21 and some.spent == 3


def test_several_objectives() -> None:
    some = Study(space(), [TIME, RATE], strategy=Shuffled)
    pairs = [(1.0, 5.0), (2.0, 9.0), (3.0, 8.0), (1.0, 4.0)]
    for (time, rate), configuration in zip(pairs, some.suggest(4)):
        some.observe(configuration, Measured({"time": time, "rate": rate}))
    assert [t.number for t in some.pareto] == [0, 1]
    with pytest.raises(StudyError, match="`best` needs a single objective"):
        _ = some.best


def test_maximising() -> None:
    some = Study(space(), [RATE], strategy=Shuffled)
    for rate, configuration in zip([3.0, 5.0, 4.0], some.suggest(3)):
        some.observe(configuration, Measured({"rate": rate}))
    assert some.best is not None and some.best.number == 1 and some.best_so_far == [3.0, 5.0, 5.0]


def test_arguments_that_make_no_sense() -> None:
    with pytest.raises(StudyError, match="distinct names, got time, time"):
        Study(space(), [TIME, TIME], strategy=Shuffled)
    with pytest.raises(StudyError, match="distinct names, got none"):
        Study(space(), [], strategy=Shuffled)
    with pytest.raises(StudyError, match="max_evals is at least 1"):
        study(max_evals=0)
    with pytest.raises(StudyError, match="at least one configuration"):
        study().suggest(0)


def test_a_strategy_that_repeats_itself_is_found_out() -> None:
    class Stuck(Shuffled):
        def suggest(self, n: int) -> list[Configuration]:
            return [self.task.space.default]

    some = Study(space(), [TIME], strategy=Stuck)
    assert len(some.suggest(1)) == 1
    with pytest.raises(StudyError, match="the strategy repeats"):
        some.suggest(1)


class Sampled(Shuffled):
    """Draws from the space: for spaces with real parameters, which have no end."""

    def __init__(self, task: Task):
        self.task = task
        self.observed = set()

    def suggest(self, n: int) -> list[Configuration]:
        return self.task.space.sample(n, np.random.default_rng((self.task.seed, len(self.observed))))


def test_the_documented_example() -> None:
    some = tp.Space(
        [
            tp.Ordinal("tile", [4, 8, 16, 32, 64], log=True, default=16, prior="decay"),
            tp.Integer("unroll", 1, 16),
            tp.Real("ratio", 1e-3, 1.0, log=True),
            tp.Categorical("schedule", ["static", "dynamic"], prior=[0.3, 0.7]),
            tp.Permutation("order", 4),
        ],
        constraints=["tile % unroll == 0", "pos(order, 0) < pos(order, 2)", "order[3] == 3"],
    )
    objective = tp.Objective("time", unit="ms")
    documented = tp.Study(some, objectives=[objective], strategy=Sampled, seed=0, max_evals=60)
    while not documented.finished:
        for configuration in documented.suggest(1):
            tile = configuration["tile"]
            assert isinstance(tile, int)
            documented.observe(configuration, tp.Measured({"time": 100.0 / tile}))
    assert len(documented.trials) == 60 and documented.trials[0].configuration == some.default
    assert documented.best is not None and documented.best.configuration["tile"] == 64
    assert documented.pareto[0].outcome == documented.best.outcome


def test_importing_a_study_loads_no_strategy() -> None:
    code = "import sys, tunepass.study.study; sys.exit('tunepass.strategies' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_suggestion_does_not_look_through_all_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    some = Study(Space([Integer("x", 0, 10**6)]), [TIME], strategy="random", max_evals=10**6)
    for x in range(400):
        some.observe(Configuration({"x": x}), Measured({"time": 1.0}))
    hashed: list[Configuration] = []
    plain = Configuration.__hash__
    monkeypatch.setattr(Configuration, "__hash__", lambda c: (hashed.append(c), plain(c))[1])
    assert len(some.suggest(1)) == 1 and some.spent == 400
    assert len(hashed) < 50
