"""Configurations as people write them: `TILE=96,PAR=4`, and tables whose columns are parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from tunepass.diagnostics import Source, SpaceError, Span, spelling_hint
from tunepass.space.activity import Activity
from tunepass.space.assignments import completed
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of text without the blanks around it, and where it stands."""

    text: str
    span: Span


def assigned(text: str, parameters: Sequence[Parameter], start: Configuration) -> Configuration:
    """`start` with what `text` sets: `TILE=96,PAR=4`."""
    source = Source("--set", text)
    by_name = {p.name: p for p in parameters}
    values: dict[str, Value] = dict(start)
    seen: set[str] = set()
    for cell in _cells(source, 0, len(text)):
        name, equals, value = cell.text.partition("=")
        if not equals:
            raise SpaceError(f"expected NAME=VALUE, got {cell.text!r}", cell.span, "for example --set TILE=96,PAR=4")
        name = name.strip()
        named = Span(source, cell.span.start, cell.span.start + len(name))
        if name not in by_name:
            _unknown(name, by_name, named)
        if name in seen:
            raise SpaceError(f"{name} is set twice", named)
        seen.add(name)
        value_start = cell.span.end - len(value.lstrip())
        values[name] = value_of(
            by_name[name], Cell(value.strip(), Span(source, min(value_start, len(text) - 1), cell.span.end))
        )
    return completed(parameters, Activity(parameters), values)


def tabled(
    source: Source, parameters: Sequence[Parameter], start: Configuration, ignored: Collection[str] = ()
) -> list[Configuration]:
    """A configuration a row. The first row names the columns; a parameter without a column is as in `start`, and the
    columns called as in `ignored` are left alone."""
    rows = _rows(source)
    header = next(rows, None)
    if header is None:
        raise SpaceError(f"{source.name} is empty", hint="its first line names the parameters")
    readers, activity = _readers(header, parameters, ignored), Activity(parameters)
    configurations = []
    for row in rows:
        if len(row) != len(header):
            end = row[-1].span.end
            raise SpaceError(
                f"a row has {len(header)} cells like the first line, got {len(row)}",
                Span(source, row[0].span.start, end),
            )
        values = {p.name: read(cell) for (p, read), cell in zip(readers, row) if p is not None and _has_value(p, cell)}
        configurations.append(completed(parameters, activity, {**start, **values}))
    if not configurations:
        raise SpaceError(f"{source.name} has no rows below its first line")
    return configurations


def _has_value(parameter: Parameter, cell: Cell) -> bool:
    """The cell of an inactive parameter is empty."""
    return parameter.when is None or bool(cell.text)


Reader = tuple[Parameter | None, Callable[[Cell], Value]]


def _readers(header: Sequence[Cell], parameters: Sequence[Parameter], ignored: Collection[str]) -> list[Reader]:
    by_name = {p.name: p for p in parameters}
    seen: set[str] = set()
    readers: list[Reader] = []
    for cell in header:
        if cell.text in seen:
            raise SpaceError(f"column {cell.text!r} is there twice", cell.span)
        seen.add(cell.text)
        parameter = by_name.get(cell.text)
        if parameter is None and cell.text not in ignored:
            _unknown(cell.text, by_name, cell.span)
        readers.append((parameter, _remembering(parameter)))
    return readers


def _remembering(parameter: Parameter | None) -> Callable[[Cell], Value]:
    """Reads cells of the parameter's column; a text seen before is not looked at again."""
    known: dict[str, Value] = {}

    def read(cell: Cell) -> Value:
        if cell.text not in known:
            known[cell.text] = cell.text if parameter is None else value_of(parameter, cell)
        return known[cell.text]

    return read


def value_of(parameter: Parameter, cell: Cell) -> Value:
    """The value that the cell spells. Raises SpaceError, at the cell, for one that the parameter does not take."""
    value = parameter.parse(cell.text)
    if value is None:
        raise SpaceError(f"{parameter.name} does not take {cell.text!r}", cell.span, parameter.expected(cell.text))
    return value


def _unknown(name: str, known: Mapping[str, Parameter], span: Span) -> NoReturn:
    hint = spelling_hint(name, known, f"the parameters are {', '.join(known) or 'none'}", quote=repr)
    raise SpaceError(f"there is no parameter {name!r}", span, hint)


def _rows(source: Source) -> Iterator[list[Cell]]:
    """The cells of every line that is not blank."""
    text, line_start = source.text, 1 if source.text.startswith("\ufeff") else 0
    while line_start < len(text):
        end = text.find("\n", line_start)
        end = len(text) if end < 0 else end
        if text[line_start:end].strip():
            yield list(_cells(source, line_start, end))
        line_start = end + 1


def _cells(source: Source, start: int, end: int) -> Iterator[Cell]:
    cell_start = start
    while cell_start <= end:
        comma = source.text.find(",", cell_start, end)
        stop = end if comma < 0 else comma
        piece = source.text[cell_start:stop]
        first = cell_start + len(piece) - len(piece.lstrip())
        word = piece.strip()
        last = max(first + len(word), first + 1)
        if len(word) > 1 and word[0] == word[-1] == '"':
            word = word[1:-1]
        yield Cell(word, Span(source, min(first, stop), last))
        cell_start = stop + 1
