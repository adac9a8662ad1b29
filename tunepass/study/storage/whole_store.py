"""A store in which nothing is damaged, read once in blocks, for `store check` and `store export` of long studies.

Every check of tunepass.study.storage.salvage is made here too, of whole columns. Where one fails, or meets something
that the columns' checks do not know, `NotWhole` ends the reading, and salvage reads the store again, row by row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import StudyError
from tunepass.space.configuration import Configuration
from tunepass.study.storage import json_lines, salvage, schema
from tunepass.study.storage.block_lines import block_lines
from tunepass.study.storage.json_lines import ManifestCells, StudyCells
from tunepass.study.storage.trial_blocks import BLOCK_COLUMNS, ROWS, TrialBlock, read_block


class NotWhole(Exception):
    """Something is damaged, or unusual."""


Part = ManifestCells | StudyCells | TrialBlock


@dataclass(slots=True)
class WholeStore:
    """A reading of a store, good only when it has ended without NotWhole; `summary` is of what was read so far."""

    path: Path
    studies: int = 0
    trials: int = 0

    @property
    def summary(self) -> salvage.Summary:
        return salvage.Summary(self.studies, self.trials)

    def check(self) -> salvage.Summary:
        """Read all of it."""
        for _ in self._parts():
            pass
        return self.summary

    def lines(self) -> Iterator[str]:
        """All of it as JSON lines."""
        yield json_lines.HEAD + "\n"
        study = ""
        for part in self._parts():
            if isinstance(part, TrialBlock):
                yield "".join(block_lines(part, study))
            else:
                study = part.name if isinstance(part, StudyCells) else study
                yield json_lines.line(part)

    def _parts(self) -> Iterator[Part]:
        for part in _parts_of(self.path):
            self.studies += isinstance(part, StudyCells)
            self.trials += len(part) if isinstance(part, TrialBlock) else 0
            yield part


def _parts_of(path: Path) -> Iterator[Part]:
    """The manifests, then each study before its trials, in order. Raises NotWhole, at the end at the latest."""
    try:
        if salvage.beginning(path) != salvage.SQLITE:
            raise NotWhole
        with closing(salvage.read_only(path, immutable=not path.with_name(path.name + "-wal").exists())) as connection:
            if salvage.file_problems(connection):
                raise NotWhole
            yield from _read(connection)
    except (*salvage.ERRORS, StudyError) as error:
        raise NotWhole from error


def _read(connection: sqlite3.Connection) -> Iterator[Part]:
    if int(connection.execute("PRAGMA user_version").fetchone()[0]) != len(schema.STEPS):
        raise NotWhole  # columns are missing
    for row in connection.execute("SELECT configuration, owner, intermediate FROM pending"):
        salvage.read_suggestion(row)
    for row in connection.execute("SELECT digest, parts FROM manifest NOT INDEXED ORDER BY rowid"):
        yield salvage.read_manifest(row)
    query = f"SELECT id, {', '.join(salvage.STUDY_COLUMNS)} FROM study NOT INDEXED ORDER BY rowid"
    names, trials = set[str](), 0
    for identifier, *row in connection.execute(query).fetchall():
        study = salvage.read_study(row)
        if study.name in names:
            raise NotWhole
        names.add(study.name)
        yield study
        for block in _blocks(connection, identifier, salvage.objective_names(study)):
            trials += len(block)
            yield block
    if connection.execute("SELECT count(*) FROM trial NOT INDEXED").fetchone() != (trials,):
        raise NotWhole  # some belong to no study


def _blocks(connection: sqlite3.Connection, identifier: object, objectives: list[str]) -> Iterator[TrialBlock]:
    """The trials of a study, numbered from 0 without gaps, each configuration once."""
    query = f"SELECT {', '.join(BLOCK_COLUMNS)} FROM trial WHERE study = ? ORDER BY number"
    rows, seen, count = connection.execute(query, (identifier,)), set[Configuration](), 0
    while some := rows.fetchmany(ROWS):
        block = read_block(some, objectives)
        if block is None or list(block.numbers) != list(range(count, count + len(block))):
            raise NotWhole
        same_as = zip(block.numbers, block.cells["same_as"])
        if any(isinstance(same, int) and same >= number for number, same in same_as):
            raise NotWhole  # it stands for itself
        count += len(block)
        seen.update(block.assignments)
        if len(seen) != count:
            raise NotWhole
        yield block
