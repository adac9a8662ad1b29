"""`tunepass flags-file`: the lock's choice for a build that has no wrapper around its compiler."""

from __future__ import annotations

import argparse
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.files import write_text
from tunepass.jobs.locks.choices_file import NAME, write_choices
from tunepass.jobs.locks.flags_files import flags_file
from tunepass.jobs.places import lock_path
from tunepass.reports.answer import Answer, Json, Status

CHOICES = "choices"


def run(options: argparse.Namespace) -> Answer:
    source = Path(options.source)
    if options.format == CHOICES:
        return _choices(source, options.output, frozen=options.frozen)
    if not source.is_file():
        hint = f"name a source; a folder goes with --format {CHOICES}" if source.is_dir() else None
        raise TunepassError(f"no such file: {source}", hint=hint)
    file = flags_file(source, "response" if options.format == "json" else options.format, options.compiler)
    locked = file.locked
    if not locked.known:
        hint = f"tunepass build {source} -- COMPILER makes the entry"
        raise TunepassError(f"{source} has no entry in {lock_path(source)}", hint=hint)
    if options.frozen and locked.stale:
        return Answer("", None, Status.STALE, tuple(f"error: {line}" for line in locked.stale))
    notes = [f"note: {line}" for line in locked.notes]
    notes += [f"warning: {line}" for line in (*locked.warnings, *file.warnings)]
    data: Json = {
        "source": str(source),
        "words": list(locked.arguments),
        "choices": list(locked.choices),
        "stale": list(locked.stale),
        "lacking": list(file.warnings),
    }
    if options.output is None or options.format == "json":
        return Answer(file.text.rstrip("\n"), data, notes=tuple(notes))
    write_text(Path(options.output), file.text)
    return Answer(f"wrote {options.output}", notes=tuple(notes))


def _choices(source: Path, output: str | None, *, frozen: bool) -> Answer:
    folder = source if source.is_dir() else source.parent
    if output is not None:
        raise TunepassError(f"the choices file stands beside its lock, as {folder / NAME}", hint="leave out -o")
    written = write_choices(folder, frozen=frozen)
    if frozen and written.stale:
        return Answer("", None, Status.STALE, tuple(f"error: {line}" for line in written.stale))
    count = len(written.sources)
    return Answer(f"wrote {folder / NAME}: {count} source{'s' * (count != 1)}", notes=written.notes)
