"""Opening an SQLite file so that a commit is on disk, and SQLite's complaints as what to do about them."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tunepass.diagnostics import StoreFault, StudyError
from tunepass.files import check_regular, printable, shown, sync_folder
from tunepass.machine_faults import ERRNOS, cannot

BUSY_SECONDS = 30.0  # how long to wait for another process's transaction; one takes milliseconds
MEMORY = "sqlite://"


def connect(path: Path | None) -> sqlite3.Connection:
    if path and not path.parent.is_dir():
        try:
            path.parent.mkdir()
        except OSError as error:
            raise cannot(f"make the folder {path.parent} of the store {path}", error, StudyError) from error
    if path:
        check_regular(path, StudyError)
    new = path is not None and not path.exists()
    connection = sqlite3.connect(
        path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        if path:
            _retry(lambda: _use_wal(connection))
            connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    if path and new:
        sync_folder(path.parent)
    return connection


def uses_wal(connection: sqlite3.Connection) -> bool:
    """Does the store have a write-ahead log?"""
    return bool(connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal")


def _use_wal(connection: sqlite3.Connection) -> None:
    """A file system without shared memory keeps its rollback journal, which is as durable but makes readers wait."""
    if not uses_wal(connection):
        connection.execute("PRAGMA journal_mode = WAL")


def _retry(action: Callable[[], None]) -> None:
    """The change to WAL does not wait for other processes by itself."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:  # noqa: PERF203
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def is_there(path: Path, opened: os.stat_result) -> bool:
    """Is the file at the path still the one that was opened?"""
    try:
        return os.path.samestat(path.stat(), opened)
    except OSError:
        return False


def copied(connection: sqlite3.Connection, path: Path) -> Path:
    """All that an open store holds, in a new file that is a store: beside `path`, else in the temporary folder."""
    for folder in (path.parent, Path(tempfile.gettempdir())):
        target = folder / f"{path.stem}.rescued-{secrets.token_hex(4)}.db"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_WRONLY, 0o666))
            with contextlib.closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
            return target
        except (OSError, sqlite3.Error) as error:
            failure = error
            with contextlib.suppress(OSError):
                target.unlink()
    raise StoreFault(f"store {shown(path)} was removed, and no copy of it can be made: {failure}")


def path_of(url: str) -> Path | None:
    prefix = "sqlite:///"
    if isinstance(url, str) and url == MEMORY:
        return None
    if not isinstance(url, str) or not url.startswith(prefix) or len(url) == len(prefix):
        raise StudyError(f"a store is sqlite:///PATH, got {url!r}", hint="e.g. sqlite:///runs.db")
    return Path(url[len(prefix) :])


def failed(error: Exception, place: Path | str, *, written: bool = False) -> StudyError:
    """SQLite's complaint as what the user can do about it; `written`: the store could be written before."""
    message = str(error)
    if any(word in message for word in _DAMAGE):
        return damaged(place, message)
    machines = any(word in message for word in ("full", "I/O error", "locked")) or (written and "readonly" in message)
    hint = _remedy(message)
    if ("unable to open" in message or "readonly" in message) and isinstance(place, Path):
        obstacle = _obstacle(place)  # of a file that cannot be opened for writing, SQLite makes a read-only store
        transient = obstacle is None or obstacle.errno in ERRNOS - {errno.EROFS}  # which is a folder named wrongly
        machines, hint = machines or transient, _MACHINE_REMEDY if transient else hint
        message += f": {obstacle.strerror}" if obstacle else ""
    kind = StoreFault if machines else StudyError
    return kind(f"store {shown(place)}: {message}", hint=hint)


def damaged(place: Path | str, message: str) -> StudyError:
    """The one diagnostic for a store that holds what a store does not hold."""
    return StudyError(
        f"store {shown(place)} is damaged: {printable(message)}",
        hint=f"`tunepass store check {shown(place)}` lists it all, `tunepass store repair` saves the rest",
    )


_MACHINE_REMEDY = "is memory or are descriptors lacking, or is the disk failing? what was reported before is kept"
_DAMAGE = (
    *("malformed", "not a database", "decode to UTF-8", "codec can't decode", "no such table", "no such column"),
    *("has no column", "already exists", "duplicate column"),
)


def _obstacle(path: Path) -> OSError | None:
    """Why no store can be opened at the path, which SQLite keeps to itself; None where nothing of the path prevents
    it: then memory or descriptors were lacking."""
    try:
        if path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
        with tempfile.TemporaryFile(dir=path.parent):
            return None
    except OSError as error:
        return error


def _remedy(message: str) -> str:
    if "full" in message:
        return "free some space and run again: everything reported before is kept"
    if "readonly" in message or "unable to open" in message:
        return "name a store in a folder that can be written"
    if "locked" in message:
        return f"another process has held it for {BUSY_SECONDS:g} s; wait for it, or name another store"
    if "I/O error" in message:
        return "is a limit on file sizes set (ulimit -f), or the disk failing? what was reported before is kept"
    return "`tunepass store check` says whether it is damaged; or name another store"
