"""The syntax tree of a Spatial body. Types and patterns are kept as text; `types.py` and the lowering read them."""

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
class Typed(Node):
    """`target[types]`."""

    target: Node
    types: str


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
    pattern: str
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
    type: str
    value: Node


@dataclass(frozen=True, slots=True)
class Definition(Node):
    """`def name(parameters): type = body`; the parameter lists are joined."""

    name: str
    parameters: tuple[str, ...]
    types: tuple[str, ...]
    body: Node


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`for (generators) body`, the generators as text."""

    generators: str
    body: Node


@dataclass(frozen=True, slots=True)
class Loop(Node):
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
class Skipped(Node):
    """An import or a type alias inside a body."""

    text: str


@dataclass(frozen=True, slots=True)
class Unparsed(Node):
    """The tokens first <= i < last of the file, parsed when something needs them."""

    first: int
    last: int
