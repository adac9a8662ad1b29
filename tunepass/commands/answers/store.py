"""`tunepass report STORE`: a page or a picture of the studies of a store, such as those that Python programs keep."""

from __future__ import annotations

from pathlib import Path

from tunepass.diagnostics import TunepassError, spelling_hint
from tunepass.files import printable, shown, write_text
from tunepass.machine_faults import raise_machines
from tunepass.reports.answer import Answer
from tunepass.reports.page import page
from tunepass.reports.study_page import facts_of, importance_fact, study_picture, study_section
from tunepass.reports.thinning import PAGE_BYTES
from tunepass.study.results.importance import importance_of_values
from tunepass.study.storage.location import StoreLocation
from tunepass.study.storage.postgres_url import is_postgres
from tunepass.study.storage.salvage import SQLITE
from tunepass.study.storage.store import Store, StudyRecord

MOST_STUDIES = 50  # sections of a page


def is_store(name: str) -> bool:
    """Does a file begin as a store does, or is it a URL of PostgreSQL?"""
    if is_postgres(name):
        return True
    try:
        with Path(name).open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise_machines(error)
        return False


def report_of_store(location: StoreLocation, study: str | None, output: Path) -> Answer:
    """Write a page of all studies, or of the one that is named; a picture is of one."""
    with location.open(make=False) as opened:
        records = _chosen(opened, study)
        if output.suffix == ".svg":
            if len(records) > 1:
                names = ", ".join(record.name for record in records[:MOST_STUDIES])
                raise TunepassError(f"{shown(opened.place)} has several studies: {names}", hint="name one with --study")
            text = study_picture(opened.trial_columns(records[0]), records[0].objectives, records[0].name)
        else:
            latest = records[-MOST_STUDIES:]
            sections = [_section(opened, record, PAGE_BYTES // len(latest)) for record in latest]
            left_out = len(records) - len(latest)
            note = [f"<p>The latest {len(latest)} of {len(records):,} studies.</p>"] if left_out else []
            text = page(f"tunepass: {location}", [*note, *sections])
    write_text(output, printable(text))
    return Answer(f"wrote {output}", {"output": str(output)})


def _chosen(opened: Store, study: str | None) -> list[StudyRecord]:
    records = opened.studies()
    if not records:
        raise TunepassError(f"{shown(opened.place)} has no study")
    if study is None:
        return records
    names = [record.name for record in records]
    if study not in names:
        raise TunepassError(
            f"{shown(opened.place)} has no study {study!r}", hint=spelling_hint(study, names, quote=repr)
        )
    return [records[names.index(study)]]


def _section(opened: Store, record: StudyRecord, most_bytes: int) -> str:
    trials = opened.trial_columns(record)
    facts = facts_of(trials, record.objectives)
    for objective in record.objectives:
        facts |= importance_fact(objective, record.objectives, importance_of_values(objective, trials))
    facts |= {**record.identity, "created": record.created}
    return study_section(record.name, trials, record.objectives, facts, most_bytes)
