"""What evaluating a piece of C reads and writes, as lvalues: nothing is decided about subscripts yet."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tunepass.frontends.c.scops.numbers.pure_functions import is_pure
from tunepass.frontends.c.scops.statements.lvalues import Lvalue, parts_around, pointer_of, resolve
from tunepass.frontends.cfamily.syntax.tree import (
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
    Opaque,
    Statement,
    Step,
    Text,
    Unary,
    While,
)
from tunepass.frontends.cfamily.text.tokens import Token

ANY_DEPTH = 1 << 30  # of subscripts, of what is no pointer
POINTER_REASON = "what the pointer `{}` reaches is not known"


def pointer_in(reason: str) -> str:
    """The pointer declared inside whose unknown reach is the reason; empty for others."""
    name = reason.split("`")[1] if "`" in reason else ""
    return name if reason == POINTER_REASON.format(name) else ""


@dataclass(frozen=True, slots=True)
class LvalueEffect:
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


ANYWHERE = Text(Token("text", "", 0, 0, True))
"""The subscript of an element that is not told."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What a function reads or writes: through the pointer that its `formal` is, or the global `name` (-1), subscripted
    `depth` times."""

    formal: int
    name: str
    depth: int
    read: bool
    written: bool


@dataclass(frozen=True, slots=True)
class KnownCall(Call):
    """A call of a function whose body is known; `pointers` are its formals that are pointers."""

    reached: tuple[Reached, ...]
    pointers: frozenset[int]


@dataclass(frozen=True, slots=True)
class UnknownCall(Call):
    """A call of a function of the source that may reach anything, and why."""

    reason: str


class Effects:
    """Of statements and expressions, in the order of evaluation. Variables that they declare themselves are left out.

    `unknown` are the reasons why more may be read and written than `found` says; `declared` all names declared inside.
    """

    def __init__(self) -> None:
        self.found: list[LvalueEffect] = []
        self.unknown: list[str] = []
        self.declared: set[str] = set()
        self.scopes: list[dict[str, int]] = [{}]  # of each variable declared inside: subscripts that stay in it

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
                self.scopes[-1][s.name.text] = 0
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
            pointers = declarator.pointers
            self.scopes[-1][declarator.name.text] = pointers.index(True) if True in pointers else ANY_DEPTH

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
            case KnownCall():
                self._known_call(e, certain)
            case UnknownCall():
                for argument in e.arguments:
                    self.expression(argument, certain)
                self.unknown.append(e.reason)
            case Call(function, arguments):
                self._call(function, arguments, certain)
            case Opaque(_, token):
                self.unknown.append(f"what begins with `{token.text}` may read and write anything")

    def _known_call(self, e: KnownCall, certain: bool) -> None:
        """Of a function whose body says what it reaches: any element of what the pointers lead to."""
        for number, argument in enumerate(e.arguments):
            reached = [r for r in e.reached if r.formal == number]
            if not reached and number not in e.pointers:
                self.expression(argument, certain)
                continue
            pointer = _uncast(argument)
            taken = resolve(pointer.operand) if isinstance(pointer, Unary) and pointer.op.text == "&" else None
            lvalue, offset = (taken, None) if taken is not None else pointer_of(pointer)
            if lvalue is None or not lvalue.whole:
                self.unknown.append("what is accessed through a pointer cannot be told")
                return
            for inner in (*lvalue.subscripts, offset):
                self.expression(inner, certain)
            scalar = taken is not None and not lvalue.subscripts
            followed = lvalue if scalar or not reached else replace(lvalue, subscripts=(ANYWHERE,))
            if scalar and any(r.depth > 1 for r in reached):
                self.unknown.append(f"the address of `{lvalue.root.text}` is taken")
            if self._inner(followed) or not reached:
                continue
            own = lvalue.subscripts[:-1] if taken is not None else lvalue.subscripts
            for r in reached:
                subscripts = () if scalar else (*own, *[ANYWHERE] * r.depth)
                self.found.append(LvalueEffect(lvalue.root, subscripts, r.read, r.written, False, False))
        for r in e.reached:
            if r.formal < 0:
                name = Name(Token("name", r.name, 0, 0, True))
                self.found.append(LvalueEffect(name, (ANYWHERE,) * r.depth, r.read, r.written, False, False))

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
            self.found.append(LvalueEffect(lvalue.root, (), True, True, False, False))
        self.unknown.append(f"the address of `{lvalue.root.text}` is taken")

    def _inner(self, lvalue: Lvalue) -> bool:
        """Is it a variable declared inside? What a pointer among them reaches is not known."""
        inside = next((scope[lvalue.root.text] for scope in reversed(self.scopes) if lvalue.root.text in scope), None)
        if inside is not None and len(lvalue.subscripts) > inside:
            self.unknown.append(POINTER_REASON.format(lvalue.root.text))
        return inside is not None

    def _access(self, e: Expression, read: bool, written: bool, certain: bool) -> None:
        while isinstance(e, Cast) and not e.pointer:
            e = e.operand
        lvalue = resolve(e)
        if lvalue is None:
            self.unknown.append("what is accessed through a pointer cannot be told")
            for part in parts_around(e):
                self.expression(part, certain)
            return
        for subscript in lvalue.subscripts:
            self.expression(subscript, certain)
        if self._inner(lvalue):
            return
        self.found.append(
            LvalueEffect(lvalue.root, lvalue.subscripts, read, written, lvalue.whole, certain, lvalue.row)
        )
        if lvalue.far:
            self.unknown.append(f"a pointer in `{lvalue.root.text}` is followed")


def _uncast(e: Expression) -> Expression:
    while isinstance(e, Cast):
        e = e.operand
    return e
