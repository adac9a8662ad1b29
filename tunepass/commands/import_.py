"""`tunepass import`: another tuner's description of a kernel becomes a source with tunepass's pragmas."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from tunepass.commands.answer import Answer, Json
from tunepass.diagnostics import TunepassError
from tunepass.files import write_text
from tunepass.jobs.importing import Given, Imported, imported


def run(options: argparse.Namespace) -> Answer:
    given = Given(
        parameters=dict(_pair(word, "--param") for word in options.param or ()),
        constraints=tuple(options.constraint or ()),
        sizes={name: _number(name, text) for name, text in (_pair(w, "--size") for w in options.size or ())},
        sources=tuple(map(Path, options.source or ())),
        kernel=options.kernel,
    )
    found = imported(Path(options.file), given)
    output = None
    if options.output is not None:
        output = Path(options.output)
        output = output / found.name if output.is_dir() else output
        if output.exists() and output.resolve() == Path(options.file).resolve():
            raise TunepassError(f"{output} is the file that is read; write to another")
        write_text(output, found.text)
    return _answer(found, output)


def _answer(found: Imported, output: Path | None) -> Answer:
    kernel, space = found.kernel, found.kernel.space()
    dense = math.prod(len(p.values) for p in kernel.parameters)
    data: Json = {
        "kernel": kernel.function,
        "language": kernel.language,
        "parameters": {p.name: list(p.values) for p in kernel.parameters},
        "constraints": list(kernel.constraints),
        "dense": dense,
        "feasible": space.size,
        "complete": found.whole,
        "notes": list(found.notes),
        "output": str(output) if output else None,
    }
    notes = tuple(f"note: {note}" for note in found.notes)
    if output is None:
        return Answer(found.text.rstrip("\n"), data, notes=notes)
    said = f"{kernel.function}: {len(kernel.parameters)} parameters, {space.size:,} of {dense:,} configurations"
    return Answer(f"{said}\nwrote {output}", data, notes=notes)


def _pair(word: str, option: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name.strip().isidentifier():
        raise TunepassError(f"{option} is written NAME=VALUE, got {word!r}")
    return name.strip(), value


def _number(name: str, text: str) -> int:
    if not text.isdigit() or len(text) > 15:
        raise TunepassError(f"--size {name}=N needs a whole number, got {text!r}")
    return int(text)
