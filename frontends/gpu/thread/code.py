"""What a thread's code refers to: functions, constants, types in words of 32 bits, and where arrays are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tunepass.diagnostics import TunepassError
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr, Type
from tunepass.frontends.cfamily.constants.values import Values
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import (
    Block,
    Declaration,
    Declarator,
    Expression,
    Jump,
    Lambda,
    PragmaWords,
    SyntaxFault,
    TemplateParameter,
)
from tunepass.frontends.cfamily.text.tokens import tokens
from tunepass.frontends.cfamily.unit import Function, Unit

Where = Literal["global", "shared", "local", "constant"]
SHARED = frozenset({"__shared__", "__local", "local"})
CONSTANT = frozenset({"__constant__", "__constant", "constant"})
FIXED = frozenset({"const", "constexpr"})
SCALARS = (
    *("float", "int", "unsigned", "signed", "char", "short", "bool", "half", "uint", "uchar", "ushort"),
    *("int32_t", "uint32_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "half2", "auto"),
)
WIDE = ("double", "long", "size_t", "int64_t", "uint64_t", "ulong")
TYPE_WORDS = dict.fromkeys(SCALARS, 1) | dict.fromkeys(WIDE, 2) | {"dim3": 3}
TYPE_WORDS |= {f"{name}{n}": n * TYPE_WORDS[name] for name in (*SCALARS, *WIDE) for n in (2, 3, 4, 8, 16)}
HALVED = {"half2": 1, "char2": 1, "char3": 1, "char4": 1, "uchar4": 1, "short2": 1}  # several to a word
TYPE_WORDS |= HALVED
ONE = algebra.lift(1)
POINTER = algebra.lift(2)
DEPTH_LIMIT = 12  # of types in types


@dataclass(frozen=True, slots=True)
class ThreadVariable:
    """An array or a pointer: where its elements are, and the words of one."""

    where: Where
    words: Expr


@dataclass(frozen=True, slots=True)
class Callee:
    """A function or a lambda that is read where it is called."""

    parameters: tuple[Declaration, ...]
    body: Block
    template: tuple[TemplateParameter, ...] = ()


@dataclass(slots=True)
class Code:
    """Names in force at the place that is read; `types` are those of template parameters."""

    unit: Unit
    values: Values
    functions: Mapping[str, Sequence[Function]]
    variables: dict[str, ThreadVariable] = field(default_factory=dict)
    lambdas: dict[str, Lambda] = field(default_factory=dict)
    types: dict[str, Expr] = field(default_factory=dict)

    def callee(self, name: str, given: int) -> Callee | None:
        """The last with this name that takes so many arguments; None too for one whose code cannot be read."""
        if name in self.lambdas:
            found = self.lambdas[name]
            return Callee(found.parameters, found.body)
        several = self.functions.get(name, ())
        fitting = [f for f in several if len(f.formals) == given] or several
        try:
            return Callee(fitting[-1].formals, fitting[-1].body, _parameters(fitting[-1])) if fitting else None
        except TunepassError:
            return None

    def instantiate(self, template: Sequence[TemplateParameter], given: Sequence[str]) -> None:
        """The template's parameters get the values and types that a call writes."""
        for parameter, text in zip(template, given):
            if parameter.kind in ("typename", "class"):
                self.types[parameter.name] = self.type_words(text.split())
            else:
                self.keep(parameter.name, read_text(text))

    def keep(self, name: str, value: Expression | None) -> bool:
        """Whether the name's value is known from now on."""
        known = self.values.value(value)
        if known is None:
            self.values.known.pop(name, None)
        else:
            self.values.known[name] = known
        return known is not None

    def extents(self, declarator: Declarator) -> Expr:
        """The product of the lengths, as far as they are known."""
        lengths = (self.values.number(extent) for extent in declarator.shape)
        return algebra.mul(*(length for length in lengths if length is not None))

    def type_words(self, words: Sequence[str], depth: int = 0) -> Expr:
        """Of one object of the type that a declaration's words name."""
        for word in words:
            if word in self.types:
                return self.types[word]
            if word in self.unit.records:
                return self._record(word, depth)
            if word in TYPE_WORDS:
                return algebra.lift(TYPE_WORDS[word])
            alias = self.unit.aliases.get(word)
            if alias is not None and depth < DEPTH_LIMIT:
                return self._declared(alias, depth)
        return ONE

    def _record(self, name: str, depth: int) -> Expr:
        record = self.unit.records[name]
        if depth >= DEPTH_LIMIT or not record.members:
            return ONE
        sizes = [self._declared(member, depth) for member in record.members]
        return algebra.maximum(*sizes) if record.kind == "union" else algebra.add(0, *sizes)

    def _declared(self, declaration: Declaration, depth: int) -> Expr:
        size = self.type_words(declaration.words, depth + 1)
        return algebra.add(
            0, *(algebra.mul(POINTER if any(d.pointers) else size, self.extents(d)) for d in declaration.declarators)
        )


def code_of(unit: Unit, types: Mapping[str, Type]) -> Code:
    """With the constants, enumerators and arrays at file scope. `types` are those of the parameters."""
    functions: dict[str, list[Function]] = {}
    for function in unit.functions:
        functions.setdefault(function.name.text.rpartition("::")[2].partition("<")[0], []).append(function)
    code = Code(unit, Values(types), functions)
    code.values.body = lambda name, given: _returned(code, name, given)
    for name, value in unit.enumerators.items():
        code.keep(name, value)
    for declaration in unit.globals:
        words = set(declaration.words)
        for declarator in declaration.declarators:
            name = declarator.name.text
            if words & FIXED and not declarator.shape and declarator.value is not None:
                code.keep(name, declarator.value)
            elif words & CONSTANT:
                code.variables[name] = ThreadVariable("constant", ONE)
            elif words & SHARED:
                code.variables[name] = ThreadVariable("shared", code.type_words(declaration.words))
            elif "__device__" in words and declarator.shape and declarator.parameters is None:
                code.variables[name] = ThreadVariable("global", code.type_words(declaration.words))
    return code


def _returned(code: Code, name: str, given: int) -> tuple[Sequence[str], Expression] | None:
    """The parameters and the value of a function that only returns one."""
    callee = code.callee(name.rpartition("::")[2].partition("<")[0], given)
    if callee is None or len(callee.parameters) != given:
        return None
    match [s for s in callee.body.statements if not isinstance(s, PragmaWords)]:
        case [Jump(kind="return", value=value)] if value is not None:
            return [p.declarators[0].name.text for p in callee.parameters], value
    return None


def _parameters(function: Function) -> tuple[TemplateParameter, ...]:
    return function.template.parameters if function.template else ()


def read_text(text: str) -> Expression | None:
    """An expression of its text; None where it is none."""
    try:
        return parse_expression(list(tokens(text)))
    except SyntaxFault:
        return None


def template_texts(name: str) -> list[str]:
    """`f<8, float>`: the texts of the arguments."""
    inside = name.partition("<")[2].rpartition(">")[0]
    texts, depth = [""], 0
    for character in inside:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            texts.append("")
        else:
            texts[-1] += character
    return [text.strip() for text in texts if text.strip()]
