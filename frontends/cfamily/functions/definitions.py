"""Function definitions of a source with the texts that a caller of them needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.frontends.cfamily.syntax.tree import Declaration, Scope
from tunepass.frontends.cfamily.text.names import pieces, plain_name, template_arguments
from tunepass.frontends.cfamily.text.tokens import Token, spaced
from tunepass.frontends.cfamily.types.declared import CType, canonical_type, type_of
from tunepass.frontends.cfamily.unit import Function, Unit

CONTAINER = re.compile(r"\b(?:vector|span|array|valarray)\s*<\s*(?P<element>[^,<>]+)")
NOT_RETURNED = frozenset(
    {"static", "inline", "constexpr", "consteval", "extern", "virtual", "explicit", "friend", "register", "__inline__",
     "__inline", "_Noreturn", "__extension__", "__global__", "__device__", "__host__", "__forceinline__",
     "__noinline__", "__kernel", "kernel", "__forceinline"}
)  # fmt: skip
OTHER_OPERATOR = re.compile(r"\boperator\b(?!\s*(?:\(\)|\[\]|[^\w\s<>,\"(\[]+)\s*$)")
"""Conversions, `new`, and those with signs that pragmas have for templates: no pragma names them."""

NO_TYPE, VOID = CType(""), CType("void")
OPERATOR_SPACE = re.compile(r"\boperator\s+")
PRIVATE = ("static", "inline", "constexpr", "__inline__", "__inline")


@dataclass(frozen=True, slots=True)
class Formal:
    """A formal parameter: its text, its name (empty if it has none), its element type without qualifiers."""

    text: str
    name: str
    element: str
    pointer: bool  # or an array
    constant: bool  # what it points or refers to is const
    reference: bool = False
    container: bool = False  # one of the standard library's; `element` is that of its elements
    type: CType = NO_TYPE  # as declared; a container is a pointer to its elements
    words: tuple[str, ...] = ()  # specifiers, address spaces among them
    restrict: bool = False


@dataclass(frozen=True, slots=True)
class FunctionDefinition:
    """A function with a body. `start` is where its prototype begins, [body_start, body_end) its braces included, or its
    `try` and handlers."""

    name: str
    prototype: str
    formals: tuple[Formal, ...]
    private: str  # why other files cannot call it, if they cannot: `static`, `inline`, a namespace
    start: int
    name_start: int
    body_start: int
    body_end: int
    scopes: tuple[Scope, ...] = ()
    path: tuple[str, ...] = ()  # what its own name is qualified with: `void Solver::step()`
    returns: str = ""
    template: str | None = None  # its template parameters
    specialised: tuple[str, ...] | None = None  # the template arguments that a `template <>` is for
    result: CType = VOID
    of_class: str = ""  # the template parameters of its class: `template <class T> void S<T>::f()`
    qualifiers: str = ""  # of the object that a member function is called on: `const`, `&&`

    @property
    def qualified(self) -> str:
        """`blas::Solver::step`, unnamed scopes left out."""
        return "::".join([*(s.name for s in self.scopes if s.name), *self.path, self.name])

    @property
    def member(self) -> bool:
        """Whether it is of a class and not `static`: it needs an object."""
        return bool(self.scopes) and self.scopes[-1].kind == "class" and self.private != "`static`"


def definitions(unit: Unit) -> tuple[FunctionDefinition, ...]:
    """The definitions of the source itself, in the order of the text; active ones only."""
    static = _declared_static(unit)
    functions = (f for f in unit.functions if not f.in_header and not _is_other_operator(unit, f))
    return tuple(_definition(unit, f, not f.record and f.name.text in static) for f in functions)


def _is_other_operator(unit: Unit, function: Function) -> bool:
    return OTHER_OPERATOR.search(unit.source.text[function.name.start : function.name.end]) is not None


def _declared_static(unit: Unit) -> frozenset[str]:
    """Names of functions whose declarations, not always their definitions, say `static`."""
    declarations = (d for d in unit.globals if "static" in d.words)
    return frozenset(d.name.text for g in declarations for d in g.declarators if d.parameters is not None)


def named(name: str, definitions: Sequence[FunctionDefinition], place: int) -> list[FunctionDefinition]:
    """The definitions that `name` means at `place`: those with just that name, else those in the scopes around it, else
    all whose qualified name ends with it."""
    qualified = plain_name(name)
    around = {s for d in definitions for s in d.scopes if d.start <= place < s.end}
    last = qualified.rpartition("::")[2]
    candidates = [d for d in definitions if d.name == last]
    exact = [d for d in candidates if d.qualified == qualified]
    if exact:
        return exact
    ending = [d for d in candidates if d.qualified.endswith(f"::{qualified}")]
    inside = [d for d in ending if any(scope in around for scope in d.scopes)]
    return inside or ending


@dataclass(frozen=True, slots=True)
class FunctionHead:
    """How a function is called, from its definition or a declaration."""

    formals: tuple[Formal, ...]
    result: CType


def heads(unit: Unit, name: str) -> tuple[FunctionHead, ...]:
    """Heads of the functions of this name that the source or its headers define or declare, overloads apart."""
    simple = name.rpartition("::")[2]
    functions = [
        FunctionHead(tuple(_formal(unit, p) for p in f.formals), _result(f))
        for f in unit.functions
        if f.name.text.rpartition("::")[2] == simple
    ]
    for declaration in unit.globals:
        for declarator in declaration.declarators:
            if declarator.name.text.rpartition("::")[2] == simple and declarator.parameters is not None:
                base = type_of(declaration.words, declarator).base
                formals = tuple(_formal(unit, p) for p in declarator.parameters)
                functions.append(FunctionHead(formals, CType(base, sum(declarator.pointers), ())))
    kinds = {tuple((f.type, f.reference) for f in head.formals): head for head in reversed(functions)}
    return tuple(kinds.values())[::-1]


def _definition(unit: Unit, function: Function, static: bool) -> FunctionDefinition:
    *path, name = plain_name(OPERATOR_SPACE.sub("operator", function.name.text)).split("::")
    formals = tuple(_formal(unit, p) for p in function.formals)
    returns = _returns(unit, function)
    template, of_class = function.template, ""
    if template is not None and template.outer < sum("<" in scope for scope in pieces(function.name.text)[:-1]):
        of_class, template = template.text, None  # `template <class T> void S<T>::f()`
    tokens = unit.tokens
    return FunctionDefinition(
        name=name,
        prototype=_prototype(unit, function, formals),
        formals=formals,
        private="`static`" if static else _private(function, tuple(path), template is not None),
        start=tokens[function.first].start,
        name_start=function.name.start,
        body_start=tokens[function.opening].start,
        body_end=tokens[function.closing].end,
        scopes=function.scopes,
        path=tuple(path),
        returns=returns,
        template=template.text if template is not None else None,
        specialised=template_arguments(function.name.text),
        result=_result(function),
        of_class=of_class,
        qualifiers=_qualifiers(unit, function),
    )


def _qualifiers(unit: Unit, function: Function) -> str:
    words = []
    for token in unit.tokens[function.formals_end + 1 : function.opening]:
        if token.at("const", "volatile", "&", "&&"):
            words.append(token.text)
        elif not token.at("noexcept", "override", "final"):
            break
    return " ".join(words)


def _prototype(unit: Unit, function: Function, formals: Sequence[Formal]) -> str:
    language = 'extern "C" ' if unit.is_c_linked(function) else ""
    if _is_old_style(function):
        head = unit.written(function.first, _index(unit, function.name, function.first))
        return f"{language}{head}({', '.join(formal.text for formal in formals)})"
    text = unit.written(function.first, function.formals_end)
    after = [t.text for t in unit.tokens[function.formals_end + 1 : function.opening]]
    trailing = f" -> {_trailing(unit, function)}" if "->" in after else ""
    return language + text + trailing


def _is_old_style(function: Function) -> bool:
    """Do the parameters' types stand after the brackets?"""
    end = function.unit.tokens[function.formals_end].start
    return any(p.first.start > end for p in function.formals)


def _index(unit: Unit, token: Token, start: int) -> int:
    """The first token from `start` on at the place of `token`, which may be several folded into one."""
    return next((at for at in range(start, len(unit.tokens)) if unit.tokens[at].start == token.start), start)


def _trailing(unit: Unit, function: Function) -> str:
    tokens = unit.tokens
    at = next(at for at in range(function.formals_end, function.opening) if tokens[at].at("->"))
    return unit.written(at + 1, function.opening - 1)


def _returns(unit: Unit, function: Function) -> str:
    """Without specifiers; the trailing type where there is one."""
    after = [t.text for t in unit.tokens[function.formals_end + 1 : function.opening]]
    if "->" in after:
        return _trailing(unit, function)
    end = _index(unit, function.name, function.first)
    asides = unit.reader.feed.asides
    dropped = unit.reader.feed.left_out
    words = [
        t for at, t in enumerate(unit.tokens[function.first : end], function.first)
        if at not in dropped and t.kind != "text" and t.text not in NOT_RETURNED
        and (at not in asides or t.text == "const")
    ]  # fmt: skip
    return spaced(words)


def _result(function: Function) -> CType:
    declarator = function.declarator
    kind = type_of(function.words, declarator)
    return CType(kind.base, sum(declarator.pointers), ())


def _private(function: Function, path: tuple[str, ...], template: bool) -> str:
    """Why other files cannot call it by its plain name, or at all."""
    specifiers = [word for word in function.words if word in PRIVATE]
    if specifiers:
        return "`static`" if "static" in specifiers else f"`{specifiers[0]}`"
    if template:
        return "`template`"
    if path or any(scope.kind == "class" for scope in function.scopes):
        return "in a class"
    return "in a namespace" if any(scope.kind == "namespace" for scope in function.scopes) else ""


def _formal(unit: Unit, parameter: Declaration) -> Formal:
    (declarator,) = parameter.declarators
    kind = type_of(parameter.words, declarator)
    container = CONTAINER.search(kind.base)
    element = canonical_type(container["element"].removeprefix("std::")) if container else kind.base
    return Formal(
        text=_formal_text(unit, parameter),
        name=declarator.name.text,
        element=element,
        pointer=bool(declarator.shape) and not container,
        constant="const" in parameter.words,
        reference=declarator.reference,
        container=container is not None,
        type=CType(element, 1) if container else kind,
        words=parameter.words,
        restrict=declarator.restricted,
    )


def _formal_text(unit: Unit, parameter: Declaration) -> str:
    (declarator,) = parameter.declarators
    tokens = unit.tokens
    first, last = unit.index(parameter.first), unit.index(parameter.last)
    inside = tokens[first : last + 1]
    if any(t.at(";") for t in inside) or not any(t is declarator.name for t in inside):
        stars = "*" * sum(declarator.pointers)
        if not declarator.name.text:
            return unit.written(first, last)
        lengths = "".join(f"[{n}]" for n, p in zip(declarator.lengths, declarator.pointers) if not p)
        return f"{' '.join(parameter.words)} {stars}{declarator.name.text}{lengths}"
    return unit.written(first, last)
