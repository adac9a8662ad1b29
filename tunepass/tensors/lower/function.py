"""A generated C function: its text, and what each of its arguments stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tunepass.diagnostics import TunepassError
from tunepass.ir.tensor import Element


class LoweringError(TunepassError):
    """The expression or the schedule is outside of what is lowered."""


@dataclass(frozen=True, slots=True)
class Extent:
    """`int NAME`: the extent of an index variable, and of every mode it indexes."""

    name: str
    variable: str


@dataclass(frozen=True, slots=True)
class Positions:
    """`const int *restrict NAME`: where the segments of a compressed level begin, and where the last one ends."""

    name: str
    tensor: str
    level: int  # in storage order


@dataclass(frozen=True, slots=True)
class Coordinates:
    """`const int *restrict NAME`: the coordinates of a compressed level."""

    name: str
    tensor: str
    level: int


@dataclass(frozen=True, slots=True)
class Values:
    """The numbers of a tensor in storage order; a scalar has one. A result that is added to is `inout`."""

    name: str
    tensor: str
    element: Element
    direction: Literal["in", "out", "inout"]


Argument = Extent | Positions | Coordinates | Values


@dataclass(frozen=True, slots=True)
class StatedExtent:
    """Extent on which the text relies; the function returns 1 and writes nothing if it does not hold."""

    variable: str
    extent: int


@dataclass(frozen=True, slots=True)
class ResultPattern:
    """A sparse result has the first `levels` levels of `operand`, and as many values as these have positions."""

    operand: str
    levels: int


@dataclass(frozen=True, slots=True)
class CFunction:
    """A complete translation unit with one external function. It returns 0; 1 where a stated extent does not hold; 2
    where there was no memory for a workspace."""

    name: str
    text: str
    signature: str
    arguments: tuple[Argument, ...]  # in the order of the C parameters
    pattern: ResultPattern | None = None
    stated: tuple[StatedExtent, ...] = ()
