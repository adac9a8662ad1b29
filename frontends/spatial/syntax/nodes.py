"""The syntax tree of a Spatial app's statements, expressions and types. Patterns are written as expressions."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span


@dataclass(frozen=True, slots=True)
class Ident(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Literal(Node):
    value: bool | int | float | str


@dataclass(frozen=True, slots=True)
class Placeholder(Node):
    """`_` in an expression."""


@dataclass(frozen=True, slots=True)
class Star(Node):
    """`*` as an argument: every index, or for ever."""


@dataclass(frozen=True, slots=True)
class Select(Node):
    target: Node
    name: str


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """`Int`, `a.b.T`, `FixPt[TRUE, _16, _16]`; a literal such as the 3 in `Vec[3, T]` is a name too."""

    name: str
    arguments: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class TupleType(Node):
    """`(A, B)`."""

    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class OtherType(Node):
    """A type that no value of the hardware has: a function, a wildcard, `A with B`, `A#B`."""


Type = TypeName | TupleType | OtherType


@dataclass(frozen=True, slots=True)
class Typed(Node):
    """`target[types]`."""

    target: Node
    types: tuple[Type, ...]

    @property
    def type_text(self) -> str:
        """What stands between the brackets."""
        return self.span.source.text[self.types[0].span.start : self.types[-1].span.end]


@dataclass(frozen=True, slots=True)
class Ascribed(Node):
    """`value: type`."""

    value: Node
    type: Type


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """`function(arguments)`, or `function { body }` with the block or function as the only argument."""

    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Infix(Node):
    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Prefixed(Node):
    operator: str
    operand: Node


@dataclass(frozen=True, slots=True)
class Parenthesis(Node):
    """`(a, b)`: one item is grouping, none is unit."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Block(Node):
    statements: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A lambda; parameter names only."""

    parameters: tuple[str, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Case(Node):
    """`case pattern if … => body`; the guard is dropped: no conditional pattern is modelled."""

    pattern: Node
    guarded: bool
    body: Block


@dataclass(frozen=True, slots=True)
class Cases(Node):
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Matching(Node):
    subject: Node
    cases: Node


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    condition: Node
    then: Node
    otherwise: Node | None


@dataclass(frozen=True, slots=True)
class Update(Node):
    """`target := value`, `target <<= value`, `target += value`."""

    operator: str
    target: Node
    value: Node


@dataclass(frozen=True, slots=True)
class Assign(Node):
    """`target = value`: a memory's element, a `var`, or a named argument."""

    target: Node
    value: Node


@dataclass(frozen=True, slots=True)
class Value(Node):
    """`val names: type = value`; several names for a pattern `(a, b)`."""

    names: tuple[str, ...]
    type: Type | None
    value: Node


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """`name: type = default` of a function or a class."""

    name: str
    type: Type | None
    default: Node | None


@dataclass(frozen=True, slots=True)
class ParameterList(Node):
    items: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Signature(Node):
    """`def name[T](parameters): type`; the parameter lists are joined."""

    name: str
    parameters: tuple[Parameter, ...]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)


@dataclass(frozen=True, slots=True)
class Definition(Node):
    """`signature = body`."""

    signature: Signature
    body: Node


@dataclass(frozen=True, slots=True)
class Alias(Node):
    """`type name = target`."""

    name: str
    target: Type


@dataclass(frozen=True, slots=True)
class Generator(Node):
    """`pattern <- source` of a `for`."""

    pattern: Node
    source: Node


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`for (enumerators) body`; an enumerator that is no generator is a guard or a value."""

    enumerators: tuple[Node, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class WhileLoop(Node):
    """`while (condition) body`."""

    condition: Node
    body: Node


@dataclass(frozen=True, slots=True)
class Instance(Node):
    """`new Name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Thrown(Node):
    value: Node


@dataclass(frozen=True, slots=True)
class Unparsed(Node):
    """The tokens first <= i < last of the file, parsed when something needs them."""

    first: int
    last: int
