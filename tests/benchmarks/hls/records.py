"""Recorded tables of designs for FPGAs beside what the model says of the same kernels, written anew as HLS sources."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tunepass.evaluators.recorded.table import RecordedSpace, read
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.hwmodels.base import ONE
from tunepass.space.configuration import Value
from tunepass.space.parameter import Parameter
from tunepass.study.outcome import Measured

Floats = NDArray[np.float64]
SOURCES = Path(__file__).with_name("sources")


@dataclass(frozen=True, slots=True)
class Priced:
    """Over a table's parameters. `area` by the table's column; `lanes` is the baseline: 1 / (what the knobs ask to
    run at once). A search begins from `time` times `effort`."""

    time: Expr
    area: Mapping[str, Expr]
    fits: Expr
    lanes: Expr
    effort: Expr = ONE


@dataclass(frozen=True, slots=True)
class Entry:
    """A table. `kernel`: what is left out together. `time` is the column of times. `parameters` of the source encode
    the rows, where its expressions have categories."""

    table: str
    kernel: str
    time: str
    price: Callable[[], Priced] = field(compare=False, repr=False)
    parameters: Callable[[], tuple[Parameter, ...]] | None = field(default=None, compare=False, repr=False)
    negated: bool = False  # the column is log2 of work done in a time, not a time


@dataclass(frozen=True, slots=True)
class Compared:
    """Of each row: what was recorded (NaN where it failed) and what is predicted."""

    time: Floats
    predicted: Floats
    lanes: Floats
    area: Mapping[str, tuple[Floats, Floats]]  # recorded, predicted
    fits: NDArray[np.bool_]

    @property
    def valid(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.time)


@lru_cache(maxsize=64)
def recorded(data: Path, table: str) -> RecordedSpace:
    return read(data / f"{table}.json")


def fixed_of(data: Path, table: str) -> dict[str, Value]:
    """Parameters of which the table has one value."""
    fixed: dict[str, Value] = json.loads((data / f"{table}.json").read_text(encoding="utf-8"))["fixed"]
    return fixed


def compared(entry: Entry, data: Path, priced: Priced | None = None) -> Compared:
    table, said = recorded(data, entry.table), priced or entry.price()
    rows = list(table.outcomes)
    fixed = fixed_of(data, entry.table)
    columns = {
        p.name: p.column([row[p.name] if p.name in row else fixed[p.name] for row in rows])
        for p in (entry.parameters() if entry.parameters else table.space.parameters)
    }

    def values(e: Expr) -> Floats:
        found = evaluate_within(e, columns, len(rows))
        return np.where(found.defined, found.values.astype(np.float64), np.nan)

    def column(name: str) -> Floats:
        return np.array(
            [o.values.get(name, np.nan) if isinstance(o, Measured) else np.nan for o in table.outcomes.values()]
        )

    time = column(entry.time)
    return Compared(
        np.exp2(-time) if entry.negated else time,
        np.nan_to_num(values(said.time), nan=np.inf),
        values(said.lanes),
        {name: (column(name), values(e)) for name, e in said.area.items()},
        values(said.fits) > 0.5,
    )
