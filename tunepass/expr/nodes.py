"""The typed expression tree. Every reader (NumPy, native, intervals, C text, printer) walks these ten node classes.

Nodes are compared by structure, spans apart. `tunepass.expr.typing` has the checked constructors; the dataclasses here
trust their arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from tunepass.diagnostics import Span

INT_MIN, INT_MAX = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class BoolType:
    """True or False; 1 or 0 where a number is expected."""

    def __str__(self) -> str:
        return "Bool"


@dataclass(frozen=True, slots=True)
class IntegerType:
    """Exact, 64 bits signed; a result outside is an error."""

    def __str__(self) -> str:
        return "Integer"


@dataclass(frozen=True, slots=True)
class RealType:
    """An IEEE double. An Integer beside a Real becomes the nearest double (exact up to 2**53)."""

    def __str__(self) -> str:
        return "Real"


@dataclass(frozen=True, slots=True)
class CategoryType:
    """One of `values`, all strings. Columns hold the index into `values`."""

    values: tuple[str, ...]

    def __str__(self) -> str:
        return "string"


@dataclass(frozen=True, slots=True)
class OrderType:
    """A permutation of `items`. Columns (n, k) hold, by position, the index into `items`."""

    items: tuple[int | str, ...]

    def __str__(self) -> str:
        return "order"


Type = BoolType | IntegerType | RealType | CategoryType | OrderType
BOOL, INTEGER, REAL = BoolType(), IntegerType(), RealType()
Scalar = bool | int | float | str


class Expr:
    """A typed expression: the base of all nodes. `type` and `span` are fields of every node.

    Example:
        >>> expression = extension.parse_expression("tile % unroll == 0", {p.name: p.type for p in space.parameters})
        >>> isinstance(expression, extension.Expr), len(expression.children)
        (True, 2)
    """

    __slots__ = ()
    type: Type
    span: Span | None

    @property
    def children(self) -> tuple[Expr, ...]:
        """The operands, in order."""
        return ()

    @property
    def label(self) -> object:
        """Fields that distinguish this node from others of its class with equal children."""
        return None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Expr) or type(self) is not type(other):
            return False
        return self.label == other.label and self.type == other.type and self.children == other.children

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.label, self.children))


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Expr):
    """A literal. A string's type is the Category it is compared with, and contains it."""

    value: Scalar
    type: Type
    span: Span | None = field(default=None, repr=False)

    @property
    def label(self) -> object:
        return (type(self.value), repr(self.value))  # keeps 1, 1.0, True, 0.0 and -0.0 apart


@dataclass(frozen=True, slots=True, eq=False)
class Name(Expr):
    name: str
    type: Type
    span: Span | None = field(default=None, repr=False)

    @property
    def label(self) -> object:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Expr):
    """`-` or `not`."""

    op: str
    operand: Expr
    type: Type
    span: Span | None = field(default=None, repr=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.operand,)

    @property
    def label(self) -> object:
        return self.op


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Expr):
    """One of `+ - * / // % ** << >>`."""

    op: str
    left: Expr
    right: Expr
    type: Type
    span: Span | None = field(default=None, repr=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.left, self.right)

    @property
    def label(self) -> object:
        return self.op


@dataclass(frozen=True, slots=True, eq=False)
class Compare(Expr):
    """`a < b <= c`: operands one more than ops (of `== != < <= > >=`); stops at the first comparison that fails."""

    operands: tuple[Expr, ...]
    ops: tuple[str, ...]
    type: Type = BOOL
    span: Span | None = field(default=None, repr=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.operands

    @property
    def label(self) -> object:
        return self.ops


@dataclass(frozen=True, slots=True, eq=False)
class Logical(Expr):
    """`a and b and c` or `a or b or c`, two operands or more, left to right, stopping as soon as it is settled."""

    op: str
    operands: tuple[Expr, ...]
    type: Type = BOOL
    span: Span | None = field(default=None, repr=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.operands

    @property
    def label(self) -> object:
        return self.op


@dataclass(frozen=True, slots=True, eq=False)
class Member(Expr):
    """`item in {choices}`. All choices are evaluated."""

    item: Expr
    choices: tuple[Expr, ...]
    type: Type = BOOL
    span: Span | None = field(default=None, repr=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.item, *self.choices)


@dataclass(frozen=True, slots=True, eq=False)
class If(Expr):
    """`if(condition, then, otherwise)`; the branch not taken does not count."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: Type
    span: Span | None = field(default=None, repr=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.condition, self.then, self.otherwise)


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expr):
    """A function of `tunepass.expr.typing.FUNCTIONS` applied; `pos(order, item)` has an Order first."""

    function: str
    arguments: tuple[Expr, ...]
    type: Type
    span: Span | None = field(default=None, repr=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.arguments

    @property
    def label(self) -> object:
        return self.function


@dataclass(frozen=True, slots=True, eq=False)
class Index(Expr):
    """`order[index]`: the item at a position counted from 0; undefined outside."""

    order: Name
    index: Expr
    type: Type
    span: Span | None = field(default=None, repr=False)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.order, self.index)


def walk(*roots: Expr, known: Collection[int] = ()) -> Iterator[Expr]:
    """Every node object of all the roots once, children before parents, without recursion; none whose id is `known`."""
    seen = set(known)
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))


def free_names(e: Expr) -> frozenset[str]:
    return frozenset(node.name for node in walk(e) if isinstance(node, Name))
