"""`tunepass store check|repair|export`: what is damaged in a store, a new store of the rest, and all of it as lines."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tunepass.commands.answer import Answer, Json, Status
from tunepass.diagnostics import StudyError
from tunepass.files import encoded, printable, shown, write_bytes
from tunepass.jobs.places import store_path
from tunepass.study.storage.json_lines import lines
from tunepass.study.storage.salvage import Salvage, salvage, write

MOST = 40  # problems that are listed


def run(options: argparse.Namespace) -> Answer:
    path = Path(options.path) if options.path else store_path("source", None)
    if options.output is not None and options.action == "check":
        raise StudyError("`store check` writes nothing; -o is of `store repair` and `store export`")
    salvaged = salvage(path)
    match options.action:
        case "check":
            return _check(path, salvaged)
        case "repair":
            return _repair(path, salvaged, options.output)
    return _export(path, salvaged, options.output, as_data=options.format == "json")


def _check(path: Path, salvaged: Salvage) -> Answer:
    if not salvaged.problems:
        return Answer(f"{shown(path)}: whole, {_counted(salvaged)}", _data(path, salvaged))
    hint = f"  `tunepass store repair {shown(path)}` saves {_counted(salvaged)}"
    text = "\n".join([f"{shown(path)}: damaged", *_problems(salvaged), hint])
    return Answer(text, _data(path, salvaged), Status.DAMAGED)


def _repair(path: Path, salvaged: Salvage, output: str | None) -> Answer:
    target = Path(output) if output else path.with_name(f"{path.stem}.repaired.db")
    if not salvaged.items:
        raise StudyError(
            f"nothing in {shown(path)} can be read: {salvaged.problems[0] if salvaged.problems else 'it is empty'}"
        )
    write(salvaged, target)
    text = "\n".join([f"wrote {shown(target)}: {_counted(salvaged)}", *_problems(salvaged)])
    return Answer(text, {**_data(path, salvaged), "output": shown(target)}, _status(salvaged))


def _export(path: Path, salvaged: Salvage, output: str | None, *, as_data: bool) -> Answer:
    notes = tuple(_problems(salvaged))
    if output is None:
        text = "" if as_data else "".join(lines(salvaged.everything)).removesuffix("\n")
        data = [json.loads(line) for line in lines(salvaged.everything)] if as_data else None
        return Answer(text, data, _status(salvaged), notes)
    written = bytearray()  # a long store's lines, once in memory
    for line in lines(salvaged.everything):
        written += encoded(line)
    write_bytes(Path(output), written)
    summary = {**_data(path, salvaged), "output": output}
    return Answer(f"wrote {shown(output)}: {_counted(salvaged)}", summary, _status(salvaged), notes)


def _status(salvaged: Salvage) -> Status:
    return Status.DAMAGED if salvaged.problems else Status.DONE


def _problems(salvaged: Salvage) -> list[str]:
    more = len(salvaged.problems) - MOST
    listed = [f"  {printable(text)}" for text in salvaged.problems[:MOST]]
    return [*listed, *([f"  and {more} more"] if more > 0 else [])]


def _counted(salvaged: Salvage) -> str:
    studies, trials = salvaged.studies, salvaged.trials
    return f"{studies} stud{'y' if studies == 1 else 'ies'}, {trials} trial{'' if trials == 1 else 's'}"


def _data(path: Path, salvaged: Salvage) -> dict[str, Json]:
    return {
        "store": shown(path),
        "studies": salvaged.studies,
        "trials": salvaged.trials,
        "lost": salvaged.lost,
        "problems": list(salvaged.problems),
    }
