"""`Study.with_space`: a study of another space that begins with the trials that still fit."""

from __future__ import annotations

from pathlib import Path

import pytest

import tunepass as tp
from tests.study.studies import TIME, space, study, time_of, url
from tunepass.study.study import Study


def searched(**options: object) -> Study:
    some = study(**options)
    some.optimize(lambda trial: time_of(trial).values["time"])
    return some


def test_values_that_are_gone_take_their_trials_with_them() -> None:
    some = searched(seed=4)
    narrow = some.with_space(space(tiles=(8, 16)))
    fitting = [t for t in some.trials if t.configuration["tile"] in (8, 16)]
    assert [(t.configuration, t.outcome, t.seconds) for t in narrow.trials] == [
        (t.configuration, t.outcome, t.seconds) for t in fitting
    ]
    assert narrow.exhausted and len(some.trials) > len(fitting)


def test_a_wider_space_keeps_all_and_goes_on() -> None:
    some = searched()
    wide = some.with_space(space(tiles=(2, 4, 8, 16, 32, 64)), max_evals=len(some.trials) + 3)
    assert [t.configuration for t in wide.trials] == [t.configuration for t in some.trials]
    wide.optimize(lambda trial: time_of(trial).values["time"])
    assert len(wide.trials) == len(some.trials) + 3
    assert all(t.configuration["tile"] in (2, 64) for t in wide.trials[-3:])


def test_a_new_constraint_leaves_out_what_breaks_it() -> None:
    bounded = searched().with_space(space(("tile % unroll == 0", "tile * unroll <= 16")))
    assert bounded.trials
    for trial in bounded.trials:
        tile, unroll = trial.configuration["tile"], trial.configuration["unroll"]
        assert isinstance(tile, int) and isinstance(unroll, int) and tile * unroll <= 16


def test_a_new_parameter_counts_as_having_had_its_default() -> None:
    some = searched()
    parameters = [*some.space.parameters, tp.Integer("pad", 0, 4, default=2)]
    grown = some.with_space(tp.Space(parameters, some.space.constraints))
    assert len(grown.trials) == len(some.trials) and all(t.configuration["pad"] == 2 for t in grown.trials)


def test_of_a_removed_parameter_the_trials_with_its_default_fit() -> None:
    some = searched()
    smaller = some.with_space(tp.Space(some.space.parameters[:2], some.space.constraints))
    assert [t.configuration["tile"] for t in smaller.trials] == [
        t.configuration["tile"] for t in some.trials if t.configuration["opt"] == some.space.default["opt"]
    ]


def test_kept_trials_know_whose_outcome_they_took() -> None:
    some = study()
    a, b, c = some.suggest(3)
    for configuration, same in ((a, None), (b, a), (c, b)):
        some.observe(configuration, tp.Measured({"time": 1.0}), same_as=same)
    narrowed = some.with_space(tp.Space(some.space.parameters, [*some.space.constraints, *_without(a)]))
    assert [t.same_as for t in some.trials] == [None, 0, 1]
    assert [t.same_as for t in narrowed.trials] == [None, 0], "the one whose outcome it took is gone"


def _without(configuration: tp.Configuration) -> list[str]:
    return [
        f"tile != {configuration['tile']} or unroll != {configuration['unroll']} or opt != '{configuration['opt']}'"
    ]


def test_the_new_study_is_in_the_same_store_unless_another_is_named(tmp_path: Path) -> None:
    some = searched(store=url(tmp_path), name="old")
    again = some.with_space(space(tiles=(8, 16)), name="new")
    twice = some.with_space(space(tiles=(8, 16)), name="new")
    assert [record.name for record in some.store.studies()] == ["old", "new"]
    assert twice.trials == again.trials, "what fits is taken over once"
    assert some.with_space(space(tiles=(8, 16)), store="sqlite://").store is not some.store


def test_intermediate_values_and_the_pruner_go_along() -> None:
    some = study(pruner=tp.SuccessiveHalving())
    (configuration,) = some.suggest()
    some.report(configuration, 1, 2.0)
    some.prune(configuration)
    wide = some.with_space(space(tiles=(2, 4, 8, 16, 32)))
    assert wide.trials[0].intermediate == {1: 2.0} and wide.trials[0].censored and wide.pruner is some.pruner


def test_wrong_spaces() -> None:
    with pytest.raises(tp.StudyError, match="a study searches a Space"):
        study().with_space([TIME])  # type: ignore[arg-type]
