"""A store in PostgreSQL: what one in SQLite does, and what a server adds: lost connections, locales, passwords."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.postgres_server import Server
from tests.study.storage.test_memory import history
from tests.study.storage.test_store import OUTCOMES, configuration, open_study, trial
from tunepass.cli import main
from tunepass.diagnostics import EnvironmentFault, StoreFault, StudyError
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured
from tunepass.study.storage import postgres, schema
from tunepass.study.storage.location import StoreLocation
from tunepass.study.storage.memory import MemoryStore
from tunepass.study.storage.postgres_url import escape, split_study, unescape, without_secrets
from tunepass.study.storage.store import Store
from tunepass.study.trial import Trial

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def server(postgres_server: Server) -> Server:
    return postgres_server


@pytest.fixture
def url(postgres_url: str) -> str:
    return postgres_url


def test_a_server_answers_as_memory_does(url: str) -> None:
    with Store(url) as store:
        assert history(MemoryStore()) == history(store)


def test_values_return_as_they_were(url: str) -> None:
    big = {"tile": 1 << 80, "ratio": 1e-308, "text": "a\0b\ue000c\ue0000 \\ % ? \N{SNOWMAN}" + "x" * 10_000}
    numbers = (5e-324, 1e-308, 0.1, 1.7976931348623157e308, 2 / 3)
    kept = [
        Trial(0, Configuration(big), Measured({"time": 1e-308, "rate": 2 / 3}, numbers), {"compile": 0.1 + 0.2}),
        Trial(0, configuration(1), Failed("run", "NUL \0 here"), log="\0\ue000", calibration=1 / 3, same_as=1 << 62),
    ]
    with Store(url) as store:
        stored = [store.record(open_study(store), t) for t in kept]
        assert store.claim(open_study(store), [Configuration(big)]) == []
    with Store(url) as store:
        assert store.trials(open_study(store)) == stored
        assert [type(v) for v in stored[0].configuration.values()] == [int, float, str]
        database = store._session.execute("SELECT ?::float8, ?::float8", (float("inf"), -5e-324)).fetchone()
    assert database == [float("inf"), -5e-324]


def test_a_servers_defaults_change_nothing(server: Server, url: str) -> None:
    name = url.partition("@/")[2].partition("?")[0]
    for setting in ("extra_float_digits = -15", "TimeZone = 'Asia/Kathmandu'", "client_encoding = 'LATIN1'",
                    "standard_conforming_strings = off", "default_transaction_isolation = 'serializable'",
                    "synchronous_commit = off", "DateStyle = 'German'", "bytea_output = 'escape'"):  # fmt: skip
        server.sql(f"ALTER DATABASE {name} SET {setting}")
    first = Trial(0, configuration(1), OUTCOMES[2], {"compile": 2 / 3, "measure": 1e-308}, calibration=0.1)
    with Store(url) as store:
        stored = store.record(open_study(store), first)
        assert store.trials(open_study(store)) == [stored]
        assert store.studies()[0].created.endswith("Z")
        assert store._session.execute("SHOW synchronous_commit").fetchone() == ["on"]


def test_a_database_of_another_encoding_is_refused(server: Server) -> None:
    with pytest.raises(StudyError, match="has the encoding LATIN1, and a store needs UTF8"):
        Store(server.database("ENCODING 'LATIN1' TEMPLATE template0"))


def test_other_schemas_are_refused(server: Server, url: str) -> None:
    name = url.partition("@/")[2].partition("?")[0]
    Store(url).close()
    server.sql("UPDATE tunepass.store SET version = 99", name)
    with pytest.raises(StudyError, match=f"has store schema 99; this tunepass knows schemas up to {len(schema.STEPS)}"):
        Store(url)
    other = server.database()
    server.sql("CREATE SCHEMA tunepass", other.partition("@/")[2].partition("?")[0])
    with pytest.raises(StudyError, match="it is not a tunepass store"):
        Store(other)


def _open(url: str, start: float) -> None:
    time.sleep(max(0.0, start - time.time()))
    with Store(url) as store:
        open_study(store)


def test_eight_processes_create_one_schema(url: str) -> None:
    start = time.time() + 0.1
    processes = [FORK.Process(target=_open, args=(url, start)) for _ in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 8
    with Store(url) as store:
        assert [s.name for s in store.studies()] == ["s"]


def _work(url: str, count: int, acknowledged: Path) -> None:
    """Claim and record all configurations; append a line to the file after each record, when it is committed."""
    with Store(url) as store, acknowledged.open("a", buffering=1) as lines:
        study = open_study(store)
        order = [configuration(i) for i in range(count)]
        random.Random(os.getpid()).shuffle(order)
        while len(known := {trial.configuration for trial in store.trials(study)}) < count:
            free = [c for c in order if c not in known][:3]  # others may be at the first
            for claimed in store.claim(study, free)[:1]:
                value = random.random()
                stored = store.record(study, Trial(0, claimed, Measured({"time": 1.0, "rate": value})))
                if stored.outcome.values["rate"] == value:  # type: ignore[union-attr]  # else another was first
                    lines.write(f"{stored.number} {claimed['tile']} {value!r}\n")
            for pending in store.pending(study):
                if pending.owner == store._session.owner.name:
                    store.release(study, pending.configuration)


def _work_on(url: str, count: int, acknowledged: Path) -> None:
    """`_work`, again after each fault of the store."""
    while True:
        with contextlib.suppress(StoreFault):
            return _work(url, count, acknowledged)


def _check_acknowledged(url: str, count: int, acknowledged: Path) -> None:
    """All acknowledged trials are in the store once, as they were acknowledged; there are no others but those recorded
    by a process that was ended before its line."""
    with Store(url) as store:
        trials = store.trials(open_study(store))
        assert not store.pending(open_study(store))
    assert [t.number for t in trials] == list(range(count))
    assert len({t.configuration for t in trials}) == count
    rows = {(t.number, t.configuration["tile"], t.outcome.values["rate"]) for t in trials}  # type: ignore[union-attr]
    words = [line.split() for line in acknowledged.read_text().splitlines()]
    lines = [(int(number), int(tile), float(rate)) for number, tile, rate in words]
    assert len(lines) == len(set(lines)) and set(lines) <= rows, "an acknowledged trial was lost or changed"
    assert len(lines) >= count / 2  # most processes lived to write their line


def _started(
    work: Callable[[str, int, Path], None], url: str, count: int, acknowledged: Path
) -> multiprocessing.process.BaseProcess:
    process = FORK.Process(target=work, args=(url, count, acknowledged))
    process.start()
    return process


def test_eight_processes_that_are_killed_lose_and_double_nothing(url: str, tmp_path: Path) -> None:
    count, generator, acknowledged = 40, random.Random(0), tmp_path / "acknowledged"
    with Store(url) as store:
        open_study(store)
    processes, kills = [_started(_work, url, count, acknowledged) for _ in range(8)], 0
    while kills < 8 and any(p.is_alive() for p in processes):
        time.sleep(generator.uniform(0.0, 0.03))
        index = generator.randrange(8)
        if processes[index].is_alive():
            os.kill(processes[index].pid or 0, signal.SIGKILL)
            processes[index].join()
            processes[index] = _started(_work, url, count, acknowledged)
            kills += 1
    for process in processes:
        process.join(60)
    assert kills
    _check_acknowledged(url, count, acknowledged)


@pytest.mark.slow
def test_a_server_that_crashes_keeps_all_that_was_acknowledged(server: Server, url: str, tmp_path: Path) -> None:
    """Ended as `pg_ctl stop -m immediate` does, in the midst of what eight processes record."""
    count, acknowledged = 120, tmp_path / "acknowledged"
    acknowledged.touch()
    with Store(url) as store:
        open_study(store)
    processes = [_started(_work_on, url, count, acknowledged) for _ in range(8)]
    for lines in (20, 50, 80):
        while len(acknowledged.read_bytes().splitlines()) < lines:
            time.sleep(0.005)
        server.stop(signal.SIGQUIT)
        server.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * 8
    _check_acknowledged(url, count, acknowledged)


def test_copies_are_the_same_in_both_directions(url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "a.db", tmp_path / "b.db"
    with Store(f"sqlite:///{first}") as store:
        for name in ("s", "t"):
            study = open_study(store, name)
            for i, outcome in enumerate(OUTCOMES):
                store.record(
                    study, Trial(0, configuration(i), outcome, {"compile": 2 / 3}, "log \0", same_as=i or None)
                )
        store.claim(study, [configuration(9)])
    secret = url.replace("tester@", "tester:hunter2@")
    assert main(["store", "copy", str(first), secret]) == 0
    assert "2 studies, 8 trials; not copied: suggestions under evaluation, 1" in capsys.readouterr().out
    assert main(["store", "copy", secret, str(second)]) == 0
    assert main(["store", "check", secret]) == 0
    exported = []
    for place in (str(first), secret, str(second)):
        capsys.readouterr()
        assert main(["store", "export", place]) == 0
        exported.append(capsys.readouterr().out)
    assert exported[0] == exported[1] == exported[2]
    with Store(url) as store:
        before = [store.trials(study) for study in store.studies()]
        with Store(f"sqlite:///{first}") as more:
            open_study(more, "a new one")
        assert main(["store", "copy", str(first), secret]) == 2
        assert "has a study 's' already: nothing was copied" in (told := capsys.readouterr().err)
        assert [store.trials(study) for study in store.studies()] == before and "hunter2" not in told
        store.record(open_study(store, "later"), trial(0))  # keys of copied studies are not given out again
        assert [s.name for s in store.studies()] == ["s", "t", "later"]


def test_repair_says_why_it_is_for_files(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "repair", url.replace("tester@", "tester:hunter2@")]) == 2
    error = capsys.readouterr().err
    assert "reads the pages of a damaged file" in error and "pg_dump" in error and "hunter2" not in error


def test_a_budget_is_counted_once_by_processes_that_share_it(url: str) -> None:
    with Store(url) as one, Store(url) as two:
        a, b = open_study(one), open_study(two)
        assert one.claim(a, [configuration(i) for i in range(5)], limit=3) == [configuration(i) for i in range(3)]
        assert two.claim(b, [configuration(i) for i in range(5)], limit=4) == [configuration(3)]
        one.close()
        assert [p.abandoned for p in two.pending(b)] == [True, True, True, False]
        assert two.claim(b, [configuration(0)], limit=4) == [configuration(0)]


def test_a_lost_connection_is_made_again_and_the_holder_stays_alive(server: Server, url: str) -> None:
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()"
    with Store(url) as store:
        study = open_study(store)
        store.claim(study, [configuration(1)])
        server.sql(end.format(url.partition("@/")[2].partition("?")[0]))
        assert [p.abandoned for p in store.pending(study)] == [False]
        server.sql(end.format(url.partition("@/")[2].partition("?")[0]))
        assert store.record(study, trial(1)).number == 0
        with store._lock:  # lost in the midst of a change
            begin = store._session.begin

            def lose(*arguments: object, **options: object) -> None:
                begin(*arguments, **options)  # type: ignore[arg-type]
                store._session.begin = begin  # type: ignore[method-assign]
                server.sql(end.format(url.partition("@/")[2].partition("?")[0]))

            store._session.begin = lose  # type: ignore[method-assign]
        assert store.record(study, trial(2)).number == 1
        assert [t.number for t in store.trials(study)] == [0, 1]


def test_a_holder_outlives_a_connection_that_the_server_takes_for_alive(url: str) -> None:
    with Store(url) as one, Store(url) as two:
        one.claim(open_study(one), [configuration(1)])
        session = one._session
        assert isinstance(session, postgres.PostgresSession)
        lost, session._connection = session._connection, session._connect()
        lost.close()
        assert [p.abandoned for p in two.pending(open_study(two))] == [False]


def test_a_server_that_is_gone_is_waited_for_once(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that ends for it makes several calls."""
    attempts: list[float] = []

    def connect() -> None:
        attempts.append(time.monotonic())
        raise StoreFault("no server")

    monkeypatch.setattr(postgres, "RECONNECT_SECONDS", 0.1)
    with Store(url) as store:
        session = store._session
        assert isinstance(session, postgres.PostgresSession)
        connected = session._connect
        monkeypatch.setattr(session, "_connect", connect)
        session._connection.close()
        counts = []
        for _ in range(3):
            with pytest.raises(StoreFault, match="no server"):
                store.studies()
            counts.append(len(attempts))
        assert counts[0] > 1 and counts[1:] == [counts[0] + 1, counts[0] + 2]
        monkeypatch.setattr(session, "_connect", connected)
        assert store.studies() == []


@pytest.mark.slow
def test_a_server_that_is_gone_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "RECONNECT_SECONDS", 0.1)
    server = Server(durable=True)
    try:
        with Store(server.url("postgres", password="hunter2")) as store:
            study = open_study(store)
            stored = store.record(study, trial(1))
            server.stop(signal.SIGQUIT)  # as a crash
            with pytest.raises(EnvironmentFault, match="is the server running") as caught:
                store.record(study, trial(2))
            assert "hunter2" not in str(caught.value) and caught.value.exit_status == 4
            server.start()
            assert store.trials(study) == [stored]  # it was on disk
            assert store.record(study, trial(2)).number == 1
    finally:
        server.remove()


def test_a_password_is_never_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "RECONNECT_SECONDS", 0.0)
    url = server.url("nowhere", password="hunter%212")
    with pytest.raises(StudyError, match='database "nowhere" does not exist') as caught:
        Store(url)
    wrong = ["postgresql://me:hunter%212@/x?host=/nowhere", "postgresql://me:hunter%212@/x?nonsense=hunter%212",
             "postgresql://me@:port/x?password=hunter%212", "postgresql://me:hunter%212@[x"]  # fmt: skip
    texts = [str(caught.value) + repr(caught.value.__cause__)]
    for text in wrong:
        with pytest.raises(StudyError) as caught:
            Store(text)
        texts.append(str(caught.value))
    with Store(server.url("postgres", password="hunter%212")) as store:
        texts += [repr(store), store.url]
    assert not [text for text in texts if "hunter" in text]


def test_secrets_and_texts() -> None:
    shown = without_secrets("postgresql://me:a@b:c@host:5/db?sslmode=require&passWord=x&sslpassword=y&other=z")
    assert shown == "postgresql://me@host:5/db?sslmode=require"
    assert without_secrets("postgresql://host/db") == "postgresql://host/db"
    for text in ("", "a", "\0", "\ue000", "\ue0000", "\ue000m\0"):
        assert unescape(escape(text)) == text and "\0" not in escape(text)


@pytest.mark.parametrize(
    "url,shown",
    [
        ("postgresql://me:a/b@host/db", "postgresql://me@host/db"),
        ("postgresql://me:a/b", "postgresql://***"),  # `me:a` is no host with a port
        ("postgresql://me:x@[::1]:5432/db", "postgresql://me@[::1]:5432/db"),
        ("postgres://me:x@a:1,b:2/db?options=-c%20a%3Dsecret&port=1", "postgres://me@a:1,b:2/db?port=1"),
        ("postgresql://h/db?dbname=postgresql%3A%2F%2Fme%3Apw%40h%2Fx", "postgresql://h/db"),
        ("postgresql:///db?host=/run/pg&password=a&PASSWORD=b", "postgresql:///db?host=/run/pg"),
    ],
)
def test_only_what_is_known_to_be_public_is_shown(url: str, shown: str) -> None:
    assert without_secrets(url) == shown == str(StoreLocation.named(url))
    assert repr(StoreLocation.named(url)) == "StoreLocation(folder=PosixPath('.'))"


def test_a_study_is_named_behind_the_url() -> None:
    for url in (
        "postgresql://me:p@h:5432/db",
        "postgresql:///db?host=/run/pg&port=1",
        "postgres://h",
        "postgresql://[::1]:1/d",
    ):
        assert split_study(url) == (url, None)
    assert split_study("postgresql://me:p@h:1/db:k.c::f@0123") == ("postgresql://me:p@h:1/db", "k.c::f@0123")
    assert split_study("postgresql:///db?host=/run:k.c::f") == ("postgresql:///db?host=/run", "k.c::f")
    for unescaped in ("postgresql://me:a/hunter@h/db", "postgresql://me:a/b:hunter@h/db"):
        with pytest.raises(StudyError, match="%2F") as caught:
            split_study(unescaped)
        assert "hunter" not in str(caught.value)


def test_the_error_without_psycopg_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(StudyError, match="psycopg, which is not installed") as caught:
        Store("postgresql://me@/db")
    assert "tunepass[postgres]" in str(caught.value)
