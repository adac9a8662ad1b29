"""Entries as they are read, block by block, each checked before it is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.ir.tensor import Element
from tunepass.tensors.data.numbers import NumberBlock
from tunepass.tensors.data.stored import DTYPE_OF, LARGEST_INT, LARGEST_OF, Coordinates, Int32s, Values

LARGEST_EXACT = 2**53  # up to which a double holds every integer


class Entries:
    """Checked entries of one tensor; what is kept grows with what was read, never with what a header states."""

    def __init__(self, modes: int, element: Element):
        self.count = 0
        self._modes = modes
        self._element = element
        self._indices: list[Int32s] = []  # each (modes, n)
        self._values: list[Values] = []  # each (n,)

    def add(self, indices: Int32s, values: Values) -> None:
        """Indices (modes, n), counted from 0."""
        self.count += values.size
        self._indices.append(indices)
        self._values.append(values)

    def coordinates(self, extents: Sequence[int]) -> Coordinates:
        """All of them; the blocks are let go."""
        indices = np.concatenate([np.zeros((self._modes, 0), np.int32), *self._indices], axis=1)
        self._indices.clear()
        values = np.concatenate([np.zeros(0, DTYPE_OF[self._element]), *self._values])
        self._values.clear()
        return Coordinates(tuple(extents), indices, values)


def indices_of(block: NumberBlock, extents: Sequence[int | None]) -> Int32s:
    """The first columns of a block as indices counted from 0, (modes, n). Raises SourceError for what is none, or is
    outside of an extent."""
    indices = np.empty((len(extents), len(block.numbers)), np.int32)
    for mode, extent in enumerate(extents):
        column = block.numbers[:, mode]
        name = f"index {mode + 1}"
        block.refuse(column != np.floor(column), mode, f"{name} is {{}}, which is no integer")
        block.refuse(
            column < 1,
            mode,
            f"{name} is {{}}: indices count from 1",
            "a file that counts from 0 needs 1 added to each index",
        )
        if extent is None:
            block.refuse(column > LARGEST_INT, mode, f"{name} is {{}}: at most {LARGEST_INT:,}, C's int, is read")
        else:
            block.refuse(column > extent, mode, f"{name} is {{}}, and its mode has extent {extent}")
        indices[mode] = column
        indices[mode] -= 1
    return indices


def values_of(block: NumberBlock, column: int, element: Element) -> Values:
    """A column of a block as values (n,). Raises SourceError for what is infinite, no number or does not fit."""
    numbers = block.numbers[:, column]
    if numbers.dtype == np.float64:
        block.refuse(
            ~np.isfinite(numbers), column, "the value {} is not finite: nothing computed from it can be checked"
        )
    if element in ("int", "long"):
        message = f"the value {{}} is no integer, and the tensor is declared {element}"
        block.refuse(numbers != np.floor(numbers), column, message, "declare it double")
    outside = np.abs(numbers) > LARGEST_OF[element]
    wider = {"int": "long", "float": "double", "long": "double"}.get(element)
    hint = f"declare it {wider}" if wider else None
    block.refuse(outside, column, f"the value {{}} does not fit into {element}", hint)
    if element == "long" and numbers.dtype == np.float64:
        message = "the value {} is too large to be read exactly beside values with a decimal point"
        block.refuse(np.abs(numbers) > LARGEST_EXACT, column, message, "write all values as integers")
    return numbers.astype(DTYPE_OF[element])
