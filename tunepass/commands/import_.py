"""`tunepass import`: another tuner's description of a kernel becomes a source with tunepass's pragmas."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.files import write_text
from tunepass.ir.files import EmittedFile
from tunepass.jobs.importing.descriptions import Given, Imported, imported
from tunepass.jobs.importing.door import through_door
from tunepass.jobs.importing.nni import ImportedModel, imported_model, is_configspace, is_nni
from tunepass.jobs.reading import read_source
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.reports.answer import Answer, Json
from tunepass.space.parameter import Parameter

MOST_LISTED = 100_000  # values of a parameter in the answer for programs


def run(options: argparse.Namespace) -> Answer:
    source = read_source(options.file)
    if (foreign := through_door(source)) is not None:
        return _foreign(options, foreign)
    if Path(options.file).suffix == ".json" and (is_nni(source) or is_configspace(source)):
        return _model(options, imported_model(Path(options.file), source, tuple(map(Path, options.source or ()))))
    given = Given(
        parameters=dict(_pair(word, "--param") for word in options.param or ()),
        constraints=tuple(options.constraint or ()),
        sizes={name: _number(name, text) for name, text in (_pair(w, "--size") for w in options.size or ())},
        sources=tuple(map(Path, options.source or ())),
        kernel=options.kernel,
    )
    converted = imported(Path(options.file), given)
    return _answer(converted, _written(options, converted.name, converted.text, (options.file,)))


def _written(options: argparse.Namespace, name: str, text: str, sources: Sequence[str]) -> Path | None:
    """Write the text if a path is given, never to one of its inputs; return the path."""
    if options.output is None:
        return None
    output = Path(options.output)
    output = output / name if output.is_dir() else output
    if output.exists() and any(output.resolve() == Path(source).resolve() for source in sources):
        raise TunepassError(f"{output} is the file that is read; write to another")
    write_text(output, text)
    return output


def _foreign(options: argparse.Namespace, file: EmittedFile) -> Answer:
    """Answer for a file that a plug-in's door converted."""
    for word in ("param", "constraint", "size", "source", "kernel"):
        if vars(options)[word]:
            raise TunepassError(f"--{word} is about built-in formats; {options.file} is read by a plug-in")
    output = _written(options, file.name, file.text, (options.file,))
    data: Json = {"name": file.name, "output": str(output) if output else None}
    return Answer(file.text.rstrip("\n") if output is None else f"wrote {output}", data)


def _model(options: argparse.Namespace, model: ImportedModel) -> Answer:
    """A model with a search space of NNI."""
    for word in ("param", "constraint", "size", "kernel"):
        if vars(options)[word]:
            raise TunepassError(f"--{word} is about kernels; {options.file} is a search space of NNI")
    output = _written(options, model.name, model.text, (options.file, *options.source))
    kernel, notes = model.kernel, tuple(f"note: {note}" for note in model.notes)
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    counted = space.finite and space.complete
    data: Json = {
        "kernel": kernel.name,
        "language": kernel.language,
        "parameters": {p.name: _listed(p) for p in kernel.parameters},
        "constraints": [c.text for c in kernel.constraints],
        "dense": space.dense if space.finite else None,
        "feasible": space.size if counted else None,
        "complete": True,
        "notes": list(model.notes),
        "output": str(output) if output else None,
    }
    if output is None:
        return Answer(model.text.rstrip("\n"), data, notes=notes)
    return Answer(f"{kernel.name}: {len(kernel.parameters)} parameters\nwrote {output}", data, notes=notes)


def _answer(foreign: Imported, output: Path | None) -> Answer:
    kernel, space = foreign.kernel, foreign.kernel.space()
    dense = math.prod(len(p.values) for p in kernel.parameters)
    data: Json = {
        "kernel": kernel.function,
        "language": kernel.language,
        "parameters": {p.name: list(p.values) for p in kernel.parameters},
        "constraints": list(kernel.constraints),
        "dense": dense,
        "feasible": space.size,
        "complete": foreign.whole,
        "notes": list(foreign.notes),
        "output": str(output) if output else None,
    }
    notes = tuple(f"note: {note}" for note in foreign.notes)
    if output is None:
        return Answer(foreign.text.rstrip("\n"), data, notes=notes)
    summary = f"{kernel.function}: {len(kernel.parameters)} parameters, {space.size:,} of {dense:,} configurations"
    return Answer(f"{summary}\nwrote {output}", data, notes=notes)


def _pair(word: str, option: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name.strip().isidentifier():
        raise TunepassError(f"{option} is written NAME=VALUE, got {word!r}")
    return name.strip(), value


def _number(name: str, text: str) -> int:
    if not text.isdigit() or len(text) > 15:
        raise TunepassError(f"--size {name}=N needs a whole number, got {text!r}")
    return int(text)


def _listed(parameter: Parameter) -> Json:
    """Its values; in words where they are too many."""
    if parameter.size is None or parameter.size > MOST_LISTED:
        return parameter.summary()
    return list(parameter.domain)
