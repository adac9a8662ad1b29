"""Configurations as CSV or Parquet, a chunk of rows at a time, however many there are."""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from tunepass.diagnostics import TunepassError
from tunepass.interchange.search_spaces import spelt
from tunepass.space.columns import Columns
from tunepass.space.parameter import Parameter


def write_csv(file: BinaryIO, parameters: Sequence[Parameter], chunks: Iterator[Columns]) -> None:
    """A column a parameter, as `estimate --configs` reads it."""
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([p.name for p in parameters])
    for chunk in chunks:
        writer.writerows(zip(*(map(_cell, values) for values in _values(parameters, chunk).values())))
    text.flush()
    text.detach()


def write_parquet(file: BinaryIO, parameters: Sequence[Parameter], chunks: Iterator[Columns]) -> None:
    """The same in columns of their types, a row group a chunk."""
    arrow, parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
    schema = arrow.schema([(p.name, arrow.array([spelt(p.default)]).type) for p in parameters])
    with parquet.ParquetWriter(file, schema) as writer:
        for chunk in chunks:
            writer.write_table(arrow.table(_values(parameters, chunk), schema=schema))


def _values(parameters: Sequence[Parameter], chunk: Columns) -> Mapping[str, list[bool | int | float | str]]:
    return {p.name: [spelt(value) for value in p.values(chunk[p.name])] for p in parameters}


def _cell(value: bool | int | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _arrow(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise TunepassError(
            "Parquet needs the package pyarrow, which is not installed",
            hint="pip install 'tunepass[parquet]', or write .csv",
        ) from None
