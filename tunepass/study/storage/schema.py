"""The store's tables, their versions and the way up. docs/store.md describes them to those who read stores.

`PRAGMA user_version` is the schema's version. Step k takes a store from version k to k + 1, so that a new store and a
migrated one are the same; a step is never edited after a release, a new one is added.
"""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from tunepass.diagnostics import StudyError
from tunepass.study.storage.checked import Damage

APPLICATION_ID = 0x74756E65  # "tune", in the file's header: `file` and we can tell a store from any other database
STAGES = ("compile", "apply", "check", "probe", "measure", "rerank")  # stages with a column of their own, `<stage>_s`

_VERSION_1 = (
    """CREATE TABLE study (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        space TEXT NOT NULL,
        objectives TEXT NOT NULL,
        identity TEXT NOT NULL DEFAULT '{}',
        created TEXT NOT NULL)""",
    """CREATE TABLE trial (
        study INTEGER NOT NULL REFERENCES study(id) ON DELETE CASCADE,
        number INTEGER NOT NULL CHECK (number >= 0),
        configuration TEXT NOT NULL,
        outcome TEXT NOT NULL CHECK (outcome IN ('measured', 'infeasible', 'failed')),
        objectives TEXT,
        samples TEXT,
        stage TEXT,
        reason TEXT,
        compile_s REAL, apply_s REAL, check_s REAL, probe_s REAL, measure_s REAL, rerank_s REAL,
        other_s TEXT,
        log TEXT NOT NULL DEFAULT '',
        finished TEXT NOT NULL,
        PRIMARY KEY (study, number),
        UNIQUE (study, configuration))""",
)

# Suggestions under evaluation, so that an interrupted one is known; the machine's speed at a measurement.
_VERSION_2 = (
    """CREATE TABLE pending (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        study INTEGER NOT NULL REFERENCES study(id) ON DELETE CASCADE,
        configuration TEXT NOT NULL,
        owner TEXT NOT NULL,
        suggested TEXT NOT NULL,
        UNIQUE (study, configuration))""",
    "ALTER TABLE trial ADD COLUMN calibration REAL",
)

# A measurement cut short because it could not win; the trial whose outcome was taken because the code was the same.
_VERSION_3 = (
    "ALTER TABLE trial ADD COLUMN censored INTEGER NOT NULL DEFAULT 0 CHECK (censored IN (0, 1))",
    "ALTER TABLE trial ADD COLUMN same_as INTEGER",
)

# What ran, so that a resumed search knows code that was judged before.
_VERSION_4 = ("ALTER TABLE trial ADD COLUMN code TEXT NOT NULL DEFAULT ''",)

# Where a study's prior mean came from, and what it turned out to be worth.
_VERSION_5 = ("ALTER TABLE study ADD COLUMN origin TEXT NOT NULL DEFAULT ''",)

# What the digests of identities stand for, so that people are told which file or program changed.
_VERSION_6 = ("CREATE TABLE manifest (digest TEXT PRIMARY KEY, parts TEXT NOT NULL)",)

# What the finalists measured in turns, so that it can be looked at afterwards.
_VERSION_7 = ("ALTER TABLE study ADD COLUMN comparison TEXT NOT NULL DEFAULT ''",)

# How sure a measurement is, as its caller says, and the values of each of several measurements of a configuration.
_VERSION_8 = ("ALTER TABLE trial ADD COLUMN deviation TEXT", "ALTER TABLE trial ADD COLUMN repeats TEXT")

# What was checked of a trial, and what could not be.
_VERSION_9 = ("ALTER TABLE trial ADD COLUMN checks TEXT",)

# Values that were reported while a configuration is, or was, evaluated.
_VERSION_10 = ("ALTER TABLE pending ADD COLUMN intermediate TEXT", "ALTER TABLE trial ADD COLUMN intermediate TEXT")

# Trials that cost no evaluation or several, so that a claim counts them without reading all trials.
_VERSION_11 = (
    "CREATE INDEX trial_same ON trial (study) WHERE same_as IS NOT NULL",
    "CREATE INDEX trial_repeats ON trial (study) WHERE repeats IS NOT NULL",
)

STEPS: tuple[tuple[str, ...], ...] = (
    _VERSION_1,
    _VERSION_2,
    _VERSION_3,
    _VERSION_4,
    _VERSION_5,
    _VERSION_6,
    _VERSION_7,
    _VERSION_8,
    _VERSION_9,
    _VERSION_10,
    _VERSION_11,
)


def migrate(connection: sqlite3.Connection, place: str, steps: Sequence[Sequence[str]] = STEPS) -> None:
    """Create or bring up to date, in one transaction; refuse a newer schema and a database that is not a store."""
    if _version(connection) == len(steps) and _is_store(connection):
        return _check_objects(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)  # again: another process may have been faster
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and not _is_store(connection):
            raise StudyError(f"{place} is an SQLite database, but not a tunepass store", hint="name another file")
        if version > len(steps):
            raise too_new(place, version, len(steps))
        if version < 0 or (tables and not version):
            raise Damage(f"its schema has the version {version}")
        for step in steps[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def faults(connection: sqlite3.Connection) -> Iterator[str]:
    """Faults of the schema: its version, superfluous objects, missing columns. StudyError for a newer schema."""
    version = _version(connection)
    if version > len(STEPS):
        raise too_new("the store", version, len(STEPS))
    if version < 1 or not _is_store(connection):
        yield f"its schema has the version {version}"
    try:
        _check_objects(connection)
    except Damage as damage:
        yield damage.message
    yield from _recreation_faults(connection, version)
    usual, latest = _columns(version), _columns(len(STEPS))
    for table in latest:
        known = {str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")}
        expected = usual.get(table, frozenset())
        if missing := expected - known:
            yield f"{table} has no column {', '.join(sorted(missing))}"
        if newer := known & latest[table] - expected:
            yield f"its schema has the version {version}, and {table} has {', '.join(sorted(newer))}"


def _recreation_faults(connection: sqlite3.Connection, version: int) -> Iterator[str]:
    """Errors of SQLite when the same tables are created in memory and brought up to date."""
    query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    with closing(sqlite3.connect(":memory:")) as copy:
        try:
            for (statement,) in connection.execute(query):
                copy.execute(statement)
            for statement in (statement for step in STEPS[max(0, version) :] for statement in step):
                copy.execute(statement)
        except (sqlite3.Error, UnicodeError, TypeError) as error:  # the latter where there is no text
            yield f"its schema cannot be made anew: {error}"


class MissingStore(StudyError):
    """There is no store where one is to be read."""


def too_new(place: str, version: int, known: int) -> StudyError:
    return StudyError(
        f"{place} has store schema {version}; this tunepass knows schemas up to {known}",
        hint="update tunepass, or name another store",
    )


@functools.cache
def _columns(version: int) -> Mapping[str, frozenset[str]]:
    """The tables of a store of that version, and their columns."""
    with closing(sqlite3.connect(":memory:")) as whole:
        for step in STEPS[: max(0, version)]:
            for statement in step:
                whole.execute(statement)
        tables = [name for (name,) in whole.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {t: frozenset(row[1] for row in whole.execute(f"PRAGMA table_info({t})")) for t in tables}


def _check_objects(connection: sqlite3.Connection) -> None:
    query = "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'"
    for kind, name in connection.execute(query):
        raise Damage(f"it has a {kind} {name!r}, and a store has none")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_store(connection: sqlite3.Connection) -> bool:
    return int(connection.execute("PRAGMA application_id").fetchone()[0]) == APPLICATION_ID
