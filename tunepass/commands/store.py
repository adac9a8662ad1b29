"""`tunepass store check|repair|export|copy`: what is damaged in a store, a new store of the rest, all of it as lines,
and its studies in another store."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from tunepass.diagnostics import StudyError
from tunepass.files import encoded, printable, shown, write_parts
from tunepass.interchange.kernel_tuner_results import cache_text, t4_text
from tunepass.jobs.places import store_location
from tunepass.reports.answer import Answer, Json, Status
from tunepass.study.results.trial_columns import collecting_later
from tunepass.study.storage.json_lines import lines
from tunepass.study.storage.location import StoreLocation
from tunepass.study.storage.salvage import Summary, salvage, write
from tunepass.study.storage.whole_store import NotWhole, WholeStore

MOST = 40  # problems that are listed
T = TypeVar("T")


@collecting_later()
def run(options: argparse.Namespace) -> Answer:
    if options.action == "copy":
        return _copy(options)
    if options.target is not None:
        raise StudyError(f"{shown(options.target)}: a second store is for `store copy`")
    location = store_location("source", options.path)
    if options.output is not None and options.action == "check":
        raise StudyError("`store check` writes nothing; -o is of `store repair` and `store export`")
    if options.file_format is not None:
        if options.action != "export":
            raise StudyError("--as and --study are of `store export`")
        return _export_study(location, options)
    if location.path is None:
        return _of_server(location, options)
    path = location.path
    match options.action:
        case "check":
            return _check(path)
        case "repair":
            return _repair(path, options.output)
    return _export(path, options.output, as_data=options.format == "json")


def _copy(options: argparse.Namespace) -> Answer:
    """Add all studies of a store to another, in one transaction."""
    if options.target is None:
        raise StudyError("`store copy` takes two stores", hint="tunepass store copy FROM TO")
    if options.output is not None or options.file_format is not None:
        raise StudyError("-o, --as and --study are not of `store copy`")
    source, target = StoreLocation.named(options.path), StoreLocation.named(options.target)
    with source.open(make=False) as read, target.open() as written:
        studies = read.studies()
        under_evaluation = sum(len(read.pending(study)) for study in studies)
        written.fill(read.items())
    places = shown(str(source)), shown(str(target))
    trials = sum(study.trials for study in studies)
    counted = _counted(Summary(len(studies), trials))
    left = f"; not copied: suggestions under evaluation, {under_evaluation}" if under_evaluation else ""
    data: dict[str, Json] = {"store": places[0], "output": places[1], "studies": len(studies), "trials": trials}
    return Answer(f"copied {places[0]} to {places[1]}: {counted}{left}", data)


def _of_server(location: StoreLocation, options: argparse.Namespace) -> Answer:
    """Check or export a store in PostgreSQL."""
    if options.action == "repair":
        raise StudyError(
            f"{location}: `store repair` reads the pages of a damaged file, and a server keeps its own",
            hint="restore a backup of the database (pg_dump, pg_basebackup); `store copy` saves what can be read",
        )
    with location.open(make=False) as store:
        studies = store.studies()
        summary = Summary(len(studies), sum(study.trials for study in studies))
        data = _data(location, summary)
        if options.action == "check":
            for _ in store.items():
                pass
            return Answer(f"{location}: whole, {_counted(summary)}", data)
        if options.output is not None:
            write_parts(Path(options.output), map(encoded, lines(store.items())))
            text = f"wrote {shown(options.output)}: {_counted(summary)}"
            return Answer(text, {**data, "output": options.output})
        text = "".join(lines(store.items()))
    if options.format == "json":
        return Answer("", [json.loads(line) for line in text.split("\n") if line])
    return Answer(text.removesuffix("\n"), None)


def _check(path: Path) -> Answer:
    try:
        summary = WholeStore(path).check()
    except NotWhole:
        summary = salvage(path).summary
    if not summary.problems:
        return Answer(f"{shown(path)}: whole, {_counted(summary)}", _data(path, summary))
    hint = f"  `tunepass store repair {shown(path)}` saves {_counted(summary)}"
    text = "\n".join([f"{shown(path)}: damaged", *_problems(summary), hint])
    return Answer(text, _data(path, summary), Status.DAMAGED)


def _repair(path: Path, output: str | None) -> Answer:
    target = Path(output) if output else path.with_name(f"{path.stem}.repaired.db")
    salvaged = salvage(path)
    summary = salvaged.summary
    if not salvaged.items:
        raise StudyError(
            f"nothing in {shown(path)} can be read: {summary.problems[0] if summary.problems else 'it is empty'}"
        )
    write(salvaged, target)
    text = "\n".join([f"wrote {shown(target)}: {_counted(summary)}", *_problems(summary)])
    return Answer(text, {**_data(path, summary), "output": shown(target)}, _status(summary))


def _export(path: Path, output: str | None, *, as_data: bool) -> Answer:
    if output is not None:
        target = Path(output)
        _, summary = _exported(path, lambda texts: write_parts(target, map(encoded, texts)))
        text, data = f"wrote {shown(output)}: {_counted(summary)}", {**_data(path, summary), "output": output}
        return Answer(text, data, _status(summary), tuple(_problems(summary)))
    written, summary = _exported(path, "".join)
    parsed = [json.loads(line) for line in written.split("\n") if line] if as_data else None
    text = "" if as_data else written.removesuffix("\n")
    return Answer(text, parsed, _status(summary), tuple(_problems(summary)))


def _export_study(location: StoreLocation, options: argparse.Namespace) -> Answer:
    """One study as a file of Kernel Tuner, in its first objective."""
    with location.open(make=False) as store:
        named = [record for record in store.studies() if options.study is None or record.name == options.study]
        if len(named) != 1:
            names = ", ".join(record.name for record in store.studies()) or "none"
            several = f"{shown(store.place)} has {len(named)} studies to choose from"
            problem = several if named else "there is no such study"
            raise StudyError(f"{problem}: --study names one", hint=f"it has {names}")
        trials, objective = store.trials(named[0]), named[0].objectives[0]
        device = named[0].identity.get("device", "host")
    if options.file_format == "t4":
        text = t4_text(objective, trials)
    else:
        kernel = named[0].name.rpartition("::")[2].partition("@")[0]
        text = cache_text(kernel, device, objective, trials, options.problem_size)
    if options.output is None:
        return Answer(text.removesuffix("\n"), json.loads(text))
    write_parts(Path(options.output), [encoded(text)])
    message = f"wrote {shown(options.output)}: {len(trials)} trials"
    return Answer(message, {"output": options.output, "trials": len(trials)})


def _exported(path: Path, take: Callable[[Iterable[str]], T]) -> tuple[T, Summary]:
    """The result of `take` for the lines, and the summary. A store that is not whole is read row by row."""
    try:
        whole = WholeStore(path)
        return take(whole.lines()), whole.summary
    except NotWhole:
        salvaged = salvage(path)
        return take(lines(salvaged.everything)), salvaged.summary


def _status(summary: Summary) -> Status:
    return Status.DAMAGED if summary.problems else Status.DONE


def _problems(summary: Summary) -> list[str]:
    more = len(summary.problems) - MOST
    listed = [f"  {printable(text)}" for text in summary.problems[:MOST]]
    return [*listed, *([f"  and {more} more"] if more > 0 else [])]


def _counted(summary: Summary) -> str:
    studies, trials = summary.studies, summary.trials
    return f"{studies} stud{'y' if studies == 1 else 'ies'}, {trials} trial{'' if trials == 1 else 's'}"


def _data(store: Path | StoreLocation, summary: Summary) -> dict[str, Json]:
    return {
        "store": shown(str(store)),
        "studies": summary.studies,
        "trials": summary.trials,
        "lost": summary.lost,
        "problems": list(summary.problems),
    }
