"""Stores that hold what no store holds: one diagnostic that names the store and what to do, whatever it is."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.study.storage.test_store import OUTCOMES, TIME, open_study, trial, url
from tunepass.diagnostics import StudyError
from tunepass.study.comparison.final_round import comparison_of
from tunepass.study.manifest import Manifest, Part
from tunepass.study.prior_origin import Origin
from tunepass.study.storage.salvage import salvage
from tunepass.study.storage.store import Store


def stored(tmp_path: Path) -> Path:
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        store.keep_manifests({"sha256:1": Manifest((Part("header", "a.h", "sha256:2"),))})
        store.set_origin(study, Origin(place="a.db", study="a@1", trials=3))
        store.set_comparison(study, comparison_of("time", [2.0], [trial(1).configuration], [[1.0]]))
        for i, outcome in enumerate(OUTCOMES):
            store.record(study, trial(i, outcome))
        store.claim(study, [trial(9).configuration])
    return tmp_path / "store.db"


def read_everything(path: Path) -> None:
    with Store(f"sqlite:///{path}") as store:
        for study in store.studies():
            store.manifest("sha256:1")
            store.trials(study)
            store.pending(study)
            store.origin(study)
            store.comparison(study)


CHANGES = {
    "no_json": "UPDATE trial SET configuration = '{' WHERE number = 1",
    "json_of_another_kind": "UPDATE trial SET configuration = '[1]' WHERE number = 1",
    "configuration_of_object": """UPDATE trial SET configuration = '{"tile":{}}' WHERE number = 1""",
    "deep": "UPDATE trial SET configuration = replace(hex(zeroblob(50000)), '0', '[') WHERE number = 1",
    "nan": """UPDATE trial SET objectives = '{"time":NaN,"rate":1}' WHERE number = 0""",
    "huge": "UPDATE trial SET objectives = '{\"time\":' || replace(hex(zeroblob(500)), '0', '9') || ',\"rate\":1}'",
    "other_objectives": """UPDATE trial SET objectives = '{"speed":1}' WHERE number = 0""",
    "objectives_missing": "UPDATE trial SET objectives = NULL WHERE number = 0",
    "samples": """UPDATE trial SET samples = '{"a":1}' WHERE number = 0""",
    "blob": "UPDATE trial SET log = x'ff00' WHERE number = 0",
    "no_utf8": "UPDATE trial SET log = CAST(x'ff41' AS TEXT) WHERE number = 0",
    "stage": "UPDATE trial SET stage = 'lost' WHERE number = 2",
    "stage_missing": "UPDATE trial SET stage = NULL WHERE number = 2",
    "seconds": "UPDATE trial SET compile_s = 'long' WHERE number = 0",
    "seconds_negative": "UPDATE trial SET compile_s = -1 WHERE number = 0",
    "seconds_infinite": "UPDATE trial SET calibration = 9e999 WHERE number = 0",
    "other_seconds": """UPDATE trial SET other_s = '{"a":"b"}' WHERE number = 0""",
    "same_as": "UPDATE trial SET same_as = 'first' WHERE number = 0",
    "gap": "DELETE FROM trial WHERE number = 1",
    "study_objectives": "UPDATE study SET objectives = '[3]'",
    "study_objective_name": """UPDATE study SET objectives = '[{"name":"a b","unit":"","maximise":true}]'""",
    "study_objectives_twice": "UPDATE study SET objectives = '[' || substr(objectives, 2, 44) || substr(objectives, 2)",
    "study_identity": "UPDATE study SET identity = '[]'",
    "study_identity_number": """UPDATE study SET identity = '{"flags":3}'""",
    "study_identity_no_utf8": "UPDATE study SET identity = CAST(x'7b2261223a22ff227d' AS TEXT)",
    "study_objectives_no_utf8": (
        "UPDATE study SET objectives = CAST(replace(CAST(objectives AS BLOB), CAST('ms' AS BLOB), x'ff') AS TEXT)"
    ),
    "study_name": "UPDATE study SET name = x'00ff'",
    "study_space": "UPDATE study SET space = 'box'",
    "origin": "UPDATE study SET origin = '{}'",
    "origin_count": "UPDATE study SET origin = replace(origin, ':3', ':-3')",
    "comparison": "UPDATE study SET comparison = '{}'",
    "comparison_rounds": "UPDATE study SET comparison = replace(comparison, '[1.0]', '1.0')",
    "manifest": """UPDATE manifest SET parts = '[["header"]]'""",
    "manifest_cell": """UPDATE manifest SET parts = '[["header",1,2]]'""",
    "owner": "UPDATE pending SET owner = x'00'",
    "suggestion": "UPDATE pending SET configuration = '3'",
    "trigger": "CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM trial; END",
    "view": "CREATE VIEW v AS SELECT * FROM trial",
    "column": "ALTER TABLE trial RENAME COLUMN code TO cold",
    "table": "DROP TABLE pending",
    "schema_text": (
        "PRAGMA writable_schema = ON; "
        "UPDATE sqlite_master SET sql = replace(sql, 'CHECK (outcome', 'CHECK (ostcome') WHERE name = 'trial'"
    ),
    "version": "PRAGMA user_version = -3",
    "version_zero": "PRAGMA user_version = 0",
    "version_older": "PRAGMA user_version = 3",
}


def damaged(folder: Path, change: str) -> Path:
    path = stored(folder)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.executescript(change)
    return path


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_cannot_be_read_is_found_when_the_store_is_checked(change: str, tmp_path: Path) -> None:
    assert salvage(damaged(tmp_path, change)).problems


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_damaged_row_is_one_diagnostic(change: str, tmp_path: Path) -> None:
    path = damaged(tmp_path, change)
    with pytest.raises(StudyError, match=rf"store {path} is damaged: .*(\n|.)*tunepass store repair") as raised:
        read_everything(path)
    assert len(raised.value.diagnostics) == 1


def test_a_whole_store_is_read(tmp_path: Path) -> None:
    path = stored(tmp_path)
    read_everything(path)
    assert salvage(path).problems == []


@pytest.mark.parametrize("owner", ["a/b/²/1/2", "a/b/" + "9" * 5000 + "/1/2", "", "////", "\0"])
def test_an_owner_that_is_none_is_gone(owner: str, tmp_path: Path) -> None:
    path = stored(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE pending SET owner = ?", (owner,))
    with Store(f"sqlite:///{path}") as store:
        assert [p.abandoned for p in store.pending(open_study(store))] == [True]


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "link to a pipe"])
def test_only_a_regular_file_is_opened(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "link to a pipe":
            os.mkfifo(tmp_path / "pipe")
            path.symlink_to("pipe")
        case "device":
            path = Path("/dev/null")
    with pytest.raises(StudyError, match=r"cannot read .*not a regular file"):
        Store(f"sqlite:///{path}")


def test_objectives_are_the_study_s(tmp_path: Path) -> None:
    with Store(f"sqlite:///{stored(tmp_path)}") as store:
        assert store.studies()[0].objectives == TIME
