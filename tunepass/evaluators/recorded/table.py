"""Recorded spaces: `tunepass-recorded-space/1`, a JSON description beside a gzipped CSV with one row a configuration.

A complete table is the space its JSON states; what it lacks fails there. Of a sample, or where a constraint has no
translation, the space is exactly the recorded rows, unless the stated one is asked for. Files of Kernel Tuner are read
too (kernel_tuner.py).
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from tunepass.diagnostics import StudyError, TunepassError
from tunepass.evaluators.recorded.kernel_tuner import is_kernel_tuner, read_kernel_tuner
from tunepass.evaluators.recorded.recorded_space import RecordedSpace
from tunepass.expr.from_python import from_python
from tunepass.files import check_regular, read_utf8, shown
from tunepass.machine_faults import raise_machines
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical, Ordinal, Parameter, Permutation
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome

SCHEMA = "tunepass-recorded-space/1"
DESCRIPTION_LIMIT = 64 << 20  # bytes
TABLE_LIMIT, LINE_LIMIT = 4 << 30, 1 << 20  # characters

# How a recorded reason begins -> the stage it failed at; anything else is a failed run.
_STAGE_OF = {
    "Compilation": "compile",
    "impossible": "wrong_result",
    "wrong result": "wrong_result",
    "compute_time": "metric",
}


def read(path: str | Path, *, stated_space: bool = False) -> RecordedSpace:
    """The recorded space described by the JSON file at `path`; its rows are in the `.csv.gz` of the same name.

    With `stated_space` a sample is searched in the space its JSON states too: for a caller that answers, by a model of
    the rows, where there is none.
    """
    path = Path(path)
    if is_kernel_tuner(path):
        return read_kernel_tuner(path)
    stated = _stated(path)
    try:
        parameters = tuple(_parameter(p) for p in stated["parameters"])
        objectives = tuple(
            Objective(o["name"], unit=o.get("unit", ""), maximise=str(o["direction"]).startswith("max"))
            for o in stated["objectives"]
        )
        name, complete = str(stated["name"]), _is_complete(stated)
        space = _stated_space(stated, parameters) if stated_space or complete else None
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise StudyError(f"{shown(path)}: the description lacks {error}") from error
    if len({p.name for p in parameters}) < len(parameters) or not parameters or not objectives:
        raise StudyError(f"{shown(path)}: a description has parameters of distinct names, and objectives")
    outcomes, deviation = _rows(path.with_suffix(".csv.gz"), parameters, objectives)
    table_space = space or Space.from_table(list(outcomes), parameters)
    if space and outcomes:
        inside = space.contains_columns(space.columns(list(outcomes)))
        outcomes = {c: o for (c, o), within in zip(outcomes.items(), inside.tolist()) if within}
    return RecordedSpace(name, table_space, objectives, outcomes, deviation, space is not None)


def recorded_files(path: str | Path) -> tuple[Path, ...]:
    """The files that `read` reads of the recorded space at `path`."""
    path = Path(path)
    return (path,) if is_kernel_tuner(path) else (path, path.with_suffix(".csv.gz"))


def _stated(path: Path) -> dict[str, Any]:
    try:
        stated = json.loads(read_utf8(path, DESCRIPTION_LIMIT, StudyError))
    except (ValueError, RecursionError) as error:
        raise StudyError(f"cannot read the recorded space {shown(path)}: {error}") from None
    if not isinstance(stated, dict) or stated.get("schema") != SCHEMA:
        schema = stated.get("schema") if isinstance(stated, dict) else None
        raise StudyError(f"{path} is not a recorded space: its schema is {schema!r}, not {SCHEMA!r}")
    return stated


def _is_complete(stated: dict[str, Any]) -> bool:
    """Does the table hold every configuration of the space it states?"""
    size = (stated.get("space_size") or {}).get("satisfying_known_constraints")
    return str(stated.get("coverage") or "").startswith("complete") or size == stated.get("n_rows")


def _stated_space(stated: dict[str, Any], parameters: tuple[Parameter, ...]) -> Space | None:
    """None where a constraint has no translation."""
    fixed = stated.get("fixed") or {}
    inverse = {f"pos_{p.name}": p.name for p in parameters if not p.is_scalar}
    try:
        return Space(parameters, [from_python(text, fixed, inverse) for text in stated.get("constraints") or []])
    except TunepassError:
        return None


def _parameter(stated: dict[str, Any]) -> Parameter:
    name, domain, default, prior = stated["name"], stated["domain"], stated.get("default"), stated.get("prior")
    when = stated.get("when")
    match stated["kind"]:
        case "permutation":
            return Permutation(name, int(stated["length"]), default=_order(default) if default else None, when=when)
        case "categorical":
            return Categorical(name, domain, default=default, prior=prior, when=when)
        case "int" | "ordinal":
            log = "log" in f"{stated.get('scale', '')}{stated.get('transform', '')}" and min(domain) > 0
            shape = prior if isinstance(prior, str) else None
            return Ordinal(name, domain, log=log, default=default, prior=shape, when=when)
    raise StudyError(
        f"{name}: a recorded parameter is int, ordinal, categorical or permutation, got {stated['kind']!r}"
    )


Table = tuple[dict[Configuration, Outcome], dict[Configuration, dict[str, float]]]


def _rows(path: Path, parameters: tuple[Parameter, ...], objectives: tuple[Objective, ...]) -> Table:
    outcomes: dict[Configuration, Outcome] = {}
    deviation: dict[Configuration, dict[str, float]] = {}
    spelled = {p.name: {str(v): v for v in p.domain} for p in parameters if p.is_scalar}
    check_regular(path, StudyError)
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(_bounded(file, path)), start=2):
                try:
                    active = [p for p in parameters if p.when is None or row[p.name]]  # an inactive cell is empty
                    values = {p.name: _value(spelled.get(p.name), row[p.name]) for p in active}
                except (KeyError, ValueError, AttributeError) as error:
                    raise StudyError(f"{path}:{line}: no such value or column: {error}") from error
                configuration = Configuration(values)
                outcomes[configuration] = outcome = _outcome(row, objectives)
                if isinstance(outcome, Measured):
                    deviations = {o.name: _number(row.get(f"{o.name}_std")) for o in objectives}
                    deviation[configuration] = {name: std for name, std in deviations.items() if std is not None}
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise_machines(error)
        raise StudyError(f"cannot read the rows of a recorded space, {path}: {error}") from error
    return outcomes, deviation


def _bounded(file: TextIO, path: Path) -> Iterator[str]:
    """The lines, as long as they are not more than a table has: a few compressed bytes may unfold without end."""
    left = TABLE_LIMIT
    while line := file.readline(LINE_LIMIT + 1):
        left -= len(line)
        if left < 0 or len(line) > LINE_LIMIT:
            raise StudyError(f"{shown(path)} is larger than a table can be ({TABLE_LIMIT >> 30} GiB, a line 1 MiB)")
        yield line


def _value(spelled: Mapping[str, Value] | None, text: str) -> Value:
    """The domain's value that the cell spells; a permutation is written `0-2-1`."""
    if spelled is None:
        return _order(text)
    if text in spelled:
        return spelled[text]
    number = float(text)
    for value in spelled.values():
        if value == number:
            return value
    raise KeyError(text)


def _order(text: str) -> tuple[int, ...]:
    return tuple(int(item) for item in text.split("-"))


def _outcome(row: Mapping[str, str], objectives: tuple[Objective, ...]) -> Outcome:
    if row.get("valid", "1") != "1":
        reason = row.get("invalid_reason") or "recorded as not valid"
        stage = next((stage for start, stage in _STAGE_OF.items() if reason.startswith(start)), "run")
        return Failed(stage, reason)
    values = {o.name: _number(row.get(o.name)) for o in objectives}
    if missing := [name for name, value in values.items() if value is None]:
        return Failed("metric", f"no {', '.join(missing)} recorded")
    return Measured({name: value for name, value in values.items() if value is not None})


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "nan")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
