"""What the types of declarations are: elements, records, arrays and streams, templates' arguments in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tunepass.expr import algebra
from tunepass.expr.algebra import substitute
from tunepass.expr.nodes import Expr, free_names
from tunepass.frontends.cfamily.syntax.tree import Declaration, Expression, Record, SyntaxFault
from tunepass.frontends.hls.file import HlsFile
from tunepass.frontends.hls.types import (
    TYPE_TEMPLATES,
    VECTOR,
    WIDTH_LIMIT,
    arguments_of,
    base_of,
    c_element,
    named_element,
    plain_words,
)
from tunepass.ir.hardware import INT, Element, Fixed, Struct

FIXED = {"ap_int": True, "ap_uint": False, "ap_fixed": True, "ap_ufixed": False, "ac_int": True, "ac_fixed": True}
STREAMS = ("stream", "pipe", "istream", "ostream")
DEPTH_LIMIT = 24  # of types that stand for types


@dataclass(frozen=True, slots=True)
class Kind:
    """`element` of scalars, `record` of structs; `dims` are of the type itself: `std::array<int, 4>`. A FIFO is a
    `stream` of its elements."""

    element: Element = INT
    record: Record | None = None
    dims: tuple[Expr | None, ...] = ()
    stream: bool = False
    pointers: int = 0
    arguments: Mapping[str, str] = field(default_factory=dict)  # of the record's template


@dataclass(slots=True)
class TypeReader:
    """`number` reads an expression that is known when the hardware is made; `bound` are a template's arguments."""

    file: HlsFile
    number: Callable[[Expression], Expr | None]
    bound: dict[str, str] = field(default_factory=dict)
    defaults: Mapping[str, int] = field(default_factory=dict)  # of parameters that are whole numbers
    widths: set[str] = field(default_factory=set)  # the parameters that gave a width
    local: dict[str, Declaration] = field(default_factory=dict)  # typedefs in functions

    def kind(self, words: Sequence[str], depth: int = 0) -> Kind:
        plain = plain_words(tuple(words))
        element = c_element(plain)
        if element is not None or depth > DEPTH_LIMIT:
            return Kind(element or INT)
        name = plain[-1]
        base, arguments = base_of(name), arguments_of(name)
        if base in self.bound and not arguments and self.bound[base] != name:
            return self.kind(self.words_of(self.bound[base]), depth + 1)
        if base in TYPE_TEMPLATES and arguments:
            return self._template(base, arguments, depth)
        record = self.file.record(base)
        if record is not None:
            given = {p.name: self._given(a) for p, a in zip(record.template, arguments)}
            return Kind(record=record, arguments=given)
        alias = self.local.get(base) or self.file.aliases.get(base)
        if alias is not None:
            return self._alias(alias, depth)
        vector = VECTOR.match(name)
        if vector is not None:
            return Kind(named_element(vector[1]) or INT, dims=(algebra.lift(int(vector[2])),))
        return Kind(named_element(base) or INT)

    def _given(self, argument: str) -> str:
        """A template's argument: the number that it is where names bound here say so."""
        named = self.bound.keys() & set(re.findall(r"\w+", argument))
        number = self.text_number(argument) if named and "<" not in argument else None
        value = algebra.number(number) if number is not None else None
        return argument if value is None else str(int(value))

    def words_of(self, text: str) -> tuple[str, ...]:
        """The words of a type in a template's argument; stars are left out."""
        return (text,) if "<" in text else tuple(text.replace("*", " ").replace("&", " ").split())

    def _template(self, base: str, arguments: list[str], depth: int) -> Kind:
        if base in FIXED:
            width = self._whole(arguments[0], 32)
            integer = self._whole(arguments[1], width) if len(arguments) > 1 and base.endswith("fixed") else width
            signed = FIXED[base]
            if base.startswith("ac_") and arguments[-1] in ("false", "0"):
                signed = False
            return Kind(Fixed(signed, integer, width - integer))
        if base in ("ap_axiu", "ap_axis", "qdma_axis"):
            return Kind(Fixed(base == "ap_axis", self._whole(arguments[0], 32), 0))
        inner = self.kind(self.words_of(arguments[-1] if base == "pipe" else arguments[0]), depth + 1)
        if base in (*STREAMS, "stream_of_blocks"):
            return Kind(inner.element, inner.record, inner.dims, stream=True)
        if base in ("array", "vector") and len(arguments) > 1:
            extent = self.text_number(arguments[1])
            return Kind(inner.element, inner.record, (extent, *inner.dims))
        if base == "complex":
            return Kind(Struct((("re", inner.element), ("im", inner.element))))
        if base == "burst_maxi":
            return Kind(inner.element, inner.record, inner.dims, pointers=1)
        return inner

    def _alias(self, declaration: Declaration, depth: int) -> Kind:
        declarator = declaration.declarators[0]
        inner = self.kind(tuple(w for w in declaration.words if w != "typedef"), depth + 1)
        extents = tuple(None if e is None else self.number(e) for e in declarator.shape)
        return Kind(inner.element, inner.record, (*extents, *inner.dims), inner.stream, 0, inner.arguments)

    def _whole(self, text: str, otherwise: int) -> int:
        value = self.text_number(text)
        number = None if value is None else algebra.number(value)
        if number is None and value is not None:
            closed = substitute(value, {name: algebra.lift(n) for name, n in self.defaults.items()})
            number = algebra.number(closed)
            self.widths |= free_names(value)
        return max(1, min(int(number), WIDTH_LIMIT)) if number is not None else otherwise

    def _bound_number(self, name: str) -> Expr | None:
        """The argument's text was written outside: where it has the name itself, that is not this parameter."""
        bound = self.bound
        self.bound = {other: text for other, text in bound.items() if other != name}
        try:
            return self.text_number(bound[name])
        finally:
            self.bound = bound

    def text_number(self, text: str) -> Expr | None:
        """The value of a template's argument."""
        if text in self.bound:
            return self._bound_number(text)
        try:
            return self.number(self.file.expression_of(text))
        except SyntaxFault:
            return None
