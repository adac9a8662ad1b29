"""Code of the C family as a tree: expressions, statements, declarations with their ranges in the source."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.frontends.cfamily.text.tokens import Token

# --- expressions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """A name; qualified ones and those with template arguments are one token: `hls::stream<int>`."""

    token: Token

    @property
    def text(self) -> str:
        return self.token.text


@dataclass(frozen=True, slots=True)
class Number:
    token: Token


@dataclass(frozen=True, slots=True)
class Text:
    """A string or a character."""

    token: Token


@dataclass(frozen=True, slots=True)
class Unary:
    """`-`, `+`, `!`, `~`, `*`, `&`."""

    op: Token
    operand: Expression


@dataclass(frozen=True, slots=True)
class Step:
    """`++` or `--`, before or after."""

    op: Token
    target: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: Expression
    then: Expression
    other: Expression


@dataclass(frozen=True, slots=True)
class Assign:
    """`op` is `=`, `+=`, ..."""

    op: str
    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class Index:
    base: Expression
    subscript: Expression


@dataclass(frozen=True, slots=True)
class Member:
    """`base.name`, or `base->name` with an `arrow`."""

    base: Expression
    name: Token
    arrow: bool


@dataclass(frozen=True, slots=True)
class Call:
    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Cast:
    """`type` has the type's words without qualifiers; `pointer`: it is one, or a reference.

    `operators` are those of the type: `*`, `&&`, `(*)[]`; `volatile` and `_Atomic` stand among them."""

    type: str
    pointer: bool
    operand: Expression
    operators: str = ""


@dataclass(frozen=True, slots=True)
class SizeOf:
    """`sizeof`, `alignof`, `offsetof`: nothing inside is evaluated. `text` is all of it."""

    token: Token
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """`{...}` of an initialiser, or the parts of a comma."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """An expression outside this tree: `new`, `delete`, statements in brackets; `kind` is the word."""

    kind: str
    token: Token
    last: Token


@dataclass(frozen=True, slots=True)
class Lambda(Opaque):
    """`[...](parameters) { body }`."""

    parameters: tuple[Declaration, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Tried(Opaque):
    """`try { ... } catch (...) { ... }`, which stands as an expression: `blocks` are what is tried and the handlers."""

    blocks: tuple[Block, ...]


Expression = (
    Name | Number | Text | Unary | Step | Binary | Conditional | Assign | Index | Member | Call | Cast | SizeOf | Items
    | Opaque
)  # fmt: skip

# --- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The tokens [first, last] of a statement; `first` begins it, `last` ends it."""

    first: Token
    last: Token

    @property
    def start(self) -> int:
        return self.first.within[0] if self.first.within else self.first.start

    @property
    def end(self) -> int:
        return self.last.within[1] if self.last.within else self.last.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarator:
    """`shape`, in the order in which it is subscripted: an extent, or None for a pointer or an array without one.

    `pointers` says of each whether it is a pointer. `parameters` are those of a function. `reference`: another name for
    the object that it is bound to.
    """

    name: Token
    shape: tuple[Expression | None, ...]
    pointers: tuple[bool, ...]
    restricted: bool
    parameters: tuple[Declaration, ...] | None
    value: Expression | None
    last: Token
    reference: bool = False
    lengths: tuple[str, ...] = ()  # the extents' texts, macros expanded; empty where there is none
    bits: bool = False  # a bit-field
    constant: bool = False  # the pointer that it is cannot be changed: `char *const p`


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration(Place):
    words: tuple[str, ...]  # int, const, static, typedef, struct, a typedef's name; `std::` left out
    declarators: tuple[Declarator, ...]
    spelled: str = ""  # the type as written


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated(Place):
    """An expression statement; None for a lone `;`."""

    expression: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block(Place):
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class For(Place):
    begin: Declaration | Expression | None
    condition: Expression | None
    advance: Expression | None
    body: Statement
    header_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForEach(Place):
    """`for (auto x : array)`."""

    name: Token
    array: Expression
    body: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Place):
    condition: Expression
    then: Statement
    other: Statement | None


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Place):
    """`while`, `do` and `switch`."""

    kind: str
    condition: Expression
    body: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Jump(Place):
    """`break`, `continue`, `return`, `goto`, a label, `asm`, `throw`: `kind` is the word."""

    kind: str
    value: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PragmaWords(Place):
    """A pragma among statements: its words after `#pragma`, macros expanded."""

    words: tuple[Token, ...]

    def span(self, source: Source) -> Span:
        return source.span(self.words[0].start, max(self.words[-1].end, self.words[0].end))


Statement = Declaration | Evaluated | Block | For | ForEach | If | While | Jump | PragmaWords

# --- file scope -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attribute:
    """`name(argument, ...)` of an `__attribute__`, or a word that a dialect adds, such as `__launch_bounds__(256)`."""

    name: Token
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class TemplateParameter:
    """`kind` is `typename`, or the words of a number's type."""

    kind: str
    name: str
    default: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """A namespace, a class or `extern "C"` around a definition; `access` of its members is that in force there."""

    kind: str  # namespace, class, extern
    name: str
    start: int
    end: int
    access: str = ""
    template: str | None = None  # the parameters of a class template


@dataclass(frozen=True, slots=True)
class Record:
    """A struct, union or class: its members that hold data, its own attributes and those of its members."""

    name: str
    members: tuple[Declaration, ...]
    template: tuple[TemplateParameter, ...] = ()
    kind: str = "struct"
    bases: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    member_attributes: tuple[Attribute, ...] = ()
    hidden: frozenset[str] = frozenset()  # members that are private or protected
    final: bool = False  # no class can be derived from it


UNREADABLE = "this cannot be read"


class SyntaxFault(Exception):
    """Code that cannot be read, at which token."""

    def __init__(self, message: str, token: Token):
        super().__init__(message)
        self.message, self.token = message, token

    @property
    def is_general(self) -> bool:
        """Whether a bracket that is not closed tells more."""
        return self.message == UNREADABLE or self.message.startswith("expected `}`")


class UnreadableError(SourceError):
    """A source that its compiler cannot preprocess, or code in it that cannot be read."""
