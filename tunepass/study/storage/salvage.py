"""Salvage of the readable rows of a store, damaged or not, without changing it; and of its JSON lines.

Rows are read in the order of their tables, not through an index. Where a page cannot be read, the rows around it are
found by halving the range of row numbers. A column that is missing counts as its usual value, and is told.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote_from_bytes

from tunepass.diagnostics import StudyError
from tunepass.files import check_regular, read_utf8, scratch_folder, shown, sync_folder
from tunepass.machine_faults import cannot
from tunepass.space.configuration import Configuration
from tunepass.study.comparison.final_round import Comparison
from tunepass.study.manifest import Manifest
from tunepass.study.outcome import Measured
from tunepass.study.prior_origin import Origin
from tunepass.study.storage import checked, json_lines, json_text, schema
from tunepass.study.storage.checked import Damage
from tunepass.study.storage.json_lines import Item, ManifestCells, StoredTrial, StudyCells
from tunepass.study.storage.store import Store
from tunepass.study.storage.trial_rows import TRIAL_COLUMNS, read_intermediate, to_trial

LINES_LIMIT = 4 << 30  # bytes of a file of JSON lines
WINDOW, MOST_WINDOWS = 5_000, 10_000  # rows that are read at once, so that no second copy of a table is in memory
HALVINGS = 20_000  # ranges of rows that may fail before the rest of a table is given up
T = TypeVar("T")
ERRORS = (sqlite3.Error, UnicodeDecodeError)  # the latter of a complaint that quotes damaged text
SQLITE = b"SQLite format 3\0"
USUAL: Mapping[str, object] = {
    "log": "",
    "code": "",
    "censored": 0,
    "origin": "",
    "comparison": "",
    "finished": "",
    "identity": "{}",
}


@dataclass(frozen=True, slots=True)
class Summary:
    """How many studies and trials of a store can be read, and what is damaged, as Salvage has it."""

    studies: int
    trials: int
    problems: tuple[str, ...] = ()
    lost: int = 0


@dataclass(slots=True)
class Salvage:
    """Studies, each before its trials, which are numbered from 0; manifests; and what is damaged, a line
    each, of which `lost` are rows that are not among the items."""

    items: list[Item] = field(default_factory=list)
    manifests: list[ManifestCells] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    lost: int = 0

    @property
    def summary(self) -> Summary:
        studies = sum(isinstance(item, StudyCells) for item in self.items)
        return Summary(studies, len(self.items) - studies, tuple(self.problems), self.lost)

    @property
    def everything(self) -> Iterator[Item]:
        return itertools.chain(self.manifests, self.items)

    def lose(self, problem: str) -> None:
        self.problems.append(problem)
        self.lost += 1


def salvage(path: Path) -> Salvage:
    """Salvage a store or a file of JSON lines. StudyError if it is neither."""
    start = beginning(path)
    if start == SQLITE:
        salvaged = _of_store(path)
    elif start.startswith(b"{"):
        salvaged = _of_lines(path)
    else:
        raise StudyError(f"{shown(path)} is no store: it begins as no SQLite file does", hint="restore a copy of it")
    _number_anew(salvaged)
    return salvaged


def beginning(path: Path) -> bytes:
    """The first bytes of a file, as many as tell a store. StudyError if it cannot be read."""
    check_regular(path, StudyError)
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE))
    except OSError as error:
        raise StudyError(f"cannot read {shown(path)}: {error.strerror}") from None


def write(salvaged: Salvage, path: Path) -> None:
    """Write a new store, whole or not at all. StudyError if the path exists."""
    with scratch_folder(path.parent, StudyError) as scratch:
        with Store(f"sqlite:///{scratch / path.name}") as store:
            store.fill(salvaged.everything)
        try:
            os.link(scratch / path.name, path)
        except OSError as error:
            raise cannot(f"write {shown(path)}", error, StudyError, "name another file with -o") from None
        sync_folder(path.parent)


# -- a store


def _of_store(path: Path) -> Salvage:
    wal = path.with_name(path.name + "-wal")
    salvaged = _read(path, immutable=not wal.exists())
    return _read(path, immutable=False) if salvaged.problems and wal.exists() else salvaged


def read_only(path: Path, *, immutable: bool) -> sqlite3.Connection:
    """A connection that writes nothing; `immutable` leaves no files beside the store, and is for one that nobody
    writes."""
    mode = "mode=ro&immutable=1" if immutable else "mode=ro"
    url = f"file:{quote_from_bytes(str(path.absolute()).encode('utf-8', 'surrogateescape'))}?{mode}"
    connection = sqlite3.connect(url, uri=True, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _read(path: Path, *, immutable: bool) -> Salvage:
    salvaged = Salvage()
    with closing(read_only(path, immutable=immutable)) as connection:
        connection.text_factory = _decoded
        try:
            salvaged.problems += file_problems(connection)
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        except ERRORS as error:
            raise StudyError(
                f"store {shown(path)} is damaged beyond reading: {error}", hint="restore a copy of it"
            ) from None
        _read_tables(connection, tables, salvaged)
    return salvaged


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def file_problems(connection: sqlite3.Connection) -> list[str]:
    """Complaints of SQLite's own check of the file and of the check of its schema, before any row is read."""
    problems = list(schema.faults(connection))
    try:
        results = [str(text) for (text,) in connection.execute("PRAGMA integrity_check(20)")]
        problems += [text for text in results if text != "ok"]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
        problems += [f"{table} row {row} belongs to no {parent}" for table, row, parent, _ in orphans[:20]]
    except ERRORS as error:
        problems.append(str(error))
    return problems


def _read_tables(connection: sqlite3.Connection, tables: set[str], salvaged: Salvage) -> None:
    studies: dict[object, StudyCells] = {}
    trials: dict[object, list[StoredTrial]] = {}
    for row in _rows(connection, tables, "study", ("id", *STUDY_COLUMNS), salvaged):
        study = _read_or_lose(salvaged, read_study, row[1:])
        if study is not None:
            studies[row[0]] = study
    names = {identifier: objective_names(study) for identifier, study in studies.items()}
    for row in _rows(connection, tables, "trial", ("study", "finished", *TRIAL_COLUMNS), salvaged):
        trial = _read_or_lose(salvaged, _trial, row, studies.get(row[0]), names.get(row[0], ()))
        if trial is not None:
            trials.setdefault(row[0], []).append(trial)
    for identifier, study in studies.items():
        salvaged.items += [study, *trials.get(identifier, [])]
    for row in _rows(connection, tables, "pending", ("configuration", "owner", "intermediate"), salvaged):
        _read_or_lose(salvaged, read_suggestion, row)
    for row in _rows(connection, tables, "manifest", ("digest", "parts"), salvaged):
        manifest = _read_or_lose(salvaged, read_manifest, row)
        salvaged.manifests += [manifest] if manifest else []


def _read_or_lose(salvaged: Salvage, read: Callable[..., T], *arguments: object) -> T | None:
    """Read a row; record the problem and return None if it is damaged."""
    try:
        return read(*arguments)
    except Damage as damage:
        salvaged.lose(damage.message)
        return None


def _rows(
    connection: sqlite3.Connection, tables: set[str], table: str, columns: Sequence[str], salvaged: Salvage
) -> Iterator[tuple[object, ...]]:
    """The rows that can be read, in the order in which they were written."""
    if table not in tables:
        return
    known = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    missing = [column for column in columns if column not in known]
    chosen = ", ".join("NULL" if column in missing else column for column in columns)
    usual = [USUAL.get(column) if column in missing else None for column in columns]
    query = f"SELECT {chosen} FROM {table} NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
    for row in _ranges(connection, query, table, salvaged):
        yield tuple(cell if value is None else value for cell, value in zip(row, usual))


def _ranges(connection: sqlite3.Connection, query: str, table: str, salvaged: Salvage) -> Iterator[tuple[object, ...]]:
    ranges, failed = _windows(connection, table), 0
    while ranges:
        low, high = ranges.pop()
        try:
            yield from connection.execute(query, (low, high)).fetchall()  # whole: what fails is read again in halves
        except ERRORS as error:
            failed += 1
            if failed == 1:
                salvaged.lose(f"some rows of {table} cannot be read: {error}")
            if low < high and failed < HALVINGS:
                middle = (low + high) // 2
                ranges += [(middle + 1, high), (low, middle)]


def _windows(connection: sqlite3.Connection, table: str) -> list[tuple[int, int]]:
    """Ranges of row numbers, last first, that together are all there are: few rows each of a table without gaps."""
    least, most = -(1 << 63), (1 << 63) - 1
    try:
        low, high = connection.execute(f"SELECT min(rowid), max(rowid) FROM {table} NOT INDEXED").fetchone()
    except ERRORS:
        return [(least, most)]
    if low is None or high - low > MOST_WINDOWS * WINDOW:
        return [(least, most)]
    starts = range(low + WINDOW, high + 1, WINDOW)
    return list(zip([least, *starts], [*(start - 1 for start in starts), most]))[::-1]


STUDY_COLUMNS = ("name", "space", "objectives", "identity", "created", "origin", "comparison")


def read_study(row: Sequence[object]) -> StudyCells:
    cells = dict(zip(STUDY_COLUMNS, row))
    name = checked.clean(cells["name"], "name of a study")
    try:
        checked.mapping(json_text.load(cells["space"], "space"), "space")
        if cells["origin"]:
            Origin.decode(cells["origin"])
        if cells["comparison"]:
            Comparison.decode(cells["comparison"])
        return StudyCells(
            name=name,
            space=checked.clean(cells["space"], "space"),
            objectives=json_text.encode_objectives(
                json_text.decode_objectives(checked.clean(cells["objectives"], "objectives"))
            ),
            identity=json_text.encode_identity(json_text.decode_identity(checked.clean(cells["identity"], "identity"))),
            created=checked.clean(cells["created"], "created"),
            origin=checked.clean(cells["origin"] or "", "origin"),
            comparison=checked.clean(cells["comparison"] or "", "comparison"),
        )
    except Damage as damage:
        raise Damage(f"study {name!r}: {damage.message}") from None


def _trial(row: Sequence[object], study: StudyCells | None, names: Sequence[str]) -> StoredTrial:
    _, finished, *cells = row
    if study is None:
        raise Damage(f"trial {checked.quoted(cells[0])} is of a study that is lost or never was")
    try:
        for cell in cells:
            if isinstance(cell, str):
                checked.clean(cell, "a text")
        return StoredTrial(study.name, to_trial(cells, names), checked.clean(finished, "finished"))
    except Damage as damage:
        raise Damage(f"study {study.name!r}: {damage.message}") from None


def objective_names(study: StudyCells) -> list[str]:
    return [objective.name for objective in json_text.decode_objectives(study.objectives)]


def read_suggestion(row: Sequence[object]) -> None:
    json_text.decode_configuration(row[0])
    checked.clean(row[1], "owner")
    read_intermediate(row[2])


def read_manifest(row: Sequence[object]) -> ManifestCells:
    digest, parts = checked.clean(row[0], "digest"), checked.clean(row[1], "parts")
    Manifest.decode(parts)
    return ManifestCells(digest, parts)


# -- JSON lines


def _of_lines(path: Path) -> Salvage:
    salvaged, objectives = Salvage(), dict[str, list[str]]()
    for item in json_lines.read(read_utf8(path, LINES_LIMIT, StudyError)):
        match item:
            case Damage():
                salvaged.lose(item.message)
            case ManifestCells():
                salvaged.manifests.append(item)
            case StudyCells() if item.name not in objectives:
                objectives[item.name] = objective_names(item)
                salvaged.items.append(item)
            case StudyCells():
                salvaged.lose(f"study {item.name!r} stands there twice")
            case StoredTrial():
                _keep_trial(salvaged, item, objectives.get(item.study))
    return salvaged


def _keep_trial(salvaged: Salvage, item: StoredTrial, objectives: Sequence[str] | None) -> None:
    trial = item.trial
    if objectives is None:
        salvaged.lose(f"trial {trial.number} is of a study {item.study!r} that does not stand before it")
    elif isinstance(trial.outcome, Measured) and set(trial.outcome.values) != set(objectives):
        salvaged.lose(f"trial {trial.number} of {item.study!r} measured something else than its study")
    else:
        salvaged.items.append(item)


# -- both


def _number_anew(salvaged: Salvage) -> None:
    """Trials of each study from 0 without gaps, each configuration once; what took a lost outcome stands for itself."""
    items: list[Item] = []
    of_study = {item.name: list[StoredTrial]() for item in salvaged.items if isinstance(item, StudyCells)}
    for item in salvaged.items:
        if isinstance(item, StoredTrial):
            of_study[item.study].append(item)
    for study in salvaged.items:
        if isinstance(study, StudyCells):
            items += [study, *_renumbered(of_study.pop(study.name, []), salvaged)]
    salvaged.items = items


def _renumbered(trials: Sequence[StoredTrial], salvaged: Salvage) -> Iterator[StoredTrial]:
    number_of: dict[int, int] = {}
    seen: set[Configuration] = set()
    for item in sorted(trials, key=lambda item: item.trial.number):
        trial, number = item.trial, len(seen)
        if trial.configuration in seen or trial.number in number_of:
            salvaged.lose(f"study {item.study!r}: trial {trial.number} stands there twice")
            continue
        if trial.number != number and trial.number - 1 not in number_of:
            salvaged.problems.append(f"study {item.study!r} lacks trials before its number {trial.number}")
        seen.add(trial.configuration)
        number_of[trial.number] = number
        same = None if trial.same_as is None else number_of.get(trial.same_as)
        unchanged = trial.number == number and trial.same_as == same
        yield item if unchanged else replace(item, trial=replace(trial, number=number, same_as=same))
