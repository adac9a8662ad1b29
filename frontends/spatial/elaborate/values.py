"""What an expression of a Spatial program may be while its structure is worked out."""

from __future__ import annotations

from dataclasses import dataclass, field

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import AddressIndex, Element, Memory


@dataclass(eq=False, slots=True)
class Op:
    """An operation in the making; finished ones are `ir.hardware.Operation`."""

    name: str
    element: Element
    inputs: tuple[Op, ...] = ()
    memory: str | None = None
    index: tuple[AddressIndex, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """A number fixed before the hardware runs: an expression over the parameters."""

    expr: Expr
    element: Element | None = None


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(eq=False, slots=True)
class HostValue:
    """A value known only when the program runs. `bound(x) = n` gives the value that models use; `alias` is the value it
    was set from. `assumed` stands in where neither says anything, as `source` has it. `also` are the vals it is bound
    to; a register's `held` are the numbers written to it so far, None for one that is not known."""

    name: str
    bound: Expr | None = None
    alias: HostValue | None = None
    assumed: Expr | None = None
    source: str = ""
    also: list[str] = field(default_factory=list)
    held: list[Expr | None] = field(default_factory=list)
    members: dict[str, HostValue] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.also)

    def member(self, name: str) -> HostValue:
        """`xs.length`: the same value wherever it is written."""
        return self.members.setdefault(name, HostValue(f"{self.name}.{name}"))


@dataclass(frozen=True, slots=True)
class Wire:
    """A value in the hardware. `offset` + sum(coefficient * counter) is its value where `terms` is not None. `usual` is
    the number that models use for one that is not: of a register that holds it, or of `x >> 1`."""

    op: Op
    terms: tuple[tuple[str, Expr], ...] | None = None
    offset: Expr = field(default_factory=lambda: algebra.lift(0))
    usual: Expr | None = None

    @property
    def element(self) -> Element:
        return self.op.element

    @property
    def bound(self) -> Expr | None:
        """The number that models use for the value, if there is one."""
        return self.offset if self.terms == () else self.usual


@dataclass(frozen=True, slots=True)
class MemoryRef:
    memory: Memory
    host: HostValue | None = None  # for registers and arguments: what bound() says of the value


@dataclass(frozen=True, slots=True)
class ParMemory:
    """`memory par p`, the accumulator of a block reduction."""

    memory: MemoryRef
    par: Expr


@dataclass(frozen=True, slots=True)
class CounterRange:
    """`start until stop by step par p`, `start::stop`; stop None runs for ever."""

    start: Value
    stop: Value | None
    step: Value
    par: Value
    span: Span
    length: Value | None = None  # of `a :: a + length`


@dataclass(frozen=True, slots=True)
class Tile:
    """A region of a DRAM: one range or index per dimension; `gathered`: addresses come from a memory."""

    dram: MemoryRef
    ranges: tuple[Value, ...]
    gathered: MemoryRef | None = None


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A tuple, a case class (with `names`), or a Scala collection."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Closure:
    """A function of the program: `body` in `scope`."""

    name: str
    parameters: tuple[str, ...]
    body: n.Node
    scope: Scope


@dataclass(frozen=True, slots=True)
class Module:
    """An object whose members are named: `Params.N`, `self.N`."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """A value that is not modelled; `reason` says why."""

    reason: str = ""


UNIT = Unmodelled("unit")
Value = (
    Known
    | Text
    | HostValue
    | Wire
    | MemoryRef
    | ParMemory
    | CounterRange
    | Tile
    | TupleOf
    | Closure
    | Module
    | Unmodelled
)


class Scope:
    """Names to values, with an outer scope."""

    def __init__(self, outer: Scope | None = None):
        self.names: dict[str, Value] = {}
        self.outer = outer

    def get(self, name: str) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def set(self, name: str, value: Value) -> None:
        self.names[name] = value

    def assign(self, name: str, value: Value) -> None:
        """Change a `var` where it was declared."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                scope.names[name] = value
                return
            scope = scope.outer
