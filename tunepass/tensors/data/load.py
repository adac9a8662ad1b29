"""From what a kernel binds to a tensor to its numbers, level by level: the one entry point for backends."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tunepass.diagnostics import EnvironmentFault, SourceError, Span, TunepassError
from tunepass.files import cannot_read, note_read, open_regular, shown
from tunepass.ir.tensor import BoundFile, Data, Tensor
from tunepass.tensors.data.cache import read_cached, write_cached
from tunepass.tensors.data.families.resolve import draw, resolve
from tunepass.tensors.data.frostt import read_frostt
from tunepass.tensors.data.market_header import MOST_MODES
from tunepass.tensors.data.matrix_market import read_matrix_market
from tunepass.tensors.data.pack import pack
from tunepass.tensors.data.stored import Coordinates, StoredTensor
from tunepass.tensors.data.text_stream import line_stream

VERSION = 1  # of what readers, generators and packing make of the same input
FROSTT = (".tns", ".tns.gz")
MATRIX_MARKET = (".mtx", ".mtx.gz", ".ttx", ".ttx.gz", ".mm", ".mm.gz")

Extents = tuple[int | None, ...]


def load(
    datum: Data, tensor: Tensor, source_folder: Path, cache_folder: Path | None, extents: Extents = ()
) -> StoredTensor:
    """The tensor that `datum` binds, packed in its format: from the cache, or read, and cached where there is a folder.
    `extents` are those stated elsewhere, by mode, None where none is. Raises SourceError."""
    stated = extents or (None,) * len(tensor.index)
    with _placed(datum.span):
        if len(tensor.index) > MOST_MODES:
            raise SourceError(f"{tensor.name} has {len(tensor.index)} modes; data are bound to at most {MOST_MODES}")
        content = _content(datum, source_folder)
        key = _key(content, tensor, stated)
        if cache_folder is not None and (cached := read_cached(cache_folder, key, tensor)) is not None:
            return cached
        if isinstance(datum, BoundFile):
            coordinates = _read(source_folder / datum.path, tensor, stated)
        else:
            coordinates = draw(datum, tensor)
        _check_extents(coordinates, stated, tensor)
        stored = pack(tensor.name, coordinates, tensor.format, tensor.element)
        if cache_folder is None:
            return stored
        if _content(datum, source_folder) != content:
            raise SourceError(f"the data of {tensor.name} were changed while they were read", hint="try again")
        return replace(stored, path=write_cached(cache_folder, key, stored))


def _read(path: Path, tensor: Tensor, stated: Extents) -> Coordinates:
    modes = len(tensor.index)
    name = path.name.lower()
    with line_stream(path) as stream:
        if name.endswith(FROSTT):
            return read_frostt(stream, tensor.element, stated)
        if name.endswith(MATRIX_MARKET):
            return _with_modes(read_matrix_market(stream, tensor.element, modes), modes)
    raise SourceError(
        f"{shown(path)} is of no known format",
        hint=f"read are Matrix Market ({', '.join(MATRIX_MARKET[::2])}) and FROSTT (.tns) files, each also as .gz",
    )


def _with_modes(coordinates: Coordinates, modes: int) -> Coordinates:
    """A matrix of one column or row as the vector that it is."""
    if len(coordinates.extents) == modes:
        return coordinates
    mode = 0 if coordinates.extents[1] == 1 else 1
    return Coordinates((coordinates.extents[mode],), coordinates.indices[mode : mode + 1], coordinates.values)


def _check_extents(coordinates: Coordinates, stated: Extents, tensor: Tensor) -> None:
    for extent, other, variable in zip(coordinates.extents, stated, tensor.index):
        if other is not None and other != extent:
            raise SourceError(
                f"{tensor.name} has extent {extent} for {variable}, where {other} is stated",
                hint=f"leave out what states the extent of {variable}, or bind a tensor that has it",
            )


def _content(datum: Data, source_folder: Path) -> bytes:
    """A digest of all that makes the entries what they are."""
    if not isinstance(datum, BoundFile):
        return hashlib.sha256(repr(resolve(datum)).encode()).digest()
    path = source_folder / datum.path
    note_read(path)
    try:
        with open_regular(path) as file:
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
        return digest.digest()
    except (OSError, ValueError) as problem:
        raise cannot_read(path, problem, SourceError) from None


def _key(content: bytes, tensor: Tensor, stated: Extents) -> bytes:
    storage = (VERSION, content.hex(), tensor.format.levels, tensor.format.order, tensor.element, stated)
    return hashlib.sha256(repr(storage).encode()).digest()


@contextlib.contextmanager
def _placed(span: Span | None) -> Iterator[None]:
    """Give errors without a span that of the line which binds the data."""
    try:
        yield
    except EnvironmentFault:
        raise
    except TunepassError as error:
        if all(diagnostic.span is not None for diagnostic in error.diagnostics):
            raise
        raise SourceError(replace(d, span=d.span or span) for d in error.diagnostics) from None
