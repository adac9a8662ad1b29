"""Work of one iteration of a loop nest's body, in numbers: affine array accesses and operations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Element `offset + sum of stride * iteration` of `array`, over the loops in `strides`; others do not move it.

    Strides are in elements per iteration of the loop (steps and directions included), never 0. A scalar that outlives
    an iteration is an access without strides.
    """

    array: str
    element_byte: int
    strides: tuple[tuple[str, int], ...]
    offset: int = 0
    read: bool = True
    written: bool = False

    def stride(self, index: str) -> int:
        """Elements per iteration of the loop over `index`."""
        return dict(self.strides).get(index, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationWork:
    """One iteration: its distinct `accesses`, and how many operations of each sort it does on what it read.

    `trips` are the iterations of each loop, from the outside in. Additions, multiplications, comparisons and the like
    are `operations`; `divisions` includes square roots; `calls` are other functions of <math.h>. `chained` operations
    lie between reading and writing an element that is both read and written.
    """

    trips: tuple[tuple[str, int], ...]
    accesses: tuple[Access, ...]
    operations: int = 0
    divisions: int = 0
    calls: int = 0
    chained: int = 1

    @property
    def element_byte(self) -> int:
        """The width of the widest element, which says how many fit a vector."""
        return max((access.element_byte for access in self.accesses), default=8)
