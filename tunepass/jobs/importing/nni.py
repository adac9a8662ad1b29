"""A model with the search space of NNI or ConfigSpace beside it, and DnnSAT's limits: as one source with comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import Source, TunepassError
from tunepass.files import shown
from tunepass.interchange.configspace import is_configspace as is_configspace
from tunepass.interchange.configspace import read_configspace
from tunepass.interchange.nni import is_nni as is_nni
from tunepass.interchange.nni import read_limits, read_search_space
from tunepass.ir.kernel import Kernel
from tunepass.jobs.reading import parse, read_source

FIRST = re.compile(r"(#!.*\n)?(#.*coding[:=].*\n)?")  # lines that have to stay the first


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """`kernel` is what the written source `text` is read as; `notes` are what could not be taken over."""

    kernel: Kernel
    text: str
    name: str
    notes: tuple[str, ...]


def imported_model(path: Path, space: Source, sources: Sequence[Path]) -> ImportedModel:
    """`space` is the search space at `path`; `sources` are the model (.py), and constraint files (.json)."""
    models = [file for file in sources if file.suffix == ".py"]
    if len(models) != 1:
        raise TunepassError(
            f"{shown(path)} is a search space: name the one model that it is of",
            hint=f"tunepass import {shown(path)} --source train.py --source constraints.json",
        )
    params, constraints = (read_search_space(space), ()) if is_nni(space) else read_configspace(space)
    lines = [f"# tunepass param {text}\n" for text in params]
    lines += [f"# tunepass constraint {text}\n" for text in constraints]
    notes: list[str] = []
    for file in sources:
        if file.suffix == ".py":
            continue
        for limit in read_limits(read_source(file)):
            lines.append(f"# tunepass limit {limit.resource} <= {limit.most}\n")
            if limit.least > 0:
                notes.append(
                    f"a least amount is a limit of the command line: --limit '{limit.resource}>={limit.least}'"
                )
    model = read_source(models[0])
    start = FIRST.match(model.text)
    at = start.end() if start else 0
    text = model.text[:at] + "".join(lines) + model.text[at:]
    (kernel,) = parse(Source(model.name, text)).kernels
    return ImportedModel(kernel, text, models[0].name, tuple(notes))
