"""Configurations as CSV or Parquet, a chunk of rows at a time, however many there are."""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, BinaryIO

from tunepass.diagnostics import TunepassError
from tunepass.interchange.conditions import plain_value
from tunepass.space.activity import Activity
from tunepass.space.columns import Columns
from tunepass.space.parameter import Parameter

TableCell = bool | int | float | str | None


def csv_head(parameters: Sequence[Parameter]) -> str:
    return _csv([[p.name for p in parameters]])


def csv_rows(parameters: Sequence[Parameter], chunk: Columns) -> str:
    """A column a parameter, as `estimate --configs` reads it."""
    return _csv(zip(*(map(_cell, values) for values in _values(parameters, chunk).values())))


def _csv(rows: Iterable[Iterable[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_csv(file: BinaryIO, parameters: Sequence[Parameter], texts: Iterable[str]) -> None:
    """The texts are those of `csv_rows`."""
    for text in chain([csv_head(parameters)], texts):
        file.write(text.encode())


def parquet_rows(parameters: Sequence[Parameter], chunk: Columns) -> Any:
    """The same as a table of Arrow, in columns of their types."""
    arrow = _arrow("pyarrow")
    return arrow.table(_values(parameters, chunk), schema=_schema(parameters))


def write_parquet(file: BinaryIO, parameters: Sequence[Parameter], tables: Iterable[Any]) -> None:
    """The tables are those of `parquet_rows`, a row group each."""
    with _arrow("pyarrow.parquet").ParquetWriter(file, _schema(parameters)) as writer:
        for table in tables:
            writer.write_table(table)


def _schema(parameters: Sequence[Parameter]) -> Any:
    arrow = _arrow("pyarrow")
    return arrow.schema([(p.name, arrow.array([plain_value(p.default)]).type) for p in parameters])


def _values(parameters: Sequence[Parameter], chunk: Columns) -> Mapping[str, list[TableCell]]:
    """None for an inactive value."""
    table: dict[str, list[TableCell]] = {p.name: [plain_value(v) for v in p.values(chunk[p.name])] for p in parameters}
    for name, active in Activity(parameters).masks(chunk).items():
        table[name] = [value if has_value else None for value, has_value in zip(table[name], active.tolist())]
    return table


def _cell(value: TableCell) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _arrow(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise TunepassError(
            "Parquet needs the package pyarrow, which is not installed",
            hint="pip install 'tunepass[parquet]', or write .csv",
        ) from None
