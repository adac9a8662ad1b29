"""The store: studies and their trials in one SQLite file or a PostgreSQL database. docs/store.md is its manual.

Every change is one transaction, and every outcome is on disk (WAL, synchronous=FULL) before the call returns. Trial
numbers are given out inside that transaction, so several processes may share a store.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from itertools import chain
from pathlib import Path

from tunepass.diagnostics import StudyError
from tunepass.files import shown
from tunepass.space.configuration import Configuration
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.manifest import Manifest
from tunepass.study.objective import Objective
from tunepass.study.prior_origin import Origin
from tunepass.study.results.trial_columns import collecting_later
from tunepass.study.storage import checked, database, json_text
from tunepass.study.storage.checked import Damage
from tunepass.study.storage.claims import claimable
from tunepass.study.storage.json_lines import Item, ManifestCells, StoredTrial, StudyCells
from tunepass.study.storage.lost import repeated_if_lost
from tunepass.study.storage.postgres_url import is_postgres, without_secrets
from tunepass.study.storage.sessions import ERRORS, Session, open_session
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
    """Studies and their trials in one SQLite file, which several processes may share, or in a PostgreSQL database,
    which several machines may share.

    Args:
        url: `sqlite:///PATH`, a file that is made if missing; `sqlite://`, memory; or `postgresql://USER@HOST/DATABASE`,
            which needs the extra `postgres`. Its password is never shown.
        make: make the store where there is none.

    Raises:
        StudyError: another URL, a file that is no store or is damaged, no store that need not be made, or the extra
            `postgres` is not installed.
        StoreFault: the server cannot be reached.

    Example:
        >>> with tp.Store("sqlite://") as store:
        ...     study = tp.Study(space, [tp.Objective("time")], store=store, name="gemm")
        ...     [record.name for record in store.studies()]
        ['gemm']
    """

    def __init__(self, url: str = database.MEMORY, *, make: bool = True):
        self._lock = threading.RLock()
        self._session = open_session(url, make=make)
        self.url = without_secrets(url)
        self.path = None if is_postgres(url) else database.path_of(url)

    def __repr__(self) -> str:
        return f"<Store {self.url!r}>"

    @property
    def place(self) -> str:
        """The file's path or the server's URL, for users: without its password."""
        return str(self.path or self.url)

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

    @repeated_if_lost(repeatable=True)
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
            row = self._session.execute("SELECT origin FROM study WHERE id = ?", (study.id,)).fetchone()
            return Origin.decode(row[0]) if row and row[0] else None

    @repeated_if_lost(repeatable=True)
    def set_origin(self, study: StudyRecord, origin: Origin | None) -> None:
        """Store where the study's prior mean comes from."""
        with self._transaction() as db:
            db.execute("UPDATE study SET origin = ? WHERE id = ?", (origin.encode() if origin else "", study.id))

    def comparison(self, study: StudyRecord) -> Comparison | None:
        """Comparison of the finalists of the latest search, if there were any."""
        with self._errors():
            row = self._session.execute("SELECT comparison FROM study WHERE id = ?", (study.id,)).fetchone()
            return Comparison.decode(row[0]) if row and row[0] else None

    @repeated_if_lost(repeatable=True)
    def set_comparison(self, study: StudyRecord, comparison: Comparison | None) -> None:
        """Store the measurements of the study's finalists."""
        text = comparison.encode() if comparison else ""
        with self._transaction() as db:
            db.execute("UPDATE study SET comparison = ? WHERE id = ?", (text, study.id))

    def manifest(self, digest: str) -> Manifest | None:
        """Manifest of a digest, if a study in this store has it."""
        with self._errors():
            row = self._session.execute("SELECT parts FROM manifest WHERE digest = ?", (digest,)).fetchone()
            return Manifest.decode(row[0]) if row else None

    @repeated_if_lost(repeatable=True)
    def keep_manifests(self, manifests: Mapping[str, Manifest]) -> None:
        """By digest; one that is known is left as it is."""
        rows = [(digest, manifest.encode()) for digest, manifest in manifests.items()]
        with self._transaction() as db:
            db.executemany("INSERT INTO manifest (digest, parts) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING", rows)

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
        for some in self._session.blocks(query, (study.id, after), ROWS):
            block = read_block(some, names)
            yield block.without_texts() if block else [to_trial(row, names) for row in some]

    @repeated_if_lost(repeatable=True)
    def record(self, study: StudyRecord, trial: Trial) -> Trial:
        """Store a trial under the next free number, which is returned in it. When the configuration has a trial
        already, nothing is stored and that trial is returned: its number tells."""
        text = json_text.encode_configuration(trial.configuration)
        with self._transaction(study) as db:
            db.execute(f"DELETE FROM pending WHERE study = ? AND {db.equal}", (study.id, text))
            row = db.execute(
                f"SELECT {', '.join(TRIAL_COLUMNS)} FROM trial WHERE study = ? AND {db.equal}", (study.id, text)
            ).fetchone()
            if row:
                return to_trial(row)
            query = "SELECT coalesce(max(number) + 1, 0) FROM trial WHERE study = ?"
            number = _count(db, query, study.id)
            _insert(db, "trial", ("study", *TRIAL_COLUMNS, "finished"),
                    (study.id, number, text, *outcome_cells(trial), now()))  # fmt: skip
        return replace(trial, number=number)

    @repeated_if_lost(repeatable=True)
    def replace(self, study: StudyRecord, trials: Iterable[Trial]) -> None:
        """Give the trials of those numbers new outcomes, in one transaction."""
        with self._transaction(study) as db:
            for trial in trials:
                _update(db, study, trial)

    @repeated_if_lost(repeatable=False)
    def measure_again(self, study: StudyRecord, trial: Trial) -> Trial:
        """Take a further measurement into the trial of that number, in one transaction; what it is now. One that fails
        makes it a failed trial."""
        query = f"SELECT {', '.join(TRIAL_COLUMNS)} FROM trial WHERE study = ? AND number = ?"
        with self._transaction(study) as db:
            row = db.execute(query, (study.id, trial.number)).fetchone()
            assert row is not None
            known = to_trial(row)
            changed = known.with_another(trial)
            _update(db, study, changed)
        return changed

    def fill(self, items: Iterable[Item]) -> None:
        """Take in studies, their trials and manifests as they are, in one transaction. Raises StudyError, and takes in
        nothing, where the store has a study of the same name; a manifest that is known is left as it is."""
        identifier = 0
        with self._transaction() as db:
            for item in items:
                match item:
                    case StudyCells():
                        identifier = _new_study(db, astuple(item))  # its fields are _STUDY
                    case StoredTrial(_, trial, finished):
                        text = json_text.encode_configuration(trial.configuration)
                        values = (identifier, trial.number, text, *outcome_cells(trial), finished)
                        _insert(db, "trial", ("study", *TRIAL_COLUMNS, "finished"), values)
                    case ManifestCells(digest, parts):
                        _insert(
                            db, "manifest", ("digest", "parts"), (digest, parts), " ON CONFLICT (digest) DO NOTHING"
                        )

    def items(self) -> Iterator[Item]:
        """Manifests, then studies, each before its trials: what `fill` of another store takes. Raises StudyError where
        something is damaged."""
        with self._errors():
            for digest, parts in self._session.execute("SELECT digest, parts FROM manifest").fetchall():
                yield ManifestCells(checked.text(digest, "digest"), checked.text(parts, "parts"))
            for record in self.studies():
                query = f"SELECT {', '.join(_STUDY)} FROM study WHERE id = ?"
                for row in self._session.execute(query, (record.id,)).fetchall():
                    yield StudyCells(*(checked.text(cell, name) for name, cell in zip(_STUDY, row)))
                query = f"SELECT {', '.join(TRIAL_COLUMNS)}, finished FROM trial WHERE study = ? ORDER BY number"
                names = [o.name for o in record.objectives]
                for block in self._session.blocks(query, (record.id,), ROWS):
                    for *row, finished in block:
                        yield StoredTrial(record.name, to_trial(row, names), checked.text(finished, "finished"))

    # -- suggestions under evaluation

    def pending(self, study: StudyRecord) -> list[PendingSuggestion]:
        """Pending suggestions, oldest first."""
        query = "SELECT configuration, owner FROM pending WHERE study = ? ORDER BY id"
        with self._errors():
            rows = self._session.execute(query, (study.id,)).fetchall()
            suggested = [(json_text.decode_configuration(text), checked.text(owner, "owner")) for text, owner in rows]
            lives = {owner: self._session.owner.alive(owner) for owner in {owner for _, owner in suggested}}
        return [PendingSuggestion(configuration, owner, not lives[owner]) for configuration, owner in suggested]

    @repeated_if_lost(repeatable=False)
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
        with self._transaction(study, synced=False) as db:  # what a loss of power undoes is suggested again
            busy = {p.configuration for p in self.pending(study) if not p.abandoned}
            done = f"SELECT 1 FROM trial WHERE study = ? AND {db.equal}"
            fresh = claimable(
                configurations,
                limit=limit,
                used=spent(*(_count(db, query, study.id) for query in _counts(db))) if limit is not None else 0,
                busy=busy,
                has_trial=lambda c: (
                    db.execute(done, (study.id, json_text.encode_configuration(c))).fetchone() is not None
                ),
            )
            for configuration in fresh:
                db.execute(
                    "INSERT INTO pending (study, configuration, owner, suggested) VALUES (?, ?, ?, ?) "
                    f"ON CONFLICT (study, {db.unique}) DO UPDATE SET owner = excluded.owner{forgotten}",
                    (study.id, json_text.encode_configuration(configuration), db.owner.name, now()),
                )
                claimed.append(configuration)
        return claimed

    @repeated_if_lost(repeatable=True)
    def release(self, study: StudyRecord, configuration: Configuration, *, resumable: bool = False) -> None:
        """Make a suggestion of this process abandoned, so that it changes hands; see `claim`."""
        forgotten = "" if resumable else ", intermediate = NULL"
        text = json_text.encode_configuration(configuration)
        with self._transaction(study) as db:
            db.execute(
                f"UPDATE pending SET owner = ?{forgotten} WHERE study = ? AND {db.equal} AND owner = ?",
                (RELEASED, study.id, text, db.owner.name),
            )

    @repeated_if_lost(repeatable=True)
    def report(self, study: StudyRecord, configuration: Configuration, values: Mapping[int, float]) -> None:
        """Store the intermediate values of a configuration under evaluation, by step."""
        text = json_text.encode_configuration(configuration)
        with self._transaction(study) as db:
            db.execute(
                f"UPDATE pending SET intermediate = ? WHERE study = ? AND {db.equal}",
                (intermediate_cell(values), study.id, text),
            )

    def reported(self, study: StudyRecord) -> dict[Configuration, dict[int, float]]:
        """Intermediate values by step of each suggestion that some process evaluates."""
        query = "SELECT configuration, owner, intermediate FROM pending WHERE study = ? ORDER BY id"
        with self._errors():
            rows = self._session.execute(query, (study.id,)).fetchall()
            return {
                json_text.decode_configuration(text): read_intermediate(values)
                for text, owner, values in rows
                if self._session.owner.alive(checked.text(owner, "owner"))
            }

    def rescue(self) -> Path | None:
        """A copy of the store, made where its file was removed or replaced since it was opened: beside it, else in the
        temporary folder. None while it is there. Raises StoreFault when no copy can be made."""
        with self._lock:
            return self._session.rescue()

    def close(self) -> None:
        """Close the file; this process's suggestions without an outcome become free for others."""
        self._session.owner.release()
        self._session.close()

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
            return [_study_record(row) for row in self._session.execute(query, values).fetchall()]

    @contextmanager
    def _transaction(self, study: StudyRecord | None = None, *, synced: bool = True) -> Iterator[Session]:
        """One change, of `study` if it is given: no other process changes that study meanwhile. One that is not
        `synced` survives a killed process, and reaches the disk with the next that is: the log of writes keeps their
        order."""
        with self._errors():
            try:
                self._session.begin(study.id if study else None, synced=synced)
                yield self._session
                self._session.commit()
            except BaseException:
                self._session.rollback()
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """The database's errors as what the user can do about them; nothing is half-written."""
        try:
            with self._lock:
                yield
        except Damage as damage:
            raise database.damaged(self._session.place, damage.message) from None
        except ERRORS as error:
            raise self._session.fault(error) from error


def _check_numbers(study: StudyRecord, trials: Sequence[Trial], after: int) -> None:
    if trials and trials[-1].number != after + len(trials):
        raise Damage(f"study {study.name!r} lacks trials before its number {trials[-1].number}")


# Numbers have no gaps, and indexes have the few trials with the two columns: no part of this reads all trials.
def _counts(db: Session) -> tuple[str, str, str]:
    """Statements that count a study's trials, those that took another's outcome, and further measurements."""
    return (
        "SELECT coalesce(max(number) + 1, 0) FROM trial WHERE study = ?",
        "SELECT count(*) FROM trial WHERE study = ? AND same_as IS NOT NULL",
        f"SELECT coalesce(sum({db.repeat_count} - 1), 0) FROM trial WHERE study = ? AND repeats IS NOT NULL",
    )


def _count(db: Session, query: str, study: int) -> int:
    row = db.execute(query, (study,)).fetchone()
    assert row is not None
    return checked.count(row[0], "a number of trials")


_STUDY = ("name", "space", "objectives", "identity", "created", "origin", "comparison")


def _insert(db: Session, table: str, columns: Sequence[str], cells: Sequence[Cell], otherwise: str = "") -> int:
    """Insert a row; how many were inserted, where `otherwise` says what to do about one that is there."""
    marks = ", ".join("?" * len(columns))
    return db.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}){otherwise}", cells).rowcount


def _new_study(db: Session, cells: Sequence[Cell]) -> int:
    """Insert a study; its key. Raises StudyError where one of that name exists."""
    if not _insert(db, "study", _STUDY, cells, " ON CONFLICT (name) DO NOTHING"):
        raise StudyError(
            f"store {shown(db.place)} has a study {cells[0]!r} already: nothing was copied",
            hint="copy into a store without these studies",
        )
    row = db.execute("SELECT id FROM study WHERE name = ?", (cells[0],)).fetchone()
    assert row is not None
    return checked.count(row[0], "id")


def _update(db: Session, study: StudyRecord, trial: Trial) -> None:
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
