"""Trials that are read in blocks of columns are those that are read row by row, whatever the cells are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.study.storage.test_damage import CHANGES, damaged, stored
from tests.study.storage.test_store import OUTCOMES, configuration, open_study, url
from tunepass.diagnostics import StudyError
from tunepass.study.ledger import Check, Ledger
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.results import trial_columns
from tunepass.study.storage import trial_blocks
from tunepass.study.storage.json_lines import lines
from tunepass.study.storage.salvage import salvage
from tunepass.study.storage.store import Store
from tunepass.study.storage.trial_rows import TRIAL_COLUMNS, to_trial
from tunepass.study.storage.whole_store import NotWhole, WholeStore
from tunepass.study.trial import Trial

VALUES = {"time": 2.5, "rate": 1e-300}
LEDGER = Ledger(
    (Check("outputs"), Check("sizes", "could not run", "it fails at n = 1"), Check("seeds", "not requested"))
)
TRIALS = [
    *(Trial(0, configuration(i), outcome, log="naïve \N{SNOWMAN}") for i, outcome in enumerate(OUTCOMES)),
    Trial(0, configuration(5), Measured(VALUES), {"compile": 0.0, "measure": 1.5}, calibration=2.5, code="sha256:1"),
    Trial(0, configuration(6), Measured(VALUES, (0.1, 2.0)), {"link": 0.25, "compile": 0.5}, checks=LEDGER),
    Trial(0, configuration(7), Measured(VALUES, (), False, {"time": 0.5}, (VALUES, VALUES)), same_as=4),
    Trial(0, configuration(8), Measured(VALUES), intermediate={1: 2.0, 3: 1.5}),
    Trial(0, configuration(9), Failed("timeout"), {"probe": 1.0}, '"quoted"\n\x1f'),
]


def stored_trials(folder: Path, trials: Sequence[Trial]) -> Path:
    with Store(url(folder)) as store:
        study = open_study(store)
        for trial in trials:
            store.record(study, trial)
    return folder / "store.db"


def rows_of(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {', '.join(TRIAL_COLUMNS)} FROM trial ORDER BY number").fetchall()


@pytest.fixture(params=[1, 3, 5_000])
def small_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunepass.study.storage.store.ROWS", request.param)
    monkeypatch.setattr("tunepass.study.storage.whole_store.ROWS", request.param)


@pytest.mark.usefixtures("small_blocks")
def test_blocks_have_the_trials_of_the_rows(tmp_path: Path) -> None:
    path = stored_trials(tmp_path, TRIALS)
    expected = [to_trial(row, ["time", "rate"]) for row in rows_of(path)]
    assert [replace(trial, number=0) for trial in expected] == TRIALS
    with Store(f"sqlite:///{path}") as store:
        (study,) = store.studies()
        columns = store.trial_columns(study)
        assert store.trials(study) == list(columns) == [columns[i] for i in range(len(columns))] == expected
        assert columns[2:-1] == expected[2:-1] and columns[-1] == expected[-1]
        with pytest.raises(IndexError):
            columns[len(expected)]


@pytest.mark.usefixtures("small_blocks")
def test_columns_of_stored_trials_are_those_of_their_objects(tmp_path: Path) -> None:
    path = stored_trials(tmp_path, TRIALS)
    with Store(f"sqlite:///{path}") as store:
        columns, trials = store.trial_columns(store.studies()[0]), store.trials(store.studies()[0])
    for name in ("time", "rate", "other"):
        assert np.array_equal(trial_columns.values(columns, name), trial_columns.values(trials, name), equal_nan=True)
    assert trial_columns.failure_kinds(columns) == trial_columns.failure_kinds(trials)
    assert trial_columns.configurations(columns) == trial_columns.configurations(trials)
    assert trial_columns.cut_short(columns).tolist() == trial_columns.cut_short(trials).tolist()
    assert trial_columns.competing(columns).tolist() == [t.measured and not t.censored for t in trials]


def test_censored_trials_compete_where_nothing_was_measured_whole(tmp_path: Path) -> None:
    cut = [Trial(0, configuration(i), outcome) for i, outcome in enumerate(OUTCOMES)]
    with Store(f"sqlite:///{stored_trials(tmp_path, cut)}") as store:
        columns = store.trial_columns(store.studies()[0])
    assert trial_columns.competing(columns).tolist() == [True, False, False, True]
    assert trial_columns.first_of(columns, configuration(2)) == columns[2]
    assert trial_columns.first_of(columns, configuration(99)) is None


def _unusual() -> Iterator[str]:
    """Changes of a row that a block does not take in; some are damage."""
    for column in TRIAL_COLUMNS:
        for value in ("NULL", "7", "-0.5", "9e999", "'x'", "x'00'", "'[1]'", """'{"a":[1]}'""", """'{"time":1}'"""):
            yield f"UPDATE OR IGNORE trial SET {column} = {value} WHERE number = 5"
    yield """UPDATE trial SET samples = '[1, 2]' WHERE number = 5"""
    yield """UPDATE trial SET objectives = ' {"rate" : 2.0, "time":\n1.0} ' WHERE number = 5"""
    yield """UPDATE trial SET configuration = '{"tile":1e999}' WHERE number = 5"""
    yield """UPDATE trial SET configuration = '{"tile":NaN}' WHERE number = 5"""
    yield """UPDATE trial SET configuration = '{"tile":"\\ud800"}' WHERE number = 5"""


@pytest.mark.parametrize("change", list(_unusual()))
@pytest.mark.slow_but(4)
def test_an_unusual_cell_is_read_as_in_a_row_by_itself(change: str, tmp_path: Path) -> None:
    path = stored_trials(tmp_path, TRIALS)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        try:
            connection.execute(change)
        except sqlite3.IntegrityError:
            pytest.skip("such a cell cannot be")
    rows = rows_of(path)
    block = trial_blocks.read_block(rows, ["time", "rate"])
    if block is not None:
        assert list(block) == [to_trial(row, ["time", "rate"]) for row in rows]
    whole, salvaged = WholeStore(path), salvage(path)
    try:
        written = list(whole.lines())
    except NotWhole:
        return
    assert not salvaged.problems and whole.summary == salvaged.summary
    assert "".join(written) == "".join(lines(salvaged.everything)) or " " in change


def test_one_text_never_ends_in_another(tmp_path: Path) -> None:
    """Texts that are JSON only when they stand one after the other."""
    path = stored_trials(tmp_path, [Trial(0, configuration(i), Infeasible("fits")) for i in range(3)])
    texts = ('{"tile":[{}', "{}]}", '{"tile":1},{"tile":2}')
    with closing(sqlite3.connect(path)) as connection, connection:
        for number, text in enumerate(texts):
            connection.execute("UPDATE trial SET configuration = ? WHERE number = ?", (text, number))
    assert trial_blocks.read_block(rows_of(path), ["time", "rate"]) is None
    with Store(f"sqlite:///{path}") as store, pytest.raises(StudyError, match="configuration is not JSON"):
        store.trials(store.studies()[0])


@pytest.mark.usefixtures("small_blocks")
def test_a_whole_store_is_exported_as_row_by_row(tmp_path: Path) -> None:
    path = stored(tmp_path)
    with Store(f"sqlite:///{path}") as store:
        study = open_study(store, "with a \N{SNOWMAN}\n")
        for trial in TRIALS:
            store.record(study, trial)
    salvaged, whole = salvage(path), WholeStore(path)
    assert "".join(whole.lines()) == "".join(lines(salvaged.everything))
    assert whole.summary == salvaged.summary == WholeStore(path).check()
    assert whole.summary.trials == len(TRIALS) + len(OUTCOMES)


@pytest.mark.parametrize(
    "change",
    [
        *CHANGES.values(),
        "PRAGMA foreign_keys = OFF; UPDATE trial SET study = 99 WHERE number = 3",
        "UPDATE trial SET same_as = 3 WHERE number = 2",
        "UPDATE trial SET configuration = (SELECT replace(configuration, ':1,', ':1.0,') FROM trial WHERE number = 1) "
        "WHERE number = 2",
    ],
)
def test_a_damaged_store_is_not_whole(change: str, tmp_path: Path) -> None:
    path = damaged(tmp_path, change)
    with pytest.raises(NotWhole):
        WholeStore(path).check()
