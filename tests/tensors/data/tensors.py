"""Tensors, formats and coordinates for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from tunepass.ir.tensor import BoundFile, Element, Format, Level, Tensor
from tunepass.tensors.data.load import load
from tunepass.tensors.data.pack import unpack
from tunepass.tensors.data.stored import DTYPE_OF, Coordinates, StoredTensor

CSR = Format(("dense", "compressed"), (0, 1))
CSC = Format(("dense", "compressed"), (1, 0))
DCSR = Format(("compressed", "compressed"), (0, 1))
LEVELS: tuple[Level, ...] = ("dense", "compressed")


def tensor(format: Format = CSR, element: Element = "double") -> Tensor:
    return Tensor(name="B", index=tuple("ijkl"[: len(format.levels)]), format=format, element=element)


def loaded(path: Path, format: Format = CSR, element: Element = "double") -> StoredTensor:
    return load(BoundFile("B", Path(path.name)), tensor(format, element), path.parent, None)


def dense(stored: StoredTensor) -> NDArray[np.float64]:
    """As an array by mode."""
    return dense_of(unpack(stored))


def dense_of(coordinates: Coordinates) -> NDArray[np.float64]:
    array = np.zeros(coordinates.extents)
    np.add.at(array, tuple(coordinates.indices), coordinates.values)
    return array


@st.composite
def formats(draw: st.DrawFn, modes: int) -> Format:
    levels = tuple(draw(st.sampled_from(LEVELS)) for _ in range(modes))
    return Format(levels, tuple(draw(st.permutations(range(modes)))))


@st.composite
def coordinates(draw: st.DrawFn, modes: int, element: Element = "double") -> Coordinates:
    """Few entries in small extents, so that duplicates and empty segments are common."""
    extents = tuple(draw(st.integers(1, 5)) for _ in range(modes))
    count = draw(st.integers(0, 12))
    indices = np.array([[draw(st.integers(0, e - 1)) for _ in range(count)] for e in extents], np.int32)
    values = np.array([draw(st.integers(-9, 9)) for _ in range(count)], DTYPE_OF[element])
    return Coordinates(extents, indices.reshape(modes, count), values)
