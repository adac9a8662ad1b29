"""Intermediate values, the pruners that decide by them, and trials that end early."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path

import pytest

import tunepass as tp
from tests.study.studies import RATE, TIME, Shuffled, space, study, url
from tunepass.study.optimize.pruner import Curve
from tunepass.study.storage import json_lines, salvage
from tunepass.study.storage.json_lines import StoredTrial
from tunepass.study.study import Study

HALVING = tp.SuccessiveHalving(first_step=1, factor=3)


def curve(*losses: float, final: float | None = None) -> Curve:
    return Curve(tuple(range(1, len(losses) + 1)), losses, final)


def test_the_first_of_a_rung_goes_on_and_later_ones_where_they_are_among_the_best_third() -> None:
    assert HALVING.bound(curve(5.0), []) is None
    assert HALVING.bound(curve(4.0), [curve(5.0, final=3.0)]) is None
    assert HALVING.bound(curve(6.0), [curve(5.0, final=3.0)]) == 3.0, "the incumbent's loss"
    five = [curve(float(loss)) for loss in range(1, 6)]
    assert HALVING.bound(curve(2.0), five) is None, "the second of six"
    assert HALVING.bound(curve(2.5), five) == 2.5, "the third; no evaluation has ended"


def test_halving_decides_once_at_each_rung() -> None:
    others = [Curve((1, 2, 3), (1.0, 1.0, 1.0), 1.0)]
    assert HALVING.bound(curve(9.0), others) == 1.0
    assert HALVING.bound(curve(9.0, 9.0), others) is None, "step 2 is no rung"
    assert HALVING.bound(curve(9.0, 9.0, 9.0), others) == 1.0
    assert HALVING.bound(Curve((0,), (9.0,)), others) is None, "before the first rung"
    assert HALVING.bound(Curve((2, 10), (9.0, 9.0)), others) is None, "no other has reached rung 9"


def test_the_curve_model_prunes_what_it_predicts_to_be_worse() -> None:
    model = tp.CurveModel(first_curves=3)
    others = [curve(2.0 * final + noise, final=final) for final, noise in ((1, 0.1), (2, -0.1), (3, 0.1), (4, -0.1))]
    worse = model.bound(curve(8.0), others)
    assert worse is not None and 1.0 < worse < 4.0, "a lower end between the incumbent and the prediction"
    assert model.bound(curve(1.8), others) is None
    assert model.bound(curve(8.0), others[:2]) is None, "too few curves"
    assert tp.CurveModel(first_step=2, first_curves=3).bound(curve(8.0), others) is None


def test_the_curve_model_takes_losses_of_any_sign_and_equal_ones() -> None:
    model = tp.CurveModel(first_curves=3)
    falling = [curve(x, final=x - 1) for x in (-1.0, 0.0, 2.0)]
    assert model.bound(curve(5.0), falling) == pytest.approx(4.0)
    assert model.bound(curve(5.0), [curve(1.0, final=1.0)] * 3) is None, "nothing says that 5.0 ends worse"
    assert model.bound(curve(1e300), [curve(x, final=x) for x in (1.0, 2.0, 3.0)]) is not None


@pytest.mark.parametrize("arguments", [{"first_step": 0}, {"factor": 1}, {"factor": 2.5}, {"factor": True}])
def test_wrong_arguments_of_halving(arguments: dict[str, int]) -> None:
    with pytest.raises(tp.StudyError):
        tp.SuccessiveHalving(**arguments)


@pytest.mark.parametrize("arguments", [{"first_step": -1}, {"first_curves": 2}, {"confidence": 1}, {"confidence": "a"}])
def test_wrong_arguments_of_the_curve_model(arguments: dict[str, int]) -> None:
    with pytest.raises(tp.StudyError):
        tp.CurveModel(**arguments)


# -- in a study


def test_a_pruned_trial_is_censored_at_the_pruners_bound() -> None:
    some = study(pruner=HALVING)
    first, second = some.suggest(2)
    some.report(first, 1, 5.0)
    some.observe(first, tp.Measured({"time": 3.0}))
    some.report(second, 1, 9.0)
    assert some.should_prune(second)
    trial = some.prune(second, seconds={"train": 1.0})
    assert trial.outcome == tp.Measured({"time": 3.0}, censored=True) and trial.seconds == {"train": 1.0}
    assert trial.intermediate == {1: 9.0} and some.trials[0].intermediate == {1: 5.0}
    assert some.best is not None and some.best.number == 0, "a bound does not compete"


def test_maximised_objectives_are_pruned_by_their_losses() -> None:
    some = Study(space(), [RATE], strategy=Shuffled, pruner=HALVING)
    first, second = some.suggest(2)
    some.report(first, 1, 5.0)
    some.observe(first, tp.Measured({"rate": 6.0}))
    some.report(second, 1, 4.0)
    assert some.should_prune(second)
    assert some.prune(second).outcome == tp.Measured({"rate": 6.0}, censored=True)


def test_failed_trials_are_not_compared() -> None:
    some = study(pruner=HALVING)
    first, second = some.suggest(2)
    some.report(first, 1, 1.0)
    some.observe(first, tp.Failed("run"))
    some.report(second, 1, 9.0)
    assert not some.should_prune(second)


def test_without_a_pruner_a_trial_ends_early_by_its_own_rule() -> None:
    some = study()
    (configuration,) = some.suggest()
    assert not some.should_prune(configuration)
    with pytest.raises(tp.StudyError, match="only an evaluation with intermediate values is pruned"):
        some.prune(configuration)
    some.report(configuration, 3, 2.5)
    assert not some.should_prune(configuration)
    assert some.prune(configuration).outcome == tp.Measured({"time": 2.5}, censored=True)


def test_wrong_reports() -> None:
    some = study()
    (configuration,) = some.suggest()
    some.report(configuration, 1, 2.5)
    for step, value in ((1, 2.0), (0, 2.0), (-1, 2.0), (1.5, 2.0), (2, math.nan), (2, "x"), (True, 2.0)):
        with pytest.raises(tp.StudyError):
            some.report(configuration, step, value)  # type: ignore[arg-type]
    other = configuration.replace(opt="-O3" if configuration["opt"] == "-O2" else "-O2")
    with pytest.raises(tp.StudyError, match="under evaluation"):
        some.report(other, 1, 2.0)
    with pytest.raises(tp.StudyError, match="single objective"):
        Study(space(), [TIME, RATE]).report(configuration, 1, 2.0)
    with pytest.raises(tp.StudyError, match="a pruner has the method bound"):
        study(pruner="halving")
    with pytest.raises(tp.StudyError, match="a pruner has the method bound"):
        study(pruner=tp.SuccessiveHalving)


def train(trial: tp.RunningTrial) -> float:
    tile, unroll = trial["tile"], trial["unroll"]
    assert isinstance(tile, int) and isinstance(unroll, int)
    loss = 0.0
    for epoch in range(1, 10):
        loss = tile / unroll + 10 / epoch
        trial.report(epoch, loss)
        if trial.should_prune():
            raise tp.Pruned
    return loss


@pytest.mark.parametrize("pruner", [HALVING, tp.CurveModel(first_curves=3)], ids=["halving", "curves"])
def test_optimize_finds_the_best_with_fewer_steps(pruner: tp.Pruner) -> None:
    some = study(pruner=pruner)
    some.optimize(train)
    best = min(trial["tile"] / trial["unroll"] for trial in (t.configuration for t in some.trials))  # type: ignore[operator]
    assert some.best is not None and some.best.outcome == tp.Measured({"time": best + 10 / 9})
    assert sum(len(t.intermediate) for t in some.trials) < 0.8 * 9 * len(some.trials)


def test_a_resumed_study_prunes_as_one_that_was_not_interrupted(tmp_path: Path) -> None:
    whole = study(pruner=HALVING, seed=2)
    whole.optimize(train, n_trials=12)
    for _ in range(4):
        part = study(pruner=HALVING, seed=2, store=url(tmp_path), name="run")
        part.optimize(train, n_trials=3)
        part.close()
    resumed = study(pruner=HALVING, seed=2, store=url(tmp_path), name="run")
    assert [(t.configuration, t.outcome, t.intermediate) for t in resumed.trials] == [
        (t.configuration, t.outcome, t.intermediate) for t in whole.trials
    ]


def test_a_suggestion_that_changes_hands_begins_without_intermediate_values(tmp_path: Path) -> None:
    first = study(store=url(tmp_path), name="run")
    (configuration,) = first.suggest()
    first.report(configuration, 4, 1.0)
    first.close()
    second = study(store=url(tmp_path), name="run")
    assert second.suggest() == [configuration]
    second.report(configuration, 1, 2.0)
    assert second.prune(configuration).intermediate == {1: 2.0}


def test_intermediate_values_of_other_processes_count(tmp_path: Path) -> None:
    first, second = (study(store=url(tmp_path), name="run", pruner=HALVING) for _ in range(2))
    (a,), (b,) = first.suggest(), second.suggest()
    first.report(a, 1, 1.0)
    second.report(b, 1, 2.0)
    assert second.should_prune(b) and not first.should_prune(a)


def test_exported_and_repaired_stores_keep_them(tmp_path: Path) -> None:
    some = study(store=url(tmp_path), name="run")
    (configuration,) = some.suggest()
    some.report(configuration, 1, 2.0)
    some.report(configuration, 7, 1.5)
    trial = some.prune(configuration)
    (pending,) = some.suggest()
    some.report(pending, 1, 2.0)
    some.close()
    salvaged = salvage.salvage(tmp_path / "store.db")
    assert not salvaged.problems
    text = "".join(json_lines.lines(salvaged.everything))
    items = [item for item in json_lines.read(text) if isinstance(item, StoredTrial)]
    assert [item.trial for item in items] == [trial] and items[0].trial.intermediate == {1: 2.0, 7: 1.5}
    assert "[[1,2.0],[7,1.5]]" in text


@pytest.mark.parametrize(
    "values", ["[[1]]", "[[2, 1.0], [1, 2.0]]", "[[-1, 1.0]]", '[["a", 1.0]]', "{}", "[[1, 1e999]]"]
)
def test_damaged_intermediate_values_are_told(tmp_path: Path, values: str) -> None:
    some = study(store=url(tmp_path), name="run")
    (configuration,) = some.suggest()
    some.observe(configuration, tp.Measured({"time": 1.0}))
    some.close()
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("UPDATE trial SET intermediate = ?", (values,))
    connection.close()
    with pytest.raises(tp.StudyError, match="damaged"):
        study(store=url(tmp_path), name="run")
