"""Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html): matrices, vectors and, as TACO writes them,
tensors; coordinate and array; real, integer and pattern; general, symmetric and skew-symmetric."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tunepass.diagnostics import SourceError
from tunepass.ir.tensor import Element
from tunepass.tensors.data.entries import Entries, indices_of, values_of
from tunepass.tensors.data.market_header import MarketHeader, read_market_header
from tunepass.tensors.data.numbers import NumberBlock, number_blocks
from tunepass.tensors.data.stored import DTYPE_OF, Coordinates, Int64s
from tunepass.tensors.data.text_stream import LineStream


def read_matrix_market(stream: LineStream, element: Element, modes: int) -> Coordinates:
    """Entries as the file has them, and those that symmetry adds; of an array those that are not zero. For one mode a
    matrix of one column or row will do. Raises SourceError."""
    header = read_market_header(stream)
    if len(header.extents) != modes and not (modes == 1 and len(header.extents) == 2 and 1 in header.extents):
        raise SourceError(f"{modes} indices are expected, and this has {len(header.extents)}", header.sizes)
    entries = Entries(len(header.extents), element)
    lines = 0
    for block in _counted_blocks(stream, header, element):
        if header.layout == "coordinate":
            _add_coordinates(entries, header, block, element)
        else:
            _add_array(entries, header, block, lines, element)
        lines += len(block.numbers)
    if lines < header.entries:
        raise SourceError(
            f"{header.entries} entries are stated, and {stream.name} ends after {lines}",
            header.sizes,
            "the file is truncated, or the number is wrong",
        )
    return entries.coordinates(header.extents)


def _counted_blocks(stream: LineStream, header: MarketHeader, element: Element) -> Iterator[NumberBlock]:
    """The blocks of numbers, not more of them than stated."""
    indices = tuple(f"index {mode}" for mode in range(1, len(header.extents) + 1))
    columns = (*(indices if header.layout == "coordinate" else ()), *(("value",) if header.field != "pattern" else ()))
    left = header.entries
    integers = element in ("int", "long") or "integer" in header.field
    for block in number_blocks(stream, columns, integers=integers):
        if len(block.numbers) > left:
            raise SourceError(
                f"line {header.sizes.line} states {header.entries} entries, and this is one more",
                block.span(left, 0),
                "correct the number, or remove what is too much",
            )
        left -= len(block.numbers)
        yield block


def _add_coordinates(entries: Entries, header: MarketHeader, block: NumberBlock, element: Element) -> None:
    indices = indices_of(block, header.extents)
    if header.field == "pattern":
        values = np.ones(len(block.numbers), DTYPE_OF[element])
    else:
        values = values_of(block, len(header.extents), element)
    entries.add(indices, values)
    if header.symmetry != "general":
        diagonal = indices[0] == indices[1]
        skew = header.symmetry == "skew-symmetric"
        if skew:
            block.refuse(diagonal & (values != 0), 0, "a skew-symmetric matrix has no entry on its diagonal")
        mirrored = values[~diagonal]
        entries.add(indices[::-1, ~diagonal], -mirrored if skew else mirrored)


def _add_array(entries: Entries, header: MarketHeader, block: NumberBlock, before: int, element: Element) -> None:
    """The first mode varies fastest; `before` numbers stand in blocks before this one."""
    values = values_of(block, 0, element)
    filled = np.flatnonzero(values)
    values = values[filled]
    places = filled + before
    if header.symmetry == "general":
        indices = np.empty((len(header.extents), values.size), np.int32)
        for mode, extent in enumerate(header.extents):
            places, indices[mode] = np.divmod(places, extent)
        entries.add(indices, values)
        return
    skew = header.symmetry == "skew-symmetric"
    columns, rows = _triangle(places, header.extents[0] - skew)
    rows += skew
    entries.add(np.stack([rows, columns]).astype(np.int32), values)
    off = rows != columns
    entries.add(np.stack([columns, rows]).astype(np.int32)[:, off], -values[off] if skew else values[off])


def _triangle(places: Int64s, extent: int) -> tuple[Int64s, Int64s]:
    """Columns and rows of a lower triangle's numbers, which stand column by column."""

    def start(column: Int64s) -> Int64s:
        return column * extent - column * (column - 1) // 2

    double = 2 * extent + 1
    columns = np.floor((double - np.sqrt(np.maximum(float(double) ** 2 - 8.0 * places, 0))) / 2).astype(np.int64)
    columns -= start(columns) > places  # the square root is rounded
    columns += start(columns + 1) <= places
    return columns, places - start(columns) + columns
