"""Pruned spaces as files, by the file's name: spaces of other tuners, configurations, or SMT-LIB."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tunepass.diagnostics import SpaceError, TunepassError, spelling_hint
from tunepass.expr.nodes import CategoryType
from tunepass.files import scratch_folder, write_text
from tunepass.interchange import configuration_tables, search_spaces
from tunepass.interchange.conditions import Json
from tunepass.interchange.optuna_program import optuna_program
from tunepass.interchange.reduced import reduced
from tunepass.interchange.space_file import space_json
from tunepass.pruning.base import Limit, Share
from tunepass.pruning.prune import PruningResult
from tunepass.pruning.smt import smt_script
from tunepass.space.activity import Activity
from tunepass.space.parameter import Parameter
from tunepass.spread import Spread, in_turn

# A format -> what a file's name ends with that is in it.
FORMATS = {
    "space": ".space.json",
    "nni": ".nni.json",
    "optuna": ".optuna.json",
    "optuna-program": ".optuna.py",
    "configspace": ".configspace.json",
    "csv": ".csv",
    "parquet": ".parquet",
    "smt2": ".smt2",
}
NNI_NAME = "search_space.json"  # what NNI calls it


def format_of(path: Path, named: str | None) -> str:
    """The format that is asked for, or that the file's name says. TunepassError where neither does."""
    if named is not None:
        if named not in FORMATS:
            hint = spelling_hint(named, FORMATS, quote=repr)
            raise TunepassError(f"no format {named!r}; known: {', '.join(FORMATS)}", hint=hint)
        return named
    if path.name == NNI_NAME:
        return "nni"
    file_format = next((name for name, suffix in FORMATS.items() if path.name.endswith(suffix)), None)
    if file_format is None:
        suffixes = ", ".join(FORMATS.values())
        raise TunepassError(f"-o takes a name that ends in {suffixes}, got {str(path)!r}", hint="or name it with --as")
    return file_format


def write_pruned(
    pruned: PruningResult, limits: Sequence[Limit], path: Path, form: str, title: str, spread: Spread = in_turn
) -> None:
    """Replaces the file whole; the same file whoever makes its parts."""
    if form == "smt2":
        write_text(
            path, "".join(f"{line}\n" for line in smt_script(pruned.parameters, pruned.constraints, limits, title))
        )
        return
    if not pruned.left.high:
        raise TunepassError(f"nothing is left to be written to {path}")
    if form in ("csv", "parquet"):
        _write_table(pruned, path, form, spread)
        return
    domains = pruned.remaining.kept()
    if form == "space":  # whose constraints may compare with any of the strings
        domains = {p.name: domains[p.name] for p in pruned.parameters if p.name in domains and not is_category(p)}
    parameters, activity = reduced(pruned.parameters, domains), Activity(pruned.parameters)
    if form == "optuna-program":
        write_text(path, optuna_program(parameters, title, activity))
        return
    data: Json
    if form == "nni":
        data = search_spaces.nni(parameters, activity)
    elif form == "optuna":
        data = search_spaces.optuna(parameters)
    elif form == "configspace":
        data = search_spaces.configspace(parameters, title, activity)
    else:
        written = [c for c in pruned.constraints if c not in activity.fillers]
        data = space_json(parameters, [*written, *(limit.constraint for limit in limits)])
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def is_category(p: Parameter) -> bool:
    return isinstance(p.type, CategoryType)


def _write_table(pruned: PruningResult, path: Path, form: str, spread: Spread) -> None:
    listed: list[Parameter] = []
    for p in pruned.parameters:
        if p.size is None:
            raise SpaceError(f"{p.name} is a real number: not every configuration can be listed", p.span)
        listed.append(p)
    target = Path(os.path.realpath(path))
    work = partial(_csv_rows if form == "csv" else _parquet_rows, tuple(listed))
    with scratch_folder(target.parent) as scratch:
        with open(scratch / "table", "wb") as file:
            parts = spread(work, pruned.remaining.shares())
            if form == "csv":
                configuration_tables.write_csv(file, listed, parts)
            else:
                configuration_tables.write_parquet(file, listed, parts)
        os.replace(scratch / "table", target)


def _csv_rows(parameters: Sequence[Parameter], share: Share) -> str:
    return configuration_tables.csv_rows(parameters, share.columns())


def _parquet_rows(parameters: Sequence[Parameter], share: Share) -> Any:
    return configuration_tables.parquet_rows(parameters, share.columns())
