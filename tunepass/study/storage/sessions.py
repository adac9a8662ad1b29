"""The session of a store with its database: what differs between SQLite and PostgreSQL, and nothing else.

Statements are written once, in tunepass.study.storage.store, with `?` for values; a session has the few words that
the two databases spell differently.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from tunepass.diagnostics import StudyError
from tunepass.files import shown
from tunepass.study.storage import database, postgres_url
from tunepass.study.storage.checked import Damage
from tunepass.study.storage.process_owner import Owner
from tunepass.study.storage.schema import MissingStore, migrate
from tunepass.study.storage.trial_rows import Cell

Row = Sequence[object]


class Rows(Protocol):
    """Rows of an executed statement."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Row | None: ...
    def fetchall(self) -> Sequence[Row]: ...


class SuggestionOwner(Protocol):
    """A holder of suggestions, and whether others still exist."""

    @property
    def name(self) -> str: ...
    def alive(self, owner: str) -> bool: ...
    def release(self) -> None: ...


class Session(Protocol):
    """An open database. `unique` is the indexed expression of a configuration, `equal` the condition that finds one,
    `repeat_count` the number of a trial's repeats."""

    unique: str
    equal: str
    repeat_count: str
    place: Path | str  # for people, without a password

    @property
    def owner(self) -> SuggestionOwner: ...
    def execute(self, query: str, values: Sequence[Cell] = ()) -> Rows: ...
    def executemany(self, query: str, rows: Iterable[Sequence[Cell]]) -> object: ...
    def blocks(self, query: str, values: Sequence[Cell], size: int) -> Iterator[Sequence[Row]]: ...
    def begin(self, study: int | None, *, synced: bool) -> None: ...
    def commit(self) -> None: ...
    def rollback(self) -> None: ...
    def rescue(self) -> Path | None: ...
    def fault(self, error: Exception) -> StudyError: ...
    def close(self) -> None: ...


class SQLiteSession:
    """An open SQLite file, or memory."""

    unique, equal, repeat_count = "configuration", "configuration = ?", "json_array_length(repeats)"

    def __init__(self, path: Path | None, url: str):
        self.path = path
        self.place = path or url
        self.owner = Owner(path)
        self._written = self._unsynced = False
        self.connection = database.connect(path)
        try:
            migrate(self.connection, str(self.place))
        except BaseException:
            self.connection.close()
            raise
        self._wal = database.uses_wal(self.connection)
        self._opened = os.stat(path) if path else None

    def execute(self, query: str, values: Sequence[Cell] = ()) -> Rows:
        return self.connection.execute(query, values)

    def executemany(self, query: str, rows: Iterable[Sequence[Cell]]) -> object:
        return self.connection.executemany(query, rows)

    def blocks(self, query: str, values: Sequence[Cell], size: int) -> Iterator[Sequence[Row]]:
        """The rows, at most `size` at a time."""
        rows = self.connection.execute(query, values)
        while block := rows.fetchmany(size):
            yield block

    def begin(self, study: int | None, *, synced: bool) -> None:
        """Begin a transaction; no other process writes to the file until it ends. See `Store._transaction`."""
        self._unsynced = self._wal and not synced
        if self._unsynced:
            self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self.connection.execute("COMMIT")
        self._written = True
        self._sync_again()

    def rollback(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self._sync_again()

    def rescue(self) -> Path | None:
        if self.path is None or self._opened is None or database.is_there(self.path, self._opened):
            return None
        return database.copied(self.connection, self.path)

    def fault(self, error: Exception) -> StudyError:
        """SQLite's error as what the user can do about it."""
        return database.failed(error, self.place, written=self._written)

    def close(self) -> None:
        self.connection.close()

    def _sync_again(self) -> None:
        if self._unsynced:
            self._unsynced = False
            self.connection.execute("PRAGMA synchronous = FULL")


ERRORS = (sqlite3.Error, UnicodeDecodeError)  # the latter of a name in the schema


def open_session(url: str, *, make: bool = True) -> Session:
    """The database that a URL names. Raises StudyError and SQLite's errors; MissingStore where it is no store yet and
    none is to be made."""
    if postgres_url.is_postgres(url):
        from tunepass.study.storage.postgres import PostgresSession

        return PostgresSession(url, make=make)
    path = database.path_of(url)
    if path is not None and not make and not path.is_file():
        raise MissingStore(f"there is no store {shown(path)}")
    try:
        return SQLiteSession(path, url)
    except Damage as damage:
        raise database.damaged(path or url, damage.message) from None
    except ERRORS as error:
        raise database.failed(error, path or url) from error
