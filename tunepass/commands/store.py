"""`tunepass store check|repair|export`: what is damaged in a store, a new store of the rest, and all of it as lines."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tunepass.commands.answer import Answer, Json, Status
from tunepass.diagnostics import StudyError
from tunepass.files import printable, shown, write_text
from tunepass.jobs.places import store_path
from tunepass.study.storage.json_lines import lines
from tunepass.study.storage.salvage import Salvage, salvage, write

MOST = 40  # problems that are listed


def run(options: argparse.Namespace) -> Answer:
    path = Path(options.path) if options.path else store_path("source", None)
    if options.output is not None and options.action == "check":
        raise StudyError("`store check` writes nothing; -o is of `store repair` and `store export`")
    found = salvage(path)
    match options.action:
        case "check":
            return _check(path, found)
        case "repair":
            return _repair(path, found, options.output)
    return _export(path, found, options.output)


def _check(path: Path, found: Salvage) -> Answer:
    if not found.problems:
        return Answer(f"{shown(path)}: whole, {_counted(found)}", _data(path, found))
    hint = f"  `tunepass store repair {shown(path)}` saves {_counted(found)}"
    text = "\n".join([f"{shown(path)}: damaged", *_problems(found), hint])
    return Answer(text, _data(path, found), Status.DAMAGED)


def _repair(path: Path, found: Salvage, output: str | None) -> Answer:
    target = Path(output) if output else path.with_name(f"{path.stem}.repaired.db")
    if not found.items:
        raise StudyError(
            f"nothing in {shown(path)} can be read: {found.problems[0] if found.problems else 'it is empty'}"
        )
    write(found, target)
    text = "\n".join([f"wrote {shown(target)}: {_counted(found)}", *_problems(found)])
    return Answer(text, {**_data(path, found), "output": shown(target)}, _status(found))


def _export(path: Path, found: Salvage, output: str | None) -> Answer:
    text = "".join(lines(found.everything))
    notes = tuple(_problems(found))
    if output is None:
        return Answer(text.removesuffix("\n"), [json.loads(line) for line in text.splitlines()], _status(found), notes)
    write_text(Path(output), text)
    data = {**_data(path, found), "output": output}
    return Answer(f"wrote {shown(output)}: {_counted(found)}", data, _status(found), notes)


def _status(found: Salvage) -> Status:
    return Status.DAMAGED if found.problems else Status.DONE


def _problems(found: Salvage) -> list[str]:
    more = len(found.problems) - MOST
    listed = [f"  {printable(text)}" for text in found.problems[:MOST]]
    return [*listed, *([f"  and {more} more"] if more > 0 else [])]


def _counted(found: Salvage) -> str:
    studies, trials = found.studies, found.trials
    return f"{studies} stud{'y' if studies == 1 else 'ies'}, {trials} trial{'' if trials == 1 else 's'}"


def _data(path: Path, found: Salvage) -> dict[str, Json]:
    return {
        "store": shown(path),
        "studies": found.studies,
        "trials": found.trials,
        "lost": found.lost,
        "problems": list(found.problems),
    }
