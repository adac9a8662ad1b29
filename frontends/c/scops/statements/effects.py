"""What evaluating a piece of C reads and writes, as lvalues: nothing is decided about subscripts yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.frontends.c.scops.numbers.pure_functions import is_pure
from tunepass.frontends.cfamily.tokens import Token
from tunepass.frontends.cfamily.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declaration,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Index,
    Items,
    Jump,
    Member,
    Name,
    Number,
    Opaque,
    Statement,
    Step,
    Unary,
    While,
)

POINTER_REASON = "what the pointer `{}` reaches is not known"


def pointer_in(reason: str) -> str:
    """The pointer declared inside whose unknown reach is the reason; empty for others."""
    name = reason.split("`")[1] if "`" in reason else ""
    return name if reason == POINTER_REASON.format(name) else ""


@dataclass(frozen=True, slots=True)
class Effect:
    """A read, a write or both of an lvalue: `root` subscripted by `subscripts`, outermost first.

    `whole`: of an element all of it, not a member only. `certain`: whenever the piece of code runs. `row`: through a
    pointer to a row, so that the last subscript may leave it.
    """

    root: Name
    subscripts: tuple[Expression, ...]
    read: bool
    written: bool
    whole: bool = True
    certain: bool = True
    row: bool = False


class RowIndex(Index):
    """An element through a pointer to a row of an array of arrays, written as the array's own."""

    __slots__ = ()


class Effects:
    """Of statements and expressions, in the order of evaluation. Variables that they declare themselves are left out.

    `unknown` are the reasons why more may be read and written than `found` says; `declared` all names declared inside.
    """

    def __init__(self) -> None:
        self.found: list[Effect] = []
        self.unknown: list[str] = []
        self.declared: set[str] = set()
        self.scopes: list[dict[str, bool]] = [{}]  # of each variable declared inside: is it a pointer

    @classmethod
    def of(cls, *statements: Statement) -> Effects:
        effects = cls()
        for statement in statements:
            effects.statement(statement)
        return effects

    @property
    def written(self) -> frozenset[str]:
        return frozenset(effect.root.text for effect in self.found if effect.written)

    def statement(self, s: Statement, certain: bool = True) -> None:
        self.scopes.append({})
        match s:
            case Evaluated():
                self.expression(s.expression, certain)
            case Block():
                for inner in s.statements:
                    if isinstance(inner, Declaration):
                        self.declaration(inner, certain)
                    else:
                        self.statement(inner, certain)
            case Declaration():
                self.declaration(s, certain)
            case If():
                self.expression(s.condition, certain)
                self.statement(s.then, False)
                if s.other:
                    self.statement(s.other, False)
            case For():
                self._loop(s, certain)
            case While():
                self.expression(s.condition, certain)
                self.statement(s.body, False)
            case Jump():
                self.expression(s.value, certain)
                if "asm" in s.kind:
                    self.unknown.append("`asm` is opaque")
            case ForEach():
                self.expression(s.array, certain)
                self.declared.add(s.name.text)
                self.scopes[-1][s.name.text] = True
                self.statement(s.body, False)
        self.scopes.pop()

    def _loop(self, s: For, certain: bool) -> None:
        if isinstance(s.begin, Declaration):
            self.declaration(s.begin, certain)
        else:
            self.expression(s.begin, certain)
        self.expression(s.condition, certain)
        self.statement(s.body, False)
        self.expression(s.advance, False)
        for set_ in getattr(s, "along", ()):
            self.expression(set_, False)

    def declaration(self, s: Declaration, certain: bool = True) -> None:
        for declarator in s.declarators:
            if declarator.reference and declarator.value is not None and "const" not in s.words:
                self._address(declarator.value, certain)
            else:
                self.expression(declarator.value, certain)
            self.declared.add(declarator.name.text)
            self.scopes[-1][declarator.name.text] = declarator.pointers[:1] == (True,)

    def expression(self, e: Expression | None, certain: bool = True) -> None:
        """`e` evaluated for its value."""
        match e:
            case Name() | Index() | Member():
                self._access(e, True, False, certain)
            case Unary(op, operand):
                if op.text == "*":
                    self._access(e, True, False, certain)
                elif op.text == "&":
                    self._address(operand, certain)
                else:
                    self.expression(operand, certain)
            case Step(_, target):
                self._access(target, True, True, certain)
            case Assign(op, target, value):
                self.expression(value, certain)
                self._access(target, op != "=", True, certain)
            case Binary(op, left, right):
                self.expression(left, certain)
                self.expression(right, certain and op not in ("&&", "||"))
            case Conditional(condition, then, other):
                self.expression(condition, certain)
                self.expression(then, False)
                self.expression(other, False)
            case Cast(_, _, operand):
                self.expression(operand, certain)
            case Items(parts):
                for part in parts:
                    self.expression(part, certain)
            case Call(function, arguments):
                self._call(function, arguments, certain)
            case Opaque(_, token):
                self.unknown.append(f"what begins with `{token.text}` may read and write anything")

    def _call(self, function: Expression, arguments: tuple[Expression, ...], certain: bool) -> None:
        for argument in arguments:
            self.expression(argument, certain)
        if not isinstance(function, Name) or not is_pure(function.text):
            name = f"`{function.text}`" if isinstance(function, Name) else "a function"
            self.unknown.append(f"{name} is called, and may read and write anything")

    def _address(self, e: Expression, certain: bool) -> None:
        lvalue = resolve(e)
        if lvalue is None:
            self.unknown.append("an address is computed")
            return
        for subscript in lvalue.subscripts:
            self.expression(subscript, certain)
        if not self._inner(lvalue):
            self.found.append(Effect(lvalue.root, (), True, True, False, False))
        self.unknown.append(f"the address of `{lvalue.root.text}` is taken")

    def _inner(self, lvalue: Lvalue) -> bool:
        """Is it a variable declared inside? What a pointer among them reaches is not known."""
        pointer = next((scope[lvalue.root.text] for scope in reversed(self.scopes) if lvalue.root.text in scope), None)
        if pointer and lvalue.subscripts:
            self.unknown.append(POINTER_REASON.format(lvalue.root.text))
        return pointer is not None

    def _access(self, e: Expression, read: bool, written: bool, certain: bool) -> None:
        while isinstance(e, Cast) and not e.pointer:
            e = e.operand
        lvalue = resolve(e)
        if lvalue is None:
            self.unknown.append("what is accessed through a pointer cannot be told")
            for part in _parts(e):
                self.expression(part, certain)
            return
        for subscript in lvalue.subscripts:
            self.expression(subscript, certain)
        if self._inner(lvalue):
            return
        self.found.append(Effect(lvalue.root, lvalue.subscripts, read, written, lvalue.whole, certain, lvalue.row))
        if lvalue.far:
            self.unknown.append(f"a pointer in `{lvalue.root.text}` is followed")


@dataclass(frozen=True, slots=True)
class Lvalue:
    root: Name
    subscripts: tuple[Expression, ...]
    whole: bool = True  # not a member of it only
    far: bool = False  # reached through a pointer that is a member
    row: bool = False  # its last subscript may leave the row


def resolve(e: Expression) -> Lvalue | None:
    """The variable that an lvalue belongs to, and how it is subscripted; None where that is computed."""
    match e:
        case Name():
            return Lvalue(e, ())
        case Index(base, subscript):
            inner = resolve(base)
            if inner is None:
                return None
            if not inner.whole:
                return Lvalue(inner.root, inner.subscripts, False, True)
            return Lvalue(inner.root, (*inner.subscripts, subscript), row=inner.row or isinstance(e, RowIndex))
        case Unary(op, operand) if op.text == "*":
            inner, offset = _pointer(operand)
            subscript = offset or _zero(op)
            return Lvalue(inner.root, (*inner.subscripts, subscript), row=inner.row) if inner and inner.whole else None
        case Member(base, _, arrow):
            inner = resolve(base)
            if inner is None:
                return None
            if arrow:
                if not inner.whole:
                    return Lvalue(inner.root, inner.subscripts, False, True)
                return Lvalue(inner.root, (*inner.subscripts, _zero(e.name)), False)
            return Lvalue(inner.root, inner.subscripts, False, inner.far)
    return None


def _pointer(e: Expression) -> tuple[Lvalue | None, Expression | None]:
    """`p + i + j` as the lvalue that holds the pointer, and what is added to it."""
    if not isinstance(e, Binary) or e.op not in ("+", "-"):
        return resolve(e), None
    inner, offset = _pointer(e.left)
    if offset is None and e.op == "+":
        return inner, e.right
    return (inner, Binary(e.op, offset, e.right)) if offset is not None else (None, None)


def _zero(token: Token) -> Number:
    """The subscript of `*p` and `p->x`."""
    return Number(Token("number", "0", token.start, token.end, True))


def _parts(e: Expression) -> Iterator[Expression]:
    match e:
        case Index(base, subscript):
            yield base
            yield subscript
        case Member(base, _, _):
            yield base
        case Unary(_, operand):
            yield operand
        case Cast(_, _, operand):
            yield operand
        case Step(_, target):
            yield target
        case Conditional(a, b, c):
            yield from (a, b, c)
        case Binary(_, a, b):
            yield from (a, b)
        case Call():
            yield e
