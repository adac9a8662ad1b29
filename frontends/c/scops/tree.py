"""C code as a tree: expressions and statements with their places in the source. Types are not checked."""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.frontends.c.scops.tokens import Token


@dataclass(frozen=True, slots=True)
class Name:
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
    type: str
    pointer: bool
    operand: Expression


@dataclass(frozen=True, slots=True)
class SizeOf:
    """`sizeof`, `_Alignof`: nothing inside is evaluated. `text` is all of it."""

    token: Token
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """`{...}` of an initialiser, or the parts of a comma."""

    parts: tuple[Expression, ...]


Expression = (
    Name | Number | Text | Unary | Step | Binary | Conditional | Assign | Index | Member | Call | Cast | SizeOf | Items
)


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

    `pointers` says of each whether it is a pointer. `parameters` are those of a function.
    """

    name: Token
    shape: tuple[Expression | None, ...]
    pointers: tuple[bool, ...]
    restricted: bool
    parameters: tuple[Declaration, ...] | None
    value: Expression | None
    last: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration(Place):
    words: tuple[str, ...]  # int, const, static, typedef, struct, a typedef's name
    declarators: tuple[Declarator, ...]


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
class If(Place):
    condition: Expression
    then: Statement
    other: Statement | None


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Place):
    """`while`, `do` and `switch`, as far as what they evaluate goes."""

    kind: str
    condition: Expression
    body: Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Jump(Place):
    """`break`, `continue`, `return`, `goto`, a label, `asm`: `kind` is the word."""

    kind: str
    value: Expression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread(Place):
    """What cannot be read as C: its tokens, and what may leave it."""

    tokens: tuple[Token, ...]
    jump: Jump | None


Statement = Declaration | Evaluated | Block | For | If | While | Jump | Unread
