"""The plan of a harness: its arguments, variables and setup, as C text knows them."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.frontends.c.harness.contents import Content
from tunepass.ir.c_kernel import Container, Leaf


@dataclass(frozen=True, slots=True, kw_only=True)
class CScalar:
    """A scalar argument: `value` is a C constant, of type double if `real`, else int64_t."""

    name: str
    element: str
    value: str
    real: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CArray:
    """An array argument. `fill` is a C expression of the scalars and `i`; `lo`, `hi` are C constants. With `content`
    at one size there is one at every size."""

    name: str
    element: str
    direction: str  # in, out, inout, work
    length: int
    fill: str | None = None
    lo: str | None = None
    hi: str | None = None
    leaves: tuple[Leaf, ...] = ()  # of an element that is no plain number
    enumerators: tuple[str, ...] = ()
    variable: str = ""  # of the source, whose memory it is; its length is the variable's own
    kept: bool = False  # as the source initialises it
    condition: str = ""  # of the preprocessor, without which there is no such variable
    row: int = 0  # elements of a row, where the kernel gets pointers to rows
    pointer_rows: tuple[int, ...] = ()  # lengths of the rows of pointers that further pointers lead to, innermost first
    by_value: bool = False  # the function gets the element, of which there is one
    rows_of: int | None = None  # the number of the array to whose rows these pointers point
    container: Container | None = None
    content: Content | None = None
    place: int = 0  # the number (from 1) of the place of the setup's where it lies

    @property
    def drawn(self) -> bool:
        """Whether its elements are random numbers."""
        return self.filled and self.direction != "work" and self.fill is None and self.content is None

    @property
    def refillable(self) -> bool:
        """May it hold other numbers than those that `fill` gives?"""
        plain = not (self.leaves or self.row or self.by_value or self.variable or self.place or self.enumerators)
        return plain and self.filled and self.direction != "work" and self.fill is not None and self.content is None

    @property
    def filled(self) -> bool:
        return self.direction in ("in", "inout", "work") and not self.kept


@dataclass(frozen=True, slots=True, kw_only=True)
class CSetup:
    """The user's functions that the entry calls to make what the kernel takes, and the places to compare."""

    function: str
    teardown: str = ""
    once: bool = False
    places: tuple[CArray, ...] = ()
