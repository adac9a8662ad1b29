"""Calls of small functions read as what they return: `m(i, j)` of a class whose operator returns `data[i * n + j]`.

The function's body is one `return`, and can be seen in the source or its own headers. Only what is read and written is
worked out from it: the emitted text keeps the user's call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import SourceError
from tunepass.frontends.c.scops.lowering.objects import THIS, Objects
from tunepass.frontends.c.scops.lowering.rewriting import mapped, parts_of, substituted
from tunepass.frontends.c.scops.numbers.c_types import ELEMENT_BYTE, SIGNED, UNSIGNED
from tunepass.frontends.c.scops.numbers.rows import Rowed, moved_on, rowed
from tunepass.frontends.c.scops.statements.updates import key
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Evaluated,
    Expression,
    Index,
    Jump,
    Member,
    Name,
    Number,
    PragmaWords,
    Record,
    Statement,
    Step,
    SyntaxFault,
    Unary,
)
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.types.declared import canonical_type
from tunepass.frontends.cfamily.unit import Function

MOST_LEVELS = 4  # of functions that call each other
ADDRESS = Token("op", "&", 0, 0, True)
ELEMENTS = ("at", "operator[]")


@dataclass(frozen=True, slots=True)
class Getter(Member):
    """A member that the source reads by a function, as `text` spells it."""

    text: str


@dataclass(frozen=True)
class Accessors:
    """`declared` are the names that the nest declares itself: a function's body means others by them."""

    objects: Objects
    declared: frozenset[str] = frozenset()
    level: int = 0

    def seen(self, e: Expression) -> Expression:
        """`e` with every call of an accessor as the access that it makes."""
        return mapped(e, self._step)

    def _step(self, e: Expression) -> Expression:
        match e:
            case Call(function, arguments):
                return self._call(e, function, arguments)
            case Index(base, subscript):
                return self._index(e, base, subscript)
            case Member(Unary(op, operand), name, True) if op.text == "&":
                return Member(operand, name, False)
            case Unary(op, operand) if op.text == "*":
                return _pointed(operand) or e
        return e

    def _index(self, e: Index, base: Expression, subscript: Expression) -> Expression:
        """`a[i]` of an object with an operator; `(p + i)[j]` and `(&p[i])[j]` as `p[i + j]`."""
        match base:
            case Unary(op, Index(inner, first)) if op.text == "&":
                return Index(inner, moved_on(first, subscript))
            case Binary("+", Binary("+", inner, first), second):
                return self._index(e, Binary("+", inner, moved_on(first, second)), subscript)
            case Binary("+", inner, first):
                return Index(inner, moved_on(first, subscript))
        held = self.objects.variable(base)
        if held is None or held.shape:
            return e
        return self._method(base, "operator[]", False, (subscript,)) or e

    def _call(self, e: Call, function: Expression, arguments: tuple[Expression, ...]) -> Expression:
        match function:
            case Name() if _is_number(function.text) and len(arguments) == 1:
                return Cast(canonical_type(function.text.removeprefix("std::")), False, arguments[0])
            case Name() if self.objects.variables.get(function.text) is not None:
                return self._method(function, "operator()", False, arguments) or e
            case Name():
                return self._free(function.text, arguments) or e
            case Member(base, name, arrow):
                return self._contained(base, name, arguments) or self._method(base, name.text, arrow, arguments) or e
            case _:
                return self._method(function, "operator()", False, arguments) or e

    def _contained(self, base: Expression, name: Token, arguments: tuple[Expression, ...]) -> Expression | None:
        """Of a standard container."""
        held = self.objects.variable(base)
        if held is None or not held.container:
            return None
        if name.text in ELEMENTS and len(arguments) == 1:
            return Index(base, arguments[0])
        return base if name.text == "data" and not arguments else None

    def _free(self, name: str, arguments: tuple[Expression, ...]) -> Expression | None:
        plain = name.rpartition("::")[2]
        functions = [f for f in self.objects.unit.functions if f.name.text == plain and not f.record]
        if not functions and self.objects.unit.cxx and name in ("min", "max") and len(arguments) == 2:
            return Call(Name(Token("name", f"std::{name}", 0, 0, True)), arguments)
        fitting = [f for f in functions if len(f.formals) == len(arguments)]
        if self._has_other_overloads(plain, fitting):
            return None
        return self._returned(fitting, None, {}, arguments)

    def _has_other_overloads(self, name: str, known: Sequence[Function]) -> bool:
        """Is a function of the name declared that takes other types, and whose body is elsewhere?"""
        types = {tuple(p.words for p in f.formals) for f in known}
        declared = [d.parameters for s in self.objects.unit.globals for d in s.declarators if d.name.text == name]
        others = [p for p in declared if p is not None and tuple(each.words for each in p) not in types]
        return self.objects.unit.cxx and bool(others)

    def _method(self, base: Expression, name: str, arrow: bool, arguments: tuple[Expression, ...]) -> Expression | None:
        held = self.objects.variable(base)
        record = self.objects.record(held)
        if record is None or held is None or len(held.shape) != int(arrow):
            return None
        value = base if arrow else Unary(ADDRESS, base)
        seen = self._returned(self.objects.methods(record, name, len(arguments)), record, {THIS: value}, arguments)
        if isinstance(seen, Member) and not arguments:
            text = spelled(base)
            if text is not None:
                return Getter(seen.base, seen.name, seen.arrow, f"{text}{'->' if arrow else '.'}{name}()")
        return seen

    def _returned(
        self,
        functions: Sequence[Function],
        record: Record | None,
        this: Mapping[str, Expression],
        arguments: tuple[Expression, ...],
    ) -> Expression | None:
        """What all of the functions return for the arguments; None where that differs or is not one expression."""
        if not functions or self.level >= MOST_LEVELS or any(_acts(a) for a in arguments):
            return None
        found: list[Expression] = []
        for function in functions:
            value = self._body(function, record)
            if value is None:
                return None
            passed = {p.declarators[0].name.text: _passed(p.words, a) for p, a in zip(function.formals, arguments)}
            found.append(substituted(value, {**this, **passed}))
        first = Accessors(self.objects, self.declared, self.level + 1).seen(found[0])
        others = {key(value) for value in found}
        return first if len(found) == 1 or (None not in others and len(others) == 1) else None

    def _body(self, function: Function, record: Record | None) -> Expression | None:
        """What the function returns, in terms of its formals and of `this`."""
        value = returned_value(function)
        formals = {p.declarators[0].name.text for p in function.formals}
        if value is None or _acts(value) or len(formals) != len(function.formals):
            return None
        objects = self.objects.inside(record)
        bound = mapped(value, lambda e: self._bound(e, formals, objects, record))
        foreign = {part.text for part in parts_of(bound) if isinstance(part, Name)} - formals - {THIS}
        if any(self._is_hidden(name) for name in foreign):
            return None
        inner = Accessors(objects, self.declared, self.level + 1).seen(bound)
        return mapped(inner, lambda e: _with_rows(e, formals))

    def _bound(self, e: Expression, formals: set[str], objects: Objects, record: Record | None) -> Expression:
        """A member without an object as one of `this`."""
        if not isinstance(e, Name) or e.text in formals or record is None or e.text == THIS:
            return e
        this = Name(Token("name", THIS, e.token.start, e.token.end, True))
        held = objects.variable(this)
        data = held is not None and objects.member(held, e.text) is not None
        called = any(f.name.text == e.text and f.record == record.name for f in objects.unit.functions)
        return Member(this, e.token, True) if data or called else e

    def _is_hidden(self, name: str) -> bool:
        """Does the nest mean something else by a name of the function's body?"""
        variable = self.objects.variables.get(name)
        return name in self.declared or (variable is not None and variable.scope != "global")


def returned_value(function: Function) -> Expression | None:
    """The expression of a body that is one `return`, assertions before it aside."""
    try:
        statements = [s for s in function.body.statements if not _is_aside(s)]
    except (SourceError, SyntaxFault):
        return None
    if len(statements) == 1 and isinstance(statements[0], Jump) and statements[0].kind == "return":
        return statements[0].value
    return None


def _is_aside(s: Statement) -> bool:
    """Nothing, or what a macro such as `assert` makes."""
    if isinstance(s, Block):
        return not s.statements
    nothing = isinstance(s, PragmaWords) or (isinstance(s, Evaluated) and s.expression is None)
    return nothing or (isinstance(s, Evaluated) and s.first.made and "assert" in s.first.macro.lower())


def _passed(words: Sequence[str], argument: Expression) -> Expression:
    """An argument as the formal's type."""
    type_ = canonical_type(" ".join(words))
    return Cast(type_, False, argument) if type_ in SIGNED | UNSIGNED and not isinstance(argument, Number) else argument


def _acts(e: Expression) -> bool:
    """Does it matter how often it is evaluated?"""
    return any(isinstance(part, (Step, Assign)) for part in parts_of(e))


def _pointed(e: Expression) -> Expression | None:
    """What `*e` is."""
    match e:
        case Unary(op, operand) if op.text == "&":
            return operand
    return None


def _with_rows(e: Expression, formals: set[str]) -> Expression:
    match e:
        case Index(base, Binary() as subscript):
            return Index(base, _rows(subscript, formals))
        case Binary("+", base, Binary() as offset):
            return Binary("+", base, _rows(offset, formals))
    return e


def _rows(e: Expression, formals: set[str]) -> Expression:
    """`e` with its dimensions, members named as in the function."""
    plain = mapped(e, lambda inner: Name(inner.name) if isinstance(inner, Member) else inner)
    found = rowed(plain, formals)
    if found is plain or not isinstance(e, Binary):
        return e
    assert isinstance(found, Rowed)
    return Rowed(e.op, e.left, e.right, found.dimensions, found.strides)


def spelled(e: Expression) -> str | None:
    """C text of an object."""
    match e:
        case Name():
            return e.text
        case Member(base, name, arrow):
            text = spelled(base)
            return None if text is None else f"{text}{'->' if arrow else '.'}{name.text}"
    return None


def _is_number(name: str) -> bool:
    return canonical_type(name.removeprefix("std::")) in SIGNED | UNSIGNED | set(ELEMENT_BYTE)
