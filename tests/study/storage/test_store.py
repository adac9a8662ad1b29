"""The store: round trips, numbers under contention, abandoned suggestions, schemas old and new, full and read-only."""

from __future__ import annotations

import multiprocessing
import os
import socket
import sqlite3
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.storage import database, json_text, schema
from tunepass.study.storage.process_owner import Owner
from tunepass.study.storage.store import Store, StudyRecord
from tunepass.study.trial import Trial

TIME = (Objective("time", unit="ms"), Objective("rate", unit="GB/s", maximise=True))
OUTCOMES = [
    Measured({"time": 1.25, "rate": 7.0}, samples=(1.25, 1.5), censored=True),
    Infeasible("fits"),
    Failed("compile", "error: naïve \N{SNOWMAN}\0 end"),
    Measured({"time": 1.25, "rate": 7.0}, censored=True),
]


def configuration(i: int) -> Configuration:
    return Configuration({"tile": i, "ratio": 0.1 * i, "flag": "-O3 'x'", "on": True, "order": (2, 0, 1)})


def trial(i: int, outcome: Measured | Infeasible | Failed = OUTCOMES[0]) -> Trial:
    return Trial(0, configuration(i), outcome)


def open_study(store: Store, name: str = "s") -> StudyRecord:
    return store.open_study(name, "{}", TIME, {"compiler": "gcc 12"})[0]


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


def test_what_many_trials_have_in_common_is_held_once(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        for i in range(2):
            store.record(study, Trial(0, configuration(i), Failed("compile", f"{i // 2} errors"), log="the same\n" * 9))
        first, second = store.trials(study)
    assert first.log is second.log and first.outcome.log is second.outcome.log  # type: ignore[union-attr]
    assert first.configuration["flag"] is second.configuration["flag"]
    assert all(a is b for a, b in zip(first.configuration, second.configuration))


def test_a_long_study_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunepass.study.storage.store.ROWS", 20)
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        for i in range(300):
            measured = Measured({"time": i / 7, "rate": i / 9}, samples=(i / 7, i / 5, i / 3))
            store.record(study, Trial(0, configuration(i), measured, {"compile": i / 7}, log="a warning\n" * 40))
        store.trials(study)
        tracemalloc.start()
        trials = store.trials(study)
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert len(trials) == 300 and held < 300 * 1500 and peak < 300 * 1700  # the rows go by a block at a time


def test_trials_round_trip(tmp_path: Path) -> None:
    seconds = {"compile": 0.5, "measure": 1.5, "link": 0.25}
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        kept = [
            store.record(study, Trial(0, configuration(i), outcome, seconds, "log", calibration=2.5, same_as=i or None))
            for i, outcome in enumerate(OUTCOMES)
        ]
        assert [t.number for t in kept] == list(range(len(OUTCOMES)))
    with Store(url(tmp_path)) as store:
        assert store.trials(open_study(store)) == kept
        assert store.trials(open_study(store), after=1) == kept[2:]
        read = store.trials(open_study(store))[0].configuration
        assert list(read.items()) == list(configuration(0).items())
        assert type(read["on"]) is bool and type(read["tile"]) is int


def test_values_are_readable_text(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as store:
        store.record(open_study(store), trial(1))
    row = (
        sqlite3.connect(tmp_path / "store.db")
        .execute("SELECT configuration, objectives, samples FROM trial")
        .fetchone()
    )
    assert row == (
        '{"tile":1,"ratio":0.1,"flag":"-O3 \'x\'","on":true,"order":[2,0,1]}',
        '{"time":1.25,"rate":7.0}',
        "[1.25,1.5]",
    )


def test_studies_by_name_and_identity(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as store:
        first, created = store.open_study("a", "{}", TIME, {"compiler": "gcc", "source": "x"})
        assert created and store.open_study("a", "other", TIME, {}) == (first, False)
        store.open_study("b", "{}", TIME[:1], {"compiler": "clang"})
        store.record(first, trial(0))
        assert [(s.name, s.trials) for s in store.studies()] == [("a", 1), ("b", 0)]
        assert [s.name for s in store.with_identity({"source": "x", "compiler": "gcc"})] == ["a"]
        assert store.with_identity({"compiler": "gcc"}) == []
        assert store.study("b").objectives == TIME[:1]  # type: ignore[union-attr]
        assert store.study("c") is None


def test_a_second_record_of_a_configuration_gives_the_first() -> None:
    store = Store()
    study = open_study(store)
    kept = store.record(study, trial(5))
    assert store.record(study, trial(5, OUTCOMES[1])) == kept
    store.replace(study, [Trial(0, configuration(5), OUTCOMES[1])])
    assert [t.outcome for t in store.trials(study)] == [OUTCOMES[1]]


def test_claims_exclude_trials_and_living_owners(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as one, Store(url(tmp_path)) as two:
        a, b = open_study(one), open_study(two)
        one.record(a, trial(0))
        assert one.claim(a, [configuration(0), configuration(1)]) == [configuration(1)]
        assert two.claim(b, [configuration(1), configuration(2)]) == [configuration(2)]
        assert [(p.configuration["tile"], p.abandoned) for p in two.pending(b)] == [(1, False), (2, False)]
        one.close()
        assert [(p.configuration["tile"], p.abandoned) for p in two.pending(b)] == [(1, True), (2, False)]
        assert two.claim(b, [configuration(1)]) == [configuration(1)]
        two.record(b, trial(1))
        assert [p.configuration["tile"] for p in two.pending(b)] == [2]


CLAIMS = """
import sys
sys.path.insert(0, sys.argv[2])
from tests.study.storage.test_store import Store, configuration, open_study
store = Store(sys.argv[1])
print(len(store.claim(open_study(store), [configuration(3)])), flush=True)
sys.stdin.read()
"""


def test_an_owner_whose_process_cannot_be_seen_lives_as_long_as_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in another container: another host name, and a pid that means nothing here."""
    command = [sys.executable, "-c", CLAIMS, url(tmp_path), str(Path(__file__).parents[3])]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None and other.stdout.readline() == "1\n"
    monkeypatch.setattr(socket, "gethostname", lambda: "another")
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        assert [p.abandoned for p in store.pending(study)] == [False]
        other.kill()
        other.communicate()
        assert [p.abandoned for p in store.pending(study)] == [True]


def test_the_last_to_go_leaves_no_file(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as one, Store(url(tmp_path)) as two:
        one.claim(open_study(one), [configuration(3)])
        two.claim(open_study(two), [configuration(4)])
        one.close()
        assert [p.abandoned for p in two.pending(open_study(two))] == [True, False]
    assert [p.name for p in tmp_path.iterdir()] == [p.name for p in tmp_path.glob("*.db")]


def test_an_owner_of_the_version_before_is_told_by_its_process(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        holder = Owner(None)
        store.claim(study, [configuration(3)])
        store._session.connection.execute("UPDATE pending SET owner = ?", (holder.name,))
        assert holder.name.startswith(f"{socket.gethostname()}/")
        assert [p.abandoned for p in store.pending(study)] == [False]
        holder.release()
        assert [p.abandoned for p in store.pending(study)] == [True]


def test_claims_stop_at_the_limit() -> None:
    store = Store()
    study = open_study(store)
    store.record(study, trial(0))
    assert len(store.claim(study, [configuration(i) for i in range(9)], limit=4)) == 3
    assert store.claim(study, [configuration(10)], limit=4) == []


def test_damaged_text_is_a_diagnostic(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        store.record(study, trial(0))
        store._session.connection.execute("UPDATE trial SET configuration = '{'")
        with pytest.raises(StudyError, match="not JSON"):
            store.trials(study)


KILLED = """
import os, sys
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured
from tunepass.study.objective import Objective
from tunepass.study.storage.store import Store
from tunepass.study.trial import Trial
store = Store(sys.argv[1])
study = store.open_study("s", "{}", (Objective("time"),), {})[0]
store.record(study, Trial(0, Configuration({"x": 0}), Measured({"time": 1.0})))
store.claim(study, [Configuration({"x": 1})])
os.kill(os.getpid(), 9)
"""


def test_kill_9_keeps_what_was_recorded_and_shows_what_was_interrupted(tmp_path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, url(tmp_path)], check=False).returncode == -9
    with Store(url(tmp_path)) as store:
        study = store.studies()[0]
        assert [t.configuration["x"] for t in store.trials(study)] == [0]
        assert [(p.configuration["x"], p.abandoned) for p in store.pending(study)] == [(1, True)]


def _work(where: str, start: int) -> None:
    with Store(where) as store:
        study = open_study(store)
        for i in range(20):
            store.record(study, trial(start + i))


def test_two_processes_lose_and_repeat_no_number(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_work, args=(url(tmp_path), 100 * k)) for k in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    with Store(url(tmp_path)) as store:
        trials = store.trials(open_study(store))
    assert [t.number for t in trials] == list(range(40))
    assert {t.configuration["tile"] for t in trials} == {*range(20), *range(100, 120)}


def hand_made_version_1(path: Path) -> None:
    """As a store of schema 1 looks: no pending suggestions, no calibration."""
    db = sqlite3.connect(path)
    db.executescript(
        f"""
        CREATE TABLE study (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, space TEXT NOT NULL,
            objectives TEXT NOT NULL, identity TEXT NOT NULL DEFAULT '{{}}', created TEXT NOT NULL);
        CREATE TABLE trial (study INTEGER NOT NULL REFERENCES study(id) ON DELETE CASCADE, number INTEGER NOT NULL,
            configuration TEXT NOT NULL, outcome TEXT NOT NULL, objectives TEXT, samples TEXT, stage TEXT, reason TEXT,
            compile_s REAL, apply_s REAL, check_s REAL, probe_s REAL, measure_s REAL, rerank_s REAL, other_s TEXT,
            log TEXT NOT NULL DEFAULT '', finished TEXT NOT NULL,
            PRIMARY KEY (study, number), UNIQUE (study, configuration));
        INSERT INTO study VALUES (1, 'old', '{{}}', '[{{"name":"time","unit":"ms","maximise":false}}]', '{{}}', '2025');
        INSERT INTO trial VALUES (1, 0, '{{"x":3}}', 'measured', '{{"time":2.5}}', NULL, NULL, NULL,
            0.5, NULL, NULL, NULL, NULL, NULL, NULL, '', '2025');
        PRAGMA application_id = {schema.APPLICATION_ID};
        PRAGMA user_version = 1;
        """
    )
    db.close()


def test_older_schema_is_migrated(tmp_path: Path) -> None:
    hand_made_version_1(tmp_path / "store.db")
    with Store(url(tmp_path)) as store:
        study = store.studies()[0]
        assert store.trials(study) == [Trial(0, Configuration({"x": 3}), Measured({"time": 2.5}), {"compile": 0.5})]
        assert store.claim(study, [Configuration({"x": 4})]) != []
    db = sqlite3.connect(tmp_path / "store.db")
    assert db.execute("PRAGMA user_version").fetchone()[0] == len(schema.STEPS)


def test_schema_2_is_migrated_with_its_trials(tmp_path: Path) -> None:
    hand_made_version_1(tmp_path / "store.db")
    db = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    schema.migrate(db, "store", schema.STEPS[:2])
    db.execute("UPDATE trial SET calibration = 4.0")
    db.close()
    with Store(url(tmp_path)) as store:
        (kept,) = store.trials(store.studies()[0])
    assert (kept.calibration, kept.censored, kept.same_as) == (4.0, False, None)


def test_a_failed_migration_changes_nothing(tmp_path: Path) -> None:
    hand_made_version_1(tmp_path / "store.db")
    db = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
    broken = (schema.STEPS[0], (*schema.STEPS[1], "CREATE NONSENSE"))
    with pytest.raises(sqlite3.Error):
        schema.migrate(db, "store", broken)
    assert db.execute("PRAGMA user_version").fetchone()[0] == 1
    assert db.execute("SELECT name FROM sqlite_master WHERE name = 'pending'").fetchall() == []


def test_newer_schema_is_refused_by_name(tmp_path: Path) -> None:
    Store(url(tmp_path)).close()
    sqlite3.connect(tmp_path / "store.db").execute("PRAGMA user_version = 99").connection.commit()
    known = len(schema.STEPS)
    with pytest.raises(
        StudyError, match=rf"store\.db has store schema 99; this tunepass knows schemas up to {known}(.|\n)*update"
    ):
        Store(url(tmp_path))


def test_what_is_not_a_store_is_refused(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "store.db")
    db.execute("CREATE TABLE photos (id)")
    db.commit()
    with pytest.raises(StudyError, match="not a tunepass store"):
        Store(url(tmp_path))
    (tmp_path / "text.db").write_text("hello " * 500)
    with pytest.raises(StudyError, match="not a database"):
        Store(f"sqlite:///{tmp_path}/text.db")
    with pytest.raises(StudyError, match="a store is sqlite:///PATH, got 'mysql://x'"):
        Store("mysql://x")


def test_full_disk_keeps_what_was_recorded(tmp_path: Path) -> None:
    with Store(url(tmp_path)) as store:
        study = open_study(store)
        pages = store._session.connection.execute("PRAGMA page_count").fetchone()[0]
        store._session.connection.execute(f"PRAGMA max_page_count = {pages + 3}")
        with pytest.raises(StudyError, match=r"database or disk is full(.|\n)*free some space"):
            for i in range(100):
                store.record(study, Trial(0, configuration(i), OUTCOMES[0], log="x" * 8000))
        kept = store.trials(study)
        assert kept and [t.number for t in kept] == list(range(len(kept)))
        store._session.connection.execute("PRAGMA max_page_count = 100000")
        assert store.record(study, trial(999)).number == len(kept)


def test_a_place_that_cannot_be_written_is_a_diagnostic(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match=r"cannot make the folder"):
        Store(f"sqlite:///{tmp_path}/file/deep/store.db")
    if os.path.isdir("/proc/self"):
        with pytest.raises(StudyError, match=r"unable to open(.|\n)*can be written"):
            Store("sqlite:////proc/self/store.db")


def test_a_store_that_nothing_of_its_place_prevents_from_opening_is_the_machines_matter(tmp_path: Path) -> None:
    read_only = database.failed(sqlite3.OperationalError("attempt to write a readonly database"), tmp_path / "store.db")
    assert read_only.exit_status == 4
    error = sqlite3.OperationalError("unable to open database file")
    fault = database.failed(error, tmp_path / "store.db")
    assert fault.exit_status == 4 and "unable to open" in str(fault)
    mistake = database.failed(error, tmp_path / "missing" / "store.db")
    assert mistake.exit_status == 2 and "unable to open database file: No such file or directory" in str(mistake)


def test_missing_folder_is_made(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path}/.tunepass/store.db").close()
    assert (tmp_path / ".tunepass" / "store.db").exists()


def test_log_tail() -> None:
    assert json_text.log_tail("short") == "short"
    long = "é" * 10_000 + "end"
    assert json_text.log_tail(long).endswith("éend") and len(json_text.log_tail(long).encode()) <= json_text.LOG_BYTES
    assert json_text.log_tail("\udcff") == "?"
