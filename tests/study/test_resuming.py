"""Studies in a store: resumed, refused when they differ, and with every kind of parameter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.study.studies import RATE, TIME, Shuffled, Silent, drive, space, study, time_of, url
from tunepass.diagnostics import StudyError
from tunepass.space.parameter import Categorical, Permutation, Real
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.space_description import space_hash
from tunepass.study.storage.store import Store
from tunepass.study.study import Study


def test_what_took_anothers_outcome_costs_no_evaluation(tmp_path: Path) -> None:
    some = Study(space(), [TIME], strategy=Shuffled, max_evals=2, store=url(tmp_path))
    first = some.suggest(1)[0]
    some.observe(first, time_of(first))
    for _ in range(3):
        (again,) = some.suggest(4)  # one is left
        assert some.observe(again, time_of(first), same_as=first).same_as == 0
    resumed = Study(space(), [TIME], strategy=Shuffled, max_evals=2, store=url(tmp_path))
    assert resumed.spent == 1 and not resumed.finished
    (last,) = resumed.suggest(1)
    resumed.observe(last, time_of(last))
    assert resumed.finished and resumed.suggest(1) == [] and len(resumed.trials) == 5


@pytest.mark.parametrize("cut", [0, 1, 5])
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_resumed_study_goes_on_as_an_undisturbed_one(tmp_path: Path, cut: int, interrupted: bool) -> None:
    undisturbed = drive(study(seed=3))
    first = study(seed=3, store=url(tmp_path))
    seen = drive(first, most=cut)
    if interrupted:
        first.suggest(2)
    first.close()
    second = study(seed=3, store=url(tmp_path))
    assert [t.configuration for t in second.trials] == seen == undisturbed[:cut]
    rest = drive(second)
    assert sorted(map(repr, seen + rest)) == sorted(map(repr, undisturbed))
    if not interrupted:
        assert seen + rest == undisturbed


def test_what_was_interrupted_is_suggested_first_and_once(tmp_path: Path) -> None:
    first = study(store=url(tmp_path))
    lost = first.suggest(3)
    first.observe(lost[1], time_of(lost[1]))
    first.close()
    second = study(store=url(tmp_path), max_evals=4)
    assert not second.finished
    assert second.suggest(2) == [lost[0], lost[2]]
    assert len(second.suggest(5)) == 1 and second.finished


def test_logs_keep_their_tail_and_times_their_names(tmp_path: Path) -> None:
    some = study(store=url(tmp_path))
    log, seconds = "start" + "x" * 20_000 + "end", {"compile": 1, "link": 0.5}
    some.observe(some.space.default, Failed("compile", log), seconds=seconds, log=log, calibration=2.0)
    trial = study(store=url(tmp_path)).trials[0]
    assert trial.seconds == {"compile": 1.0, "link": 0.5} and trial.calibration == 2.0
    assert isinstance(trial.outcome, Failed)
    for kept in (trial.outcome.log, trial.log):
        assert len(kept) == 8192 and kept.endswith("end")


def test_another_space_objective_or_identity_is_refused_with_what_differs(tmp_path: Path) -> None:
    drive(
        Study(space(), [TIME], strategy=Shuffled, store=url(tmp_path), name="k", identity={"compiler": "gcc 12"}),
        most=1,
    )

    def reopen(some: Space, objective: Objective = TIME, compiler: str = "gcc 12") -> None:
        Study(some, [objective], strategy=Shuffled, store=url(tmp_path), name="k", identity={"compiler": compiler})

    with pytest.raises(StudyError) as refused:
        reopen(space(constraints=("tile >= unroll",), tiles=(8, 16)))
    for part in (
        "study 'k'",
        "[4,8,16,32]",
        "[8,16]",
        "removed: tile % unroll == 0",
        "added: tile >= unroll",
        "another name",
    ):
        assert part in str(refused.value)
    with pytest.raises(StudyError, match=r"objectives: min time \(ms\) -> max rate \(GB/s\)"):
        reopen(space(), RATE)
    with pytest.raises(StudyError, match="compiler: gcc 12 -> gcc 13"):
        reopen(space(), compiler="gcc 13")
    reopen(space(constraints=(" tile%unroll  == 0",)))


def test_names_default_to_what_is_studied(tmp_path: Path) -> None:
    store = Store(url(tmp_path))
    one, two = study(store=store, seed=1), study(store=store, seed=2)
    other = Study(space(tiles=(8, 16)), [TIME], strategy=Shuffled, store=store)
    assert one.name == two.name != other.name
    assert space_hash(one.space) == space_hash(space()) != space_hash(other.space)


def test_a_table_is_named_by_its_rows(tmp_path: Path) -> None:
    rows = list(space().enumerate())
    one, same = (Space.from_table(some, space().parameters) for some in (rows[1:9], rows[8:0:-1]))
    other = Space.from_table(rows[2:10], space().parameters)
    assert space_hash(one) == space_hash(same) != space_hash(other)
    drive(Study(one, [TIME], strategy=Shuffled, store=url(tmp_path), name="k"))
    with pytest.raises(StudyError, match=r"rows: 8 rows sha256:.* -> 8 rows sha256:"):
        Study(other, [TIME], strategy=Shuffled, store=url(tmp_path), name="k")


def test_every_kind_of_parameter_survives_the_store(tmp_path: Path) -> None:
    parameters = [
        Real("ratio", 0.1, 1.0),
        Categorical("on", [False, True]),
        Categorical("mode", ["a", "b"]),
        Permutation("order", 3),
        Permutation("loops", ["i", "j"]),
    ]
    values = {"ratio": 1, "on": True, "mode": "b", "order": [2, 0, 1], "loops": ("j", "i")}
    one = Study(Space(parameters), [TIME], strategy=Silent, store=url(tmp_path))
    kept = one.observe(values, Measured({"time": 1.0}))  # type: ignore[arg-type]
    assert kept.configuration["ratio"] == 1.0 and type(kept.configuration["ratio"]) is float
    assert Study(Space(parameters), [TIME], strategy=Silent, store=url(tmp_path)).trials == [kept]
    assert one.best == kept
