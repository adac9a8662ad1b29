"""Stored tensors as files that can be mapped: one page of header, then the arrays, each at the start of a page.

| offset | type | what |
|---|---|---|
| 0 | 8 bytes | MAGIC, which ends with the version |
| 8 | u64 | bytes of the file |
| 16 | 32 bytes | SHA-256 of the file, these bytes being zero |
| 48 | 32 bytes | the key: SHA-256 of what the tensor was made of |
| 80 | u32, u32 | levels, element (its place in ELEMENTS) |
| 88 | u64, u64 | offset and number of vals |
| 128 + 64 l | u32, u32, u64 | of level l: kind (1 compressed), mode, extent |
| 144 + 64 l | 4 u64 | of level l: offset and number of pos, offset and number of crd |

Numbers are as this machine has them. A file is trusted as little as a data file: its digest tells damage, and its
structure is checked.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from tunepass.files import open_regular, writable_folder, write_bytes
from tunepass.ir.tensor import Element, Tensor
from tunepass.tensors.data.stored import DTYPE_OF, Int32s, StoredLevel, StoredTensor, Values
from tunepass.tensors.data.structure import well_formed

MAGIC = b"TPTNSR\x00\x01"
PAGE = 4096
MOST_BYTES = 4 << 30  # of all tensors in a folder
IDLE_S = 3600  # what was used since stays in any case: a build may be running on it
ELEMENTS: tuple[Element, ...] = ("double", "float", "int", "long")
_START = struct.Struct("=8sQ32s32sIIQQ")
_LEVEL = struct.Struct("=IIQQQQQ16x")
_LEVELS_AT = 128  # in the first page there is room for 62
_DIGEST = slice(16, 48)


@dataclass(frozen=True, slots=True)
class ArrayPlace:
    """Place of an array in the file, in bytes, and its number of elements. `vals` belong to no level."""

    level: int | None
    array: Literal["pos", "crd", "vals"]
    offset: int
    count: int


class _Damaged(Exception):
    """The file is not what was written."""


def cache_path(folder: Path, key: bytes) -> Path:
    return folder / f"{key.hex()[:32]}.tensor"


def write_cached(folder: Path, key: bytes, tensor: StoredTensor) -> Path:
    """The path of the file, which is whole or as it was before. Raises TunepassError when it cannot be written."""
    writable_folder(folder)
    path = cache_path(folder, key)
    write_bytes(path, _encoded(key, tensor), durable=False)
    _thin(folder)
    return path


def _thin(folder: Path) -> None:
    """Tensors go that were not used for the longest time, down to MOST_BYTES; none that may be in use."""
    files = [(path.stat().st_mtime, path.stat().st_size, path) for path in folder.glob("*.tensor")]
    total = sum(size for _, size, _ in files)
    for used, size, path in sorted(files):
        if total <= MOST_BYTES or used > time.time() - IDLE_S:
            return
        path.unlink(missing_ok=True)
        total -= size


def read_cached(folder: Path, key: bytes, tensor: Tensor) -> StoredTensor | None:
    """The tensor with arrays mapped from its file, read-only; None where there is no such file, or it is damaged."""
    path = cache_path(folder, key)
    try:
        with open_regular(path) as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        read = _decoded(path, data, key, tensor)
        os.utime(path)
        return read
    except (OSError, ValueError, struct.error, _Damaged):  # ValueError: an empty file cannot be mapped
        return None


def array_places(tensor: StoredTensor) -> tuple[ArrayPlace, ...]:
    """Places of a tensor's arrays in its file: pos and crd of each compressed level, then vals."""
    places = []
    offset = PAGE
    for number, level in enumerate(tensor.levels):
        if level.pos is not None and level.crd is not None:
            places.append(ArrayPlace(number, "pos", offset, level.pos.size))
            offset = _next_page(offset + level.pos.nbytes)
            places.append(ArrayPlace(number, "crd", offset, level.crd.size))
            offset = _next_page(offset + level.crd.nbytes)
    return (*places, ArrayPlace(None, "vals", offset, tensor.vals.size))


def _encoded(key: bytes, tensor: StoredTensor) -> bytearray:
    places = array_places(tensor)
    last = places[-1]
    data = bytearray(last.offset + tensor.vals.nbytes)
    element = ELEMENTS.index(tensor.element)
    levels = len(tensor.levels)
    _START.pack_into(data, 0, MAGIC, len(data), bytes(32), key, levels, element, last.offset, last.count)
    where = {(place.level, place.array): place for place in places}
    nowhere = ArrayPlace(None, "pos", 0, 0)
    for number, (level, mode) in enumerate(zip(tensor.levels, tensor.format.order)):
        pos, crd = (where.get((number, array), nowhere) for array in ("pos", "crd"))
        at = _LEVELS_AT + number * _LEVEL.size
        kind = int(level.kind == "compressed")
        _LEVEL.pack_into(data, at, kind, mode, level.extent, pos.offset, pos.count, crd.offset, crd.count)
        if level.pos is not None and level.crd is not None:
            _put(data, pos, level.pos)
            _put(data, crd, level.crd)
    _put(data, last, tensor.vals)
    data[_DIGEST] = _digest(data)
    return data


def _put(data: bytearray, place: ArrayPlace, array: Values) -> None:
    data[place.offset : place.offset + array.nbytes] = np.ascontiguousarray(array).data.cast("B")


def _decoded(path: Path, data: mmap.mmap, key: bytes, tensor: Tensor) -> StoredTensor:
    format = tensor.format
    magic, size, digest, stored_key, levels, element, offset, count = _START.unpack_from(data)
    expected = (MAGIC, len(data), key, len(format.levels), ELEMENTS.index(tensor.element))
    if (magic, size, stored_key, levels, element) != expected or _digest(data) != digest:
        raise _Damaged
    stored = []
    extents = [0] * levels
    places = []
    for number, (kind, mode) in enumerate(zip(format.levels, format.order)):
        code, stored_mode, extent, *rest = _LEVEL.unpack_from(data, _LEVELS_AT + number * _LEVEL.size)
        if (code, stored_mode) != (int(kind == "compressed"), mode):
            raise _Damaged
        extents[mode] = extent
        if kind == "compressed":
            pos, crd = ArrayPlace(number, "pos", rest[0], rest[1]), ArrayPlace(number, "crd", rest[2], rest[3])
            places += [pos, crd]
            stored.append(StoredLevel(kind, extent, _ints(data, pos), _ints(data, crd)))
        else:
            stored.append(StoredLevel(kind, extent))
    places.append(ArrayPlace(None, "vals", offset, count))
    read = StoredTensor(
        name=tensor.name,
        extents=tuple(extents),
        format=format,
        element=tensor.element,
        levels=tuple(stored),
        vals=np.frombuffer(data, DTYPE_OF[tensor.element], count, offset),
        path=path,
    )
    if tuple(places) != array_places(read) or not well_formed(read):
        raise _Damaged
    return read


def _ints(data: mmap.mmap, place: ArrayPlace) -> Int32s:
    return np.frombuffer(data, np.int32, place.count, place.offset)


def _digest(data: mmap.mmap | bytearray) -> bytes:
    with memoryview(data) as whole:
        digest = hashlib.sha256(whole[: _DIGEST.start])
        digest.update(bytes(_DIGEST.stop - _DIGEST.start))
        digest.update(whole[_DIGEST.stop :])
    return digest.digest()


def _next_page(offset: int) -> int:
    return -(-offset // PAGE) * PAGE
