"""What names in a function mean: variables with their types, found in its head, before the scop and at file scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tunepass.frontends.c.scops.numbers.c_types import ELEMENT_BYTE
from tunepass.frontends.c.scops.statements.containers import contained
from tunepass.frontends.cfamily.syntax.tree import (
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Declaration,
    Declarator,
    Evaluated,
    Expression,
    For,
    ForEach,
    If,
    Index,
    Items,
    Name,
    Number,
    PragmaWords,
    Statement,
    Tried,
    Unary,
    While,
)
from tunepass.frontends.cfamily.syntax.words import QUALIFIERS, STORAGE, TAGGED
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.types.declared import canonical_type, is_integral
from tunepass.frontends.cfamily.unit import Function, Unit

Scope = Literal["formal", "local", "global", "inner"]
POINTER_BYTE = 8


@dataclass(frozen=True, slots=True)
class Variable:
    """`shape` in the order of subscripting: an array's extent, None where it has none or is a pointer's.

    `alone`: memory that no other name reaches, by assumption of formals and globals.
    """

    name: str
    element: str  # C type, canonical
    shape: tuple[Expression | None, ...]
    pointers: tuple[bool, ...]
    scope: Scope
    static: bool = False
    constant: bool = False
    alone: bool = True
    volatile: bool = False
    container: bool = False  # of the standard library; `element` and `shape` are those of what it holds

    @property
    def integral(self) -> bool:
        return not self.shape and (is_integral(self.element) or self.element.startswith("enum "))

    @property
    def unsigned(self) -> bool:
        return self.element.startswith(("unsigned", "uint", "size_t"))

    @property
    def element_byte(self) -> int:
        return ELEMENT_BYTE.get(self.element, POINTER_BYTE)


Types = Mapping[str, Variable]
"""What each typedef's name stands for."""


class Variables:
    """Names by scope; inner ones hide outer ones until their block closes."""

    def __init__(self) -> None:
        self.types: dict[str, Variable] = {}
        self.scopes: list[dict[str, Variable]] = [{}]

    def open(self) -> None:
        self.scopes.append({})

    def close(self) -> None:
        if len(self.scopes) > 1:
            self.scopes.pop()

    def get(self, name: str) -> Variable | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def declare(self, declaration: Declaration, scope: Scope) -> list[Variable]:
        """The variables of a declaration; functions are none, and a typedef's names become types."""
        made: list[Variable] = []
        for declarator in declaration.declarators:
            if not declarator.name.text or declarator.parameters is not None:
                continue
            variable = self.variable(declaration.words, declarator, scope)
            if "typedef" in declaration.words:
                self.types[variable.name] = variable
                continue
            self.scopes[-1][variable.name] = variable
            made.append(variable)
        return made

    def type(self, words: Sequence[str]) -> Variable | None:
        """What a typedef's name among the words stands for."""
        plain = _plain(words)
        return self.types.get(plain[0]) if len(plain) == 1 else None

    def element(self, words: Sequence[str]) -> str:
        """The C type that a declaration's words name, without qualifiers."""
        known, plain = self.type(words), _plain(words)
        if known is not None:
            return known.element
        tagged = bool(plain) and plain[0] in TAGGED
        return " ".join(plain) if tagged else canonical_type(" ".join(plain)) or "int"

    def variable(self, words: Sequence[str], declarator: Declarator, scope: Scope) -> Variable:
        known, held = self.type(words), contained(" ".join(_plain(words)))
        reference = (True,) if declarator.reference else ()
        pointers = (*declarator.pointers, *reference, *(known.pointers if known else ()))
        owned = pointers[:1] != (True,) and (held is None or held.owns)
        if _plain(words) == [] and "auto" in words and declarator.value is not None and not declarator.reference:
            return self._deduced(words, declarator, scope)
        return Variable(
            name=declarator.name.text,
            element=held.element if held else self.element(words),
            shape=(*declarator.shape, *(known.shape if known else ()), *(held.extents if held else ())),
            pointers=pointers,
            scope=scope,
            static="static" in words or "extern" in words,
            constant="const" in words,
            volatile="volatile" in words or (known is not None and known.volatile),
            alone=scope in ("formal", "global") or declarator.restricted or owned or _allocates(declarator.value),
            container=held is not None or (known is not None and known.container),
        )  # fmt: skip

    def _deduced(self, words: Sequence[str], declarator: Declarator, scope: Scope) -> Variable:
        """`auto v = value;` where the value's type can be told: of a number or a pointer. An unknown type otherwise."""
        assert declarator.value is not None
        type_ = type_of_value(declarator.value, self) or ("auto", 0)
        pointers = (True,) * max(type_[1], len(declarator.pointers))
        return Variable(
            name=declarator.name.text,
            element=type_[0],
            shape=(None,) * len(pointers),
            pointers=pointers,
            scope=scope,
            static="static" in words,
            constant="const" in words,
            volatile="volatile" in words,
            alone=not pointers or _allocates(declarator.value),
        )


def _plain(words: Sequence[str]) -> list[str]:
    return [w for w in words if w not in QUALIFIERS | STORAGE]


INT, UNSIGNED_INT = "int", "unsigned int"
RANKS = ("int", "int32_t", "unsigned int", "uint32_t", "long", "int64_t", "ptrdiff_t", "long long", "unsigned long",
         "uint64_t", "size_t", "unsigned long long", "float", "double", "long double")  # fmt: skip
"""The type of what two operands make is the later one of theirs."""
NUMBER_SUFFIXES = {"": INT, "u": UNSIGNED_INT, "l": "long", "ul": "unsigned long", "lu": "unsigned long"}


def type_of_value(e: Expression, variables: Variables) -> tuple[str, int] | None:
    """(element, levels of pointers) of a value of numbers, elements and pointers to them; None of another."""
    match e:
        case Items((only,)):
            return type_of_value(only, variables)
        case Number(token):
            return _type_of_number(token.text.lower())
        case Name() | Index() | Unary(op=Token(text="*")):
            return _type_of_lvalue(e, variables)
        case Unary(op, operand) if op.text == "&":
            inner = _type_of_lvalue(operand, variables)
            return None if inner is None else (inner[0], inner[1] + 1)
        case Unary(op, operand) if op.text in ("-", "+", "~"):
            return _promoted(type_of_value(operand, variables))
        case Cast(type_, False, _):
            known = variables.types.get(type_)
            return (known.element if known else canonical_type(type_), 0) if known is None or not known.shape else None
        case Cast(type_, True, _, "*"):
            return variables.element((type_,)), 1
        case Binary("<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||", _, _):
            return "bool", 0
        case Binary(op, left, right):
            return _type_of_both(op, type_of_value(left, variables), type_of_value(right, variables))
        case Conditional(_, then, other):
            a, b = type_of_value(then, variables), type_of_value(other, variables)
            return a if a == b else _type_of_both("+", a, b) if a and b and a[1] == b[1] == 0 else None
    return None


def _type_of_lvalue(e: Expression, variables: Variables) -> tuple[str, int] | None:
    match e:
        case Name(token):
            known = variables.get(token.text)
            if known is None:
                return INT, 0  # an enumerator or a macro's number
            pointer = all(known.pointers) or len(known.shape) == 1
            return (known.element, len(known.shape)) if pointer and not known.container else None
        case Index(base, _) | Unary(op=Token(text="*"), operand=base):
            inner = type_of_value(base, variables)
            return None if inner is None or not inner[1] else (inner[0], inner[1] - 1)
    return None


def _type_of_number(text: str) -> tuple[str, int] | None:
    if not text.startswith("0x") and text.rstrip("ulf")[-1] in "ij":
        return None  # complex
    digits = text.rstrip("ul") if text.startswith("0x") else text.rstrip("ulf")
    suffix = text[len(digits) :]
    if not text.startswith("0x") and ("." in text or "e" in text or suffix == "f"):
        return {"": "double", "f": "float", "l": "long double"}[suffix], 0
    small = digits.isdigit() and int(digits) < 1 << 31
    return (NUMBER_SUFFIXES[suffix], 0) if small and suffix in NUMBER_SUFFIXES else None


def _promoted(type_: tuple[str, int] | None) -> tuple[str, int] | None:
    if type_ is None or type_[1]:
        return None
    return (INT, 0) if ELEMENT_BYTE.get(type_[0], 8) < 4 and type_[0] != "_Float16" else type_


def _type_of_both(op: str, a: tuple[str, int] | None, b: tuple[str, int] | None) -> tuple[str, int] | None:
    if a is None or b is None:
        return None
    if a[1] or b[1]:
        pointer, other = (a, b) if a[1] else (b, a)
        return pointer if not other[1] and (op == "+" or (op == "-" and a[1])) else None
    left, right = _promoted(a), _promoted(b)
    if left is None or right is None or left[0] not in RANKS or right[0] not in RANKS:
        return None
    return left if op in ("<<", ">>") else max(left, right, key=lambda t: RANKS.index(t[0]))


def _allocates(value: Expression | None) -> bool:
    """Is this the result of an allocation, perhaps cast?"""
    while isinstance(value, Cast):
        value = value.operand
    return isinstance(value, Call) and isinstance(value.function, Name) and "alloc" in value.function.text


def _as_pointer(parameter: Declaration) -> Declaration:
    """A formal array is a pointer to its first row."""
    return replace(
        parameter,
        declarators=tuple(
            replace(d, pointers=(True, *d.pointers[1:]) if d.shape else d.pointers) for d in parameter.declarators
        ),
    )


def read_variables(unit: Unit, function: Function, place: int) -> Variables:
    """Those that are known at `place` in the function: at file scope, its formals, declared around and before."""
    variables = Variables()
    for alias in unit.aliases.values():
        variables.declare(
            alias if "typedef" in alias.words else replace(alias, words=("typedef", *alias.words)), "global"
        )
    for declaration in unit.globals:
        variables.declare(declaration, "global")
    variables.open()
    for parameter in function.formals:
        variables.declare(_as_pointer(parameter), "formal")
    _declare_before(function.body, place, variables)
    return variables


def _declare_before(s: Statement, place: int, variables: Variables) -> None:
    """The variables of the blocks and loops that are open at `place`."""
    match s:
        case Block():
            variables.open()
            for inner in s.statements:
                if inner.end > place and not isinstance(inner, PragmaWords):
                    _declare_before(inner, place, variables)
                    return
                if isinstance(inner, Declaration):
                    variables.declare(inner, "local")
        case For(begin=Declaration() as begin) if s.start < place:
            variables.open()
            variables.declare(begin, "local")
            _declare_before(s.body, place, variables)
        case For() | While() | ForEach() if s.start < place:
            _declare_before(s.body, place, variables)
        case Evaluated(expression=Tried(blocks=blocks)):
            for inner in blocks:
                if inner.start <= place < inner.end:
                    _declare_before(inner, place, variables)
        case If() if s.start < place:
            branch = s.then if s.then.end > place or s.other is None else s.other
            _declare_before(branch, place, variables)
