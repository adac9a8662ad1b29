"""Stores whose bytes or rows were damaged, read as every command reads them, and saved."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.mutation import ODD, mutated_bytes
from tunepass.diagnostics import TunepassError
from tunepass.study.storage.salvage import Salvage, salvage, write
from tunepass.study.storage.store import Store
from tunepass.study.storage.whole_store import NotWhole, WholeStore

STORES = sorted((seeds.ROOT / "tests" / "golden" / "compat").glob("*/store.db"))
JSON = ("{}", "[]", "null", "3", '""', '{"time":NaN}', '{"time":1e999}', '{"time":"x"}', "[" * 2000, "{", '{"A":[[1]]}')


def case(rng: random.Random, path: Path) -> None:
    """A damaged store at `path`."""
    path.write_bytes(rng.choice(STORES).read_bytes())
    if rng.random() < 0.5:
        _damage_rows(rng, path)
    if rng.random() < 0.6:
        path.write_bytes(mutated_bytes(rng, path.read_bytes()))


def check(path: Path) -> None:
    """Read; what cannot be read is found by `store check`, and what `store repair` saves is whole."""
    found = salvage(path)
    if found.items:
        write(found, path.with_name("new.db"))
        assert not salvage(path.with_name("new.db")).problems
    _check_whole(path, found)
    try:
        _read(path)
    except TunepassError:
        assert found.problems
        raise


def _check_whole(path: Path, found: Salvage) -> None:
    """What is read in blocks of columns is what is read row by row."""
    whole = WholeStore(path)
    try:
        written = "".join(whole.lines())
    except NotWhole:
        return
    assert whole.summary == found.summary and not found.problems
    again = path.with_name("again.jsonl")
    again.write_bytes(written.encode())
    assert list(salvage(again).everything) == list(found.everything)


def _read(path: Path) -> None:
    with Store(f"sqlite:///{path}") as store:
        for study in store.studies():
            store.origin(study)
            store.pending(study)
            trials = store.trials(study)
            assert list(store.trial_columns(study)) == trials
            assert len(trials) == study.trials


def _damage_rows(rng: random.Random, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(rng.randrange(1, 4)):
            table = rng.choice(tables)
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            where = rng.choice(("", f" WHERE rowid % {rng.randrange(2, 9)} = 1"))
            value = rng.choice((*JSON, *ODD, None, -1, 2**62, 1e308, float("inf"), rng.randbytes(5), 0.5))
            change = f"UPDATE OR IGNORE {table} SET {rng.choice(columns)} = ?{where}"
            try:
                match rng.randrange(8):
                    case 0:
                        connection.execute(f"DELETE FROM {table}{where}")
                    case 1:
                        connection.execute(f"ALTER TABLE {table} RENAME COLUMN {rng.choice(columns)} TO other")
                    case 2:
                        connection.execute(f"PRAGMA user_version = {rng.randrange(-1, 9)}")
                    case _:
                        connection.execute(change, (value,))
            except (sqlite3.Error, UnicodeEncodeError):
                continue
