"""The store: studies and their trials in one SQLite file. docs/store.md is its manual.

Every change is one transaction, and every outcome is on disk (WAL, synchronous=FULL) before the call returns. Trial
numbers are given out inside that transaction, so several processes may share a store.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from tunepass.space.configuration import Configuration
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.manifest import Manifest
from tunepass.study.objective import Objective
from tunepass.study.prior_origin import Origin
from tunepass.study.results.trial_columns import collecting_later
from tunepass.study.storage import checked, database, json_text
from tunepass.study.storage.checked import Damage
from tunepass.study.storage.json_lines import Item, ManifestCells, StoredTrial, StudyCells
from tunepass.study.storage.process_owner import Owner
from tunepass.study.storage.schema import migrate
from tunepass.study.storage.trial_blocks import ROWS, StoredTrials, TrialBlock, read_block
from tunepass.study.storage.trial_rows import (
    OUTCOME_COLUMNS,
    TRIAL_COLUMNS,
    Cell,
    intermediate_cell,
    outcome_cells,
    read_intermediate,
    to_trial,
)
from tunepass.study.trial import Trial, spent

RELEASED = "released"  # owner of a suggestion that its process gave back


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecord:
    """A study as the store lists it; `space` is the text of tunepass.study.space_description."""

    id: int
    name: str
    space: str
    objectives: tuple[Objective, ...]
    identity: Mapping[str, str]
    created: str  # UTC, ISO 8601
    trials: int


@dataclass(frozen=True, slots=True)
class PendingSuggestion:
    """A suggestion that has no outcome yet; `abandoned` when the process that took it is gone."""

    configuration: Configuration
    owner: str
    abandoned: bool


class Store:
    """Studies and their trials in one SQLite file. Several processes may share it.

    Args:
        url: `sqlite:///PATH`, a file that is made if missing, or `sqlite://`, memory.

    Raises:
        StudyError: another URL, or a file that is no store or is damaged.

    Example:
        >>> with tp.Store("sqlite://") as store:
        ...     study = tp.Study(space, [tp.Objective("time")], store=store, name="gemm")
        ...     [record.name for record in store.studies()]
        ['gemm']
    """

    def __init__(self, url: str = database.MEMORY):
        self.url = url
        self.path = database.path_of(url)
        self._owner = Owner(self.path)
        self._written = False
        self._lock = threading.RLock()
        with self._errors():
            self._connection = database.connect(self.path)
            try:
                migrate(self._connection, str(self.path or url))
            except BaseException:
                self._connection.close()
                raise
            self._wal = database.uses_wal(self._connection)
        self._opened = os.stat(self.path) if self.path else None

    def __repr__(self) -> str:
        return f"<Store {self.url!r}>"

    # -- studies

    def studies(self) -> list[StudyRecord]:
        """All studies, oldest first."""
        return self._records("")

    def study(self, name: str) -> StudyRecord | None:
        """The study of that name; None without one."""
        return next(iter(self._records("WHERE name = ?", name)), None)

    def with_identity(self, identity: Mapping[str, str]) -> list[StudyRecord]:
        """The studies whose results depend on exactly this (source, space, compiler, flags, device, harness, ...)."""
        return self._records("WHERE identity = ?", json_text.encode_identity(identity))

    def open_study(
        self, name: str, space: str, objectives: tuple[Objective, ...], identity: Mapping[str, str]
    ) -> tuple[StudyRecord, bool]:
        """The study called `name`, and whether this call created it."""
        row = (name, space, json_text.encode_objectives(objectives), json_text.encode_identity(identity), now())
        with self._transaction() as db:
            added = db.execute(
                "INSERT INTO study (name, space, objectives, identity, created) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (name) DO NOTHING",
                row,
            ).rowcount
        record = self.study(name)
        assert record is not None
        return record, added == 1

    def origin(self, study: StudyRecord) -> Origin | None:
        """Origin of the study's prior mean, if it had one from an earlier study."""
        with self._errors():
            row = self._connection.execute("SELECT origin FROM study WHERE id = ?", (study.id,)).fetchone()
            return Origin.decode(row[0]) if row and row[0] else None

    def set_origin(self, study: StudyRecord, origin: Origin | None) -> None:
        """Store where the study's prior mean comes from."""
        with self._transaction() as db:
            db.execute("UPDATE study SET origin = ? WHERE id = ?", (origin.encode() if origin else "", study.id))

    def comparison(self, study: StudyRecord) -> Comparison | None:
        """Comparison of the finalists of the latest search, if there were any."""
        with self._errors():
            row = self._connection.execute("SELECT comparison FROM study WHERE id = ?", (study.id,)).fetchone()
            return Comparison.decode(row[0]) if row and row[0] else None

    def set_comparison(self, study: StudyRecord, comparison: Comparison | None) -> None:
        """Store the measurements of the study's finalists."""
        text = comparison.encode() if comparison else ""
        with self._transaction() as db:
            db.execute("UPDATE study SET comparison = ? WHERE id = ?", (text, study.id))

    def manifest(self, digest: str) -> Manifest | None:
        """Manifest of a digest, if a study in this store has it."""
        with self._errors():
            row = self._connection.execute("SELECT parts FROM manifest WHERE digest = ?", (digest,)).fetchone()
            return Manifest.decode(row[0]) if row else None

    def keep_manifests(self, manifests: Mapping[str, Manifest]) -> None:
        """By digest; one that is known is left as it is."""
        rows = [(digest, manifest.encode()) for digest, manifest in manifests.items()]
        with self._transaction() as db:
            db.executemany("INSERT OR IGNORE INTO manifest (digest, parts) VALUES (?, ?)", rows)

    # -- trials

    def trials(self, study: StudyRecord, after: int = -1) -> list[Trial]:
        """The study's trials in order, those numbered above `after`, which follow on it without a gap."""
        with self._errors(), collecting_later():
            trials = list(chain.from_iterable(self._parts(study, after)))
            _check_numbers(study, trials, after)
            return trials

    def trial_columns(self, study: StudyRecord) -> StoredTrials:
        """All trials as columns, of which a trial is made when it is asked for."""
        with self._errors(), collecting_later():
            trials = StoredTrials(list(self._parts(study, -1)))
            _check_numbers(study, trials, -1)
            return trials

    def _parts(self, study: StudyRecord, after: int) -> Iterator[TrialBlock | list[Trial]]:
        query = f"SELECT {', '.join(TRIAL_COLUMNS)} FROM trial WHERE study = ? AND number > ? ORDER BY number"
        names = [o.name for o in study.objectives]
        rows = self._connection.execute(query, (study.id, after))
        while some := rows.fetchmany(ROWS):
            block = read_block(some, names)
            yield block.without_texts() if block else [to_trial(row, names) for row in some]

    def record(self, study: StudyRecord, trial: Trial) -> Trial:
        """Store a trial under the next free number, which is returned in it. When the configuration has a trial
        already, nothing is stored and that trial is returned: its number tells."""
        text = json_text.encode_configuration(trial.configuration)
        with self._transaction() as db:
            db.execute("DELETE FROM pending WHERE study = ? AND configuration = ?", (study.id, text))
            row = db.execute(
                f"SELECT {', '.join(TRIAL_COLUMNS)} FROM trial WHERE study = ? AND configuration = ?", (study.id, text)
            ).fetchone()
            if row:
                return to_trial(row)
            query = "SELECT coalesce(max(number) + 1, 0) FROM trial WHERE study = ?"
            number = int(db.execute(query, (study.id,)).fetchone()[0])
            _insert(db, "trial", ("study", *TRIAL_COLUMNS, "finished"),
                    (study.id, number, text, *outcome_cells(trial), now()))  # fmt: skip
        return replace(trial, number=number)

    def replace(self, study: StudyRecord, trials: Iterable[Trial]) -> None:
        """Give the trials of those numbers new outcomes, in one transaction."""
        with self._transaction() as db:
            for trial in trials:
                _update(db, study, trial)

    def measure_again(self, study: StudyRecord, trial: Trial) -> Trial:
        """Take a further measurement into the trial of that number, in one transaction; what it is now. One that fails
        makes it a failed trial."""
        query = f"SELECT {', '.join(TRIAL_COLUMNS)} FROM trial WHERE study = ? AND number = ?"
        with self._transaction() as db:
            known = to_trial(db.execute(query, (study.id, trial.number)).fetchone())
            changed = known.with_another(trial)
            _update(db, study, changed)
        return changed

    def fill(self, items: Iterable[Item]) -> None:
        """Take in studies, their trials and manifests as they are, in one transaction: for a new store."""
        with self._transaction() as db:
            for item in items:
                match item:
                    case StudyCells():
                        _insert(db, "study", _STUDY, (item.name, item.space, item.objectives, item.identity,
                                                      item.created, item.origin, item.comparison))  # fmt: skip
                    case StoredTrial(study, trial, finished):
                        (identifier,) = db.execute("SELECT id FROM study WHERE name = ?", (study,)).fetchone()
                        text = json_text.encode_configuration(trial.configuration)
                        cells = (identifier, trial.number, text, *outcome_cells(trial), finished)
                        _insert(db, "trial", ("study", *TRIAL_COLUMNS, "finished"), cells)
                    case ManifestCells(digest, parts):
                        _insert(db, "manifest", ("digest", "parts"), (digest, parts))

    # -- suggestions under evaluation

    def pending(self, study: StudyRecord) -> list[PendingSuggestion]:
        """Pending suggestions, oldest first."""
        query = "SELECT configuration, owner FROM pending WHERE study = ? ORDER BY id"
        with self._errors():
            rows = self._connection.execute(query, (study.id,)).fetchall()
            suggested = [(json_text.decode_configuration(text), checked.text(owner, "owner")) for text, owner in rows]
        lives = {owner: self._owner.alive(owner) for owner in {owner for _, owner in suggested}}
        return [PendingSuggestion(configuration, owner, not lives[owner]) for configuration, owner in suggested]

    def claim(
        self,
        study: StudyRecord,
        configurations: Sequence[Configuration],
        limit: int | None = None,
        *,
        resumable: bool = False,
    ) -> list[Configuration]:
        """Mark configurations as under evaluation by this process: those that have no trial and that no living process
        evaluates, while what trials cost (tunepass.study.trial.spent) and suggestions under evaluation are fewer than
        `limit`. An abandoned suggestion changes hands, with its intermediate values if evaluations are `resumable`."""
        forgotten = "" if resumable else ", intermediate = NULL"
        claimed: list[Configuration] = []
        with self._transaction(synced=False) as db:  # what a loss of power undoes is suggested again
            busy = {p.configuration for p in self.pending(study) if not p.abandoned}
            counts = db.execute(_COUNTS, {"study": study.id}).fetchone()
            for configuration in configurations:
                if limit is not None and spent(*counts) + len(busy) >= limit:
                    break
                text = json_text.encode_configuration(configuration)
                done = db.execute(
                    "SELECT 1 FROM trial WHERE study = ? AND configuration = ?", (study.id, text)
                ).fetchone()
                if done or configuration in busy:
                    continue
                db.execute(
                    "INSERT INTO pending (study, configuration, owner, suggested) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT (study, configuration) DO UPDATE SET owner = excluded.owner" + forgotten,
                    (study.id, text, self._owner.name, now()),
                )
                busy.add(configuration)
                claimed.append(configuration)
        return claimed

    def release(self, study: StudyRecord, configuration: Configuration, *, resumable: bool = False) -> None:
        """Make a suggestion of this process abandoned, so that it changes hands; see `claim`."""
        forgotten = "" if resumable else ", intermediate = NULL"
        text = json_text.encode_configuration(configuration)
        with self._transaction() as db:
            db.execute(
                f"UPDATE pending SET owner = ?{forgotten} WHERE study = ? AND configuration = ? AND owner = ?",
                (RELEASED, study.id, text, self._owner.name),
            )

    def report(self, study: StudyRecord, configuration: Configuration, values: Mapping[int, float]) -> None:
        """Store the intermediate values of a configuration under evaluation, by step."""
        text = json_text.encode_configuration(configuration)
        with self._transaction() as db:
            db.execute(
                "UPDATE pending SET intermediate = ? WHERE study = ? AND configuration = ?",
                (intermediate_cell(values), study.id, text),
            )

    def reported(self, study: StudyRecord) -> dict[Configuration, dict[int, float]]:
        """Intermediate values by step of each suggestion that some process evaluates."""
        query = "SELECT configuration, owner, intermediate FROM pending WHERE study = ? ORDER BY id"
        with self._errors():
            rows = self._connection.execute(query, (study.id,)).fetchall()
            return {
                json_text.decode_configuration(text): read_intermediate(values)
                for text, owner, values in rows
                if self._owner.alive(checked.text(owner, "owner"))
            }

    def rescue(self) -> Path | None:
        """A copy of the store, made where its file was removed or replaced since it was opened: beside it, else in the
        temporary folder. None while it is there. Raises StoreFault when no copy can be made."""
        if self.path is None or self._opened is None or database.is_there(self.path, self._opened):
            return None
        with self._lock:
            return database.copied(self._connection, self.path)

    def close(self) -> None:
        """Close the file; this process's suggestions without an outcome become free for others."""
        self._owner.release()
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- plumbing

    def _records(self, where: str, *values: str) -> list[StudyRecord]:
        query = (
            "SELECT id, name, space, objectives, identity, created, "
            f"(SELECT count(*) FROM trial WHERE trial.study = study.id) FROM study {where} ORDER BY id"
        )
        with self._errors():
            return [_study_record(row) for row in self._connection.execute(query, values).fetchall()]

    @contextmanager
    def _transaction(self, *, synced: bool = True) -> Iterator[sqlite3.Connection]:
        """One change. One that is not `synced` survives a killed process, and reaches the disk with the next that is:
        a write-ahead log keeps their order."""
        with self._errors():
            unsynced = self._wal and not synced
            try:
                if unsynced:
                    self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
                self._written = True
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                if unsynced:
                    self._connection.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """SQLite's errors as what the user can do about them; nothing is half-written."""
        try:
            with self._lock:
                yield
        except Damage as damage:
            raise database.damaged(self.path or self.url, damage.message) from None
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter of a name in the schema
            raise database.failed(error, self.path or self.url, written=self._written) from error


def _check_numbers(study: StudyRecord, trials: Sequence[Trial], after: int) -> None:
    if trials and trials[-1].number != after + len(trials):
        raise Damage(f"study {study.name!r} lacks trials before its number {trials[-1].number}")


# Numbers have no gaps, and indexes have the few trials with the two columns: no part of this reads all trials.
_COUNTS = """SELECT
    (SELECT coalesce(max(number) + 1, 0) FROM trial WHERE study = :study),
    (SELECT count(*) FROM trial WHERE study = :study AND same_as IS NOT NULL),
    (SELECT coalesce(sum(json_array_length(repeats) - 1), 0) FROM trial WHERE study = :study AND repeats IS NOT NULL)"""
_STUDY = ("name", "space", "objectives", "identity", "created", "origin", "comparison")


def _insert(db: sqlite3.Connection, table: str, columns: Sequence[str], cells: Sequence[Cell]) -> None:
    db.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", cells)


def _update(db: sqlite3.Connection, study: StudyRecord, trial: Trial) -> None:
    assignments = ", ".join(f"{column} = ?" for column in (*OUTCOME_COLUMNS, "finished"))
    cells = (*outcome_cells(trial), now(), study.id, trial.number)
    db.execute(f"UPDATE trial SET {assignments} WHERE study = ? AND number = ?", cells)


def _study_record(row: Sequence[object]) -> StudyRecord:
    """The study of a row as `Store._records` selects it. Raises Damage."""
    number, name, space, objectives, identity, created, trials = row
    try:
        checked.mapping(json_text.load(space, "space"), "space")
        return StudyRecord(
            id=checked.count(number, "id"),
            name=checked.text(name, "name"),
            space=str(space),
            objectives=json_text.decode_objectives(objectives),
            identity=json_text.decode_identity(identity),
            created=checked.text(created, "created"),
            trials=checked.count(trials, "its trials"),
        )
    except Damage as damage:
        raise Damage(f"study {checked.quoted(name)}: {damage.message}") from None


def now() -> str:
    """UTC in ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
