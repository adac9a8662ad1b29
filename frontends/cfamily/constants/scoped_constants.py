"""Constants of C++ by their names with scopes: enumerators, and constants of namespaces and classes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.cfamily.constants.named_numbers import FIXED
from tunepass.frontends.cfamily.constants.values import Values
from tunepass.frontends.cfamily.syntax.grammar import parse
from tunepass.frontends.cfamily.syntax.tree import Binary, Expression, Number, SyntaxFault
from tunepass.frontends.cfamily.text.tokens import Token
from tunepass.frontends.cfamily.unit import Unit

if TYPE_CHECKING:
    from tree_sitter import Node

QUALIFIED = re.compile(r"(?:::\s*)?\b[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)+")
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScopedConstant:
    """`path` are the namespaces, classes and the enumeration around the name."""

    path: Path
    name: str
    value: Expression
    unscoped: bool = False  # an enumerator that the scope around its enumeration has too


def qualified_names(text: str) -> list[str]:
    """The names with scopes in a piece of code, without spaces."""
    return ["".join(match.group().split()) for match in QUALIFIED.finditer(text)]


def scoped_constants(unit: Unit, names: Collection[str]) -> dict[str, int | float]:
    """The numbers of those of the qualified `names` that have one value. A name may leave out the outer scopes."""
    values = _values(unit) if unit.cxx and names else {}
    constants: dict[str, int | float] = {}
    for name in names:
        parts = tuple(part for part in name.split("::") if part)
        candidates = [value for path, value in values.items() if path[-len(parts) :] == parts]
        if name.startswith("::"):
            candidates = [values[parts]] if parts in values else []
        numbers = {algebra.number(value) for value in candidates}
        number = numbers.pop() if len(numbers) == 1 else None
        if number is not None:
            constants[name] = number
    return constants


def _values(unit: Unit) -> Mapping[Path, Expr]:
    """By the whole path. A constant is worked out from those of its scope and of the scopes around it."""
    values: dict[Path, Expr] = {}
    known: dict[Path, dict[str, Expr]] = {}
    for constant in _Walk(unit).constants(parse(unit.reader.feed.text, cxx=True), ()):
        around = [known.get(constant.path[:depth], {}) for depth in range(len(constant.path) + 1)]
        value = Values({}, {name: e for names in around for name, e in names.items()}).value(constant.value)
        if value is None:
            continue
        for path in (constant.path, *([constant.path[:-1]] if constant.unscoped else ())):
            values[(*path, constant.name)] = value
            known.setdefault(path, {})[constant.name] = value
    return values


@dataclass(frozen=True, slots=True)
class _Walk:
    unit: Unit

    def constants(self, node: Node, path: Path) -> Iterator[ScopedConstant]:
        for child in node.named_children:
            yield from self._part(child, path)

    def _part(self, node: Node, path: Path) -> Iterator[ScopedConstant]:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        match node.type:
            case "namespace_definition" | "class_specifier" | "struct_specifier" | "union_specifier":
                words = self.unit.reader.folded(name).text.split("::") if name is not None else []
                if body is not None:
                    yield from self.constants(body, (*path, *words))
            case "linkage_specification":
                yield from self.constants(node, path)
            case "enum_specifier":
                if body is not None:
                    yield from self._enumerators(node, body, path)
            case "declaration" | "field_declaration" | "type_definition":
                yield from self.constants(node, path)
                yield from self._declared(node, path)
            case "declaration_list" | "preproc_if" | "ERROR":
                yield from self.constants(node, path)

    def _enumerators(self, node: Node, body: Node, path: Path) -> Iterator[ScopedConstant]:
        reader = self.unit.reader
        name, start = node.child_by_field_name("name"), reader.token(body)
        scoped = reader.tokens[reader.first(node) + 1].at("class", "struct")
        inside = (*path, reader.folded(name).text) if name is not None else path
        value: Expression = _number("0", start)
        for child in body.named_children:
            written, stated = child.child_by_field_name("name"), child.child_by_field_name("value")
            if written is None:
                continue
            try:
                value = reader.expression(stated) if stated is not None else value
            except SyntaxFault:
                return
            text = reader.token(written).text
            yield ScopedConstant(inside, text, value, unscoped=not scoped and name is not None)
            value = Binary("+", value, _number("1", start))

    def _declared(self, node: Node, path: Path) -> Iterator[ScopedConstant]:
        try:
            declaration = self.unit.reader.declaration(node, in_body=False)
        except SyntaxFault:
            return
        # Of a class's `static const int a = 1, b;` the reader does not say whose value 1 is.
        alone = node.type != "field_declaration" or len(declaration.declarators) == 1
        for declarator in declaration.declarators if alone and FIXED & set(declaration.words) else ():
            if declarator.value is not None and not declarator.shape:
                yield ScopedConstant(path, declarator.name.text, declarator.value)


def _number(text: str, at: Token) -> Number:
    return Number(Token("number", text, at.start, at.start))
