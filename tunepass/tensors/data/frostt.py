"""Tensors as FROSTT has them (http://frostt.io/tensors/file-formats.html): a line for each entry, its indices counted
from 1 and its value; no header."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import SourceError
from tunepass.ir.tensor import Element
from tunepass.tensors.data.entries import Entries, indices_of, values_of
from tunepass.tensors.data.numbers import number_blocks
from tunepass.tensors.data.stored import Coordinates
from tunepass.tensors.data.text_stream import LineStream


def read_frostt(stream: LineStream, element: Element, extents: Sequence[int | None]) -> Coordinates:
    """Entries of a tensor with so many modes; an extent that is None is the largest index. Raises SourceError."""
    entries = Entries(len(extents), element)
    what = (*(f"index {mode}" for mode in range(1, len(extents) + 1)), "value")
    largest = [extent or 1 for extent in extents]
    for block in number_blocks(stream, what, integers=element in ("int", "long")):
        indices = indices_of(block, extents)
        entries.add(indices, values_of(block, len(extents), element))
        largest = [max(old, int(index.max()) + 1) for old, index in zip(largest, indices)]
    if not entries.count and None in extents:
        raise SourceError(f"{stream.name} has no entry, so its extents are not known", hint="state them: dim i = 100")
    return entries.coordinates(largest)
