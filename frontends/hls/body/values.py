"""What names and expressions of a function stand for while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.diagnostics import Span
from tunepass.expr.nodes import Expr
from tunepass.frontends.hls.body.linear import Linear
from tunepass.ir.hardware import INT, Element, Fixed
from tunepass.ir.hls import HlsPartition, Storage


@dataclass(frozen=True, slots=True)
class Value:
    """A number: affine in iterations, a known real, or the result of an operation of a block; with none of these,
    one that is not known and that the loops `moves` change.

    `moves` are the loops with which a value changes that is not affine."""

    element: Element = INT
    linear: Linear | None = None
    real: float | None = None
    op: int | None = None
    block: int = 0  # the serial number of the block that has `op`
    moves: frozenset[str] = frozenset()

    @property
    def number(self) -> int | float | None:
        return self.linear.number if self.linear is not None else self.real

    @property
    def loops(self) -> frozenset[str]:
        return self.moves | (self.linear.loops if self.linear is not None else frozenset())


@dataclass(frozen=True, slots=True)
class Place:
    """An array, or what is left of it after some subscripts; `shift` is added to the next one."""

    array: str
    subscripts: tuple[Value, ...] = ()
    shift: Value | None = None


@dataclass(frozen=True, slots=True)
class ScalarName:
    """A scalar variable, which is an array without dimensions: its name in the kernel."""

    array: str
    element: Element


@dataclass(frozen=True, slots=True)
class RecordName:
    """A variable of a record, member by member. `outer`: dimensions of an array of records that no subscript has taken
    yet, which all members have."""

    record: str
    members: dict[str, Binding]
    outer: int = 0


Binding = Value | Place | ScalarName | RecordName


@dataclass(slots=True)
class ArrayFacts:
    """What is known of an array while the kernel is read; an extent of None is not known."""

    name: str
    element: Element
    storage: Storage
    dims: list[Expr | None]
    span: Span | None = None
    partitions: list[HlsPartition] = field(default_factory=list)
    port: str | None = None
    port_bit: Expr | None = None
    resource: str | None = None
    formal: bool = False
    read: bool = False
    written: bool = False
    reaches: list[Expr] = field(default_factory=list)  # the largest subscripts of the first dimension


def narrowed(element: Element, bits: int) -> Element:
    """A whole number's type with no more than so many bits."""
    if isinstance(element, Fixed) and element.fraction == 0 and bits < element.integer:
        return Fixed(element.signed, max(1, bits), 0)
    return element
