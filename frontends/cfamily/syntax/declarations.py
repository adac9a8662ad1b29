"""Declarations: specifiers, declarators, parameters, records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tunepass.frontends.cfamily.syntax.expressions import Expressions, parse_expression
from tunepass.frontends.cfamily.syntax.feed import ASIDE_CALLS, PRIMITIVE
from tunepass.frontends.cfamily.syntax.nodes import Angles, has_fault, is_unnamed_bit_field, type_names
from tunepass.frontends.cfamily.syntax.tree import (
    Attribute,
    Binary,
    Call,
    Declaration,
    Declarator,
    Expression,
    Items,
    Number,
    Record,
    TemplateParameter,
)
from tunepass.frontends.cfamily.text.tokens import Token

if TYPE_CHECKING:
    from tree_sitter import Node

DECLARATORS = frozenset(
    {"identifier", "field_identifier", "type_identifier", "pointer_declarator", "reference_declarator",
     "array_declarator",
     "function_declarator", "parenthesized_declarator", "init_declarator", "qualified_identifier", "operator_name",
     "destructor_name", "operator_cast", "structured_binding_declarator", "attributed_declarator", "template_function",
     "abstract_pointer_declarator", "abstract_array_declarator", "abstract_function_declarator",
     "abstract_reference_declarator", "abstract_parenthesized_declarator", "variadic_declarator",
     "pointer_type_declarator"}
)  # fmt: skip
RECORDS = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "class_specifier": "class",
    "enum_specifier": "enum",
}
CUDA_ATTRIBUTES = frozenset({"global", "device", "host", "shared", "constant", "managed", "grid_constant"})
PARAMETERS = frozenset({"parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"})
RESIZING = frozenset({"vector_size", "ext_vector_type", "mode", "neon_vector_type", "neon_polyvector_type"})
"""Attributes, without underlines."""


class Declarations(Expressions):
    """`records` and `enumerators` are those met on the way; `types` are names of types.

    `tags` has the first token of the definition of each record and enumeration.
    """

    records: list[Record]
    tags: dict[str, Token]
    enums: dict[str, tuple[str, ...]]
    enumerators: dict[str, Expression]
    types: frozenset[str]

    def declaration(self, node: Node, in_body: bool = True) -> Declaration:
        for child in node.children:
            self.check(child)
        words, spelled = self.specifiers(node)
        written = (child for child in self._declarators(node) if not is_unnamed_bit_field(child))
        declarators = tuple(self._initialised(child, node, in_body) for child in written)
        if "typedef" in words and declarators and self._is_resized(node):
            words = ("typedef", declarators[0].name.text)
        return Declaration(
            words=words, declarators=declarators, spelled=spelled, first=self.begin(node), last=self.ends(node)[1]
        )

    def _is_resized(self, node: Node) -> bool:
        """Has the type another size than its words say? It is one of its own then."""
        inside = range(self._begin(node), self.last(node) + 1)
        return any(at in self.feed.asides and self.tokens[at].text.strip("_") in RESIZING for at in inside)

    def begin(self, node: Node) -> Token:
        """The first token, asides before it included."""
        return self.tokens[self._begin(node)]

    def _begin(self, node: Node) -> int:
        at = self.first(node)
        while at > 0 and at - 1 in self.feed.asides:
            at -= 1
        return at

    def _declarators(self, node: Node) -> Iterator[Node]:
        """With those that a bit-field without a name lacks."""
        for number, child in enumerate(node.children):
            if node.field_name_for_child(number) == "declarator":
                yield child

    def specifiers(self, node: Node) -> tuple[tuple[str, ...], str]:
        """The words before the first declarator, and the type's own as written."""
        declarators = list(self._declarators(node))
        begin = self._begin(node)
        end = self._end_of_specifiers(node, declarators)
        body = next((c for c in node.named_children if c.type in RECORDS), None)
        tagged = self._tagged(body) if body is not None else []
        skip = range(self.first(body), self.last(body) + 1) if body is not None else range(0)
        words: list[Token] = []
        before: list[str] = []
        at = begin
        while at < end:
            token = self.tokens[at]
            if at in skip:
                before, words = [*before, *type_names(words), *tagged], []
                at = skip.stop
                continue
            if at in self.feed.asides and token.text in ASIDE_CALLS | {"["}:
                if (keyword := self._keyword(at)) is not None:
                    words.append(keyword)
                at = (self._closing(at + 1) if token.text != "[" else self._attribute_end(at)) + 1
                continue
            if at in self.feed.left_out:
                at += 1
                continue
            if token.kind == "op" and at in self.feed.asides:
                at += 1
                continue
            words.append(token)
            at += 1
        if end < len(self.tokens) and declarators and any(t.text in ("*", "&", "&&") for t in words):
            angles = Angles()
            words = [t for t in words if angles.enter(t) or not t.at("*", "&", "&&")]
        spelled = " ".join([*before, *(t.text for t in words)])
        if "::" in spelled or "<" in spelled:
            spelled = re.sub(r" ?(::|[<>]) ?", r"\1", spelled)
        return (*before, *type_names(words)), spelled

    def _end_of_specifiers(self, node: Node, declarators: Sequence[Node]) -> int:
        default = node.child_by_field_name("default_value")
        if declarators and not is_unnamed_bit_field(declarators[0]):
            return self.first(declarators[0])
        if declarators:  # of `int : 5`
            return self.last(declarators[0]) + 1
        if default is not None:  # of `int = 3`
            return self.first(default) - 1
        return self.last(node) + (node.type in PARAMETERS | {"type_descriptor"})

    def _tagged(self, node: Node) -> list[str]:
        """`struct NAME`, with a name made for one that has none; its members are read."""
        kind, name, body = RECORDS[node.type], node.child_by_field_name("name"), node.child_by_field_name("body")
        text = self.folded(name).text if name is not None else f"{kind}@{self.first(node)}"
        if body is not None:
            self.tags[text] = self.token(node)
            if kind == "enum":
                self.enums[text] = self._enumerators(body)
            else:
                self.records.append(self.record(text, node, body))
        return [kind, text]

    def record(self, name: str, node: Node, body: Node, template: tuple[TemplateParameter, ...] = ()) -> Record:
        """With the attributes before and after its braces."""
        end = self.last(body) + 1
        stop = next((at for at in range(end, len(self.tokens)) if self.tokens[at].at(";")), end)
        own = (*self.attributes_in(self.first(node), self.first(body)), *self.attributes_in(end, stop))
        inner = [(c, c.child_by_field_name("type")) for c in body.named_children if c.type == "field_declaration"]
        plain = [c for c, kind in inner if kind is None or kind.type not in RECORDS]
        members = tuple(a for c in plain for a in self.attributes_in(self._begin(c), self.last(c) + 1))
        kind = node.type.partition("_")[0]
        bases, hidden = self._bases(node), self._hidden(body, kind)
        final = kind == "union" or any(c.type == "virtual_specifier" for c in node.named_children)
        return Record(name, self.members(body), template, kind, bases, own, members, hidden, final)

    def _hidden(self, body: Node, kind: str) -> frozenset[str]:
        names: set[str] = set()
        hidden = kind == "class"
        for child in body.named_children:
            if child.type == "access_specifier":
                hidden = self.token(child).text != "public"
            if child.type != "field_declaration" or not hidden:
                continue
            names.update(self._declared_name(declarator) for declarator in self._declarators(child))
        return frozenset(names)

    def _bases(self, node: Node) -> tuple[str, ...]:
        clause = next((c for c in node.named_children if c.type == "base_class_clause"), None)
        if clause is None:
            return ()
        return tuple(self.folded(c).text for c in clause.named_children if c.type != "access_specifier")

    def _enumerators(self, body: Node) -> tuple[str, ...]:
        names: list[str] = []
        start = self.token(body)
        value: Expression = Number(Token("number", "0", start.start, start.start))
        for child in body.named_children:
            name, stated = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is None:
                continue
            value = self.expression(stated) if stated is not None else value
            names.append(self.token(name).text)
            self.enumerators[names[-1]] = value
            value = Binary("+", value, Number(Token("number", "1", start.start, start.start)))
        return tuple(names)

    def static_names(self, node: Node) -> Iterator[str]:
        """The names that a class's member declares and that need no object: types, enumerators, static members."""
        if node.type == "template_declaration":
            node = node.named_children[-1]
        if node.type == "alias_declaration":
            yield self.token(self._field(node, "name")).text
        declarators = list(self._declarators(node))
        if node.type == "type_definition" or any(self.token(c).at("static") for c in node.children):
            yield from map(self._declared_name, declarators)
        kind = node if node.type in RECORDS else node.child_by_field_name("type")
        if kind is None or kind.type not in RECORDS:
            return
        name, body = kind.child_by_field_name("name"), kind.child_by_field_name("body")
        if name is not None and (body is not None or not declarators):
            yield self.token(name).text
        if kind.type == "enum_specifier" and body is not None:
            names = (child.child_by_field_name("name") for child in body.named_children)
            yield from (self.token(name).text for name in names if name is not None)

    def _declared_name(self, node: Node) -> str:
        inner: Node | None = node
        while inner is not None:
            node, inner = inner, self._inner(inner)
        return self.token(node).text

    def members(self, body: Node) -> tuple[Declaration, ...]:
        """The data members; code that cannot be read is passed over."""
        members: list[Declaration] = []
        for child in body.named_children:
            if child.type != "field_declaration" or has_fault(child):
                continue
            declaration = self.declaration(child, in_body=False)
            named = tuple(self._declarators(child))
            written = (node for node in named if not is_unnamed_bit_field(node))
            data = tuple(d for d, node in zip(declaration.declarators, written) if not self._is_function(node))
            kinds = [word.partition("@")[0] for word in declaration.words if "@" in word]
            unnamed = not named and kinds not in ([], ["enum"])  # `union { int i; float f; };`
            if (data or unnamed) and not {"static", "typedef", "friend"} & set(declaration.words):
                members.append(
                    Declaration(words=declaration.words, declarators=data, spelled=declaration.spelled,
                                first=declaration.first, last=declaration.last)
                )  # fmt: skip
        return tuple(members)

    def _is_function(self, node: Node) -> bool:
        """`double *row(int)` is one, `double *(*row)(int)` a pointer to one: the declarator around the name decides."""
        kind, inner = "", self._inner(node)
        while inner is not None:
            if not node.type.endswith(("parenthesized_declarator", "attributed_declarator")):
                kind = node.type
            node, inner = inner, self._inner(inner)
        return kind.endswith("function_declarator") or node.type == "operator_cast"

    # --- declarators ----------------------------------------------------------------------------------------------

    def _initialised(self, node: Node, whole: Node, in_body: bool) -> Declarator:
        value: Expression | None = None
        inner = node
        if node.type == "init_declarator":
            inner = self._field(node, "declarator")
            value = self._value(self._field(node, "value"))
        elif (stated := whole.child_by_field_name("default_value")) is not None:
            value = self._value(stated)
        declarator = self.declarator(inner)
        if in_body and declarator.parameters and self._constructs(declarator):
            return self._constructed(declarator, inner)
        last = self.ends(node)[1] if value is not None else declarator.last
        bits = self._is_bit_field(node, whole)
        if value is None and not bits:
            return declarator
        return replace(declarator, value=value, last=last, bits=bits)

    def _value(self, node: Node) -> Expression:
        return self.expression(node)

    @staticmethod
    def _is_bit_field(node: Node, whole: Node) -> bool:
        following = node.next_sibling
        return whole.type == "field_declaration" and following is not None and following.type == "bitfield_clause"

    def _constructs(self, declarator: Declarator) -> bool:
        """`T v(n);` in a function makes an object where `n` is no type."""
        assert declarator.parameters is not None
        for parameter in declarator.parameters:
            word = parameter.words[-1] if parameter.words else ""
            if word in PRIMITIVE or word in self.types or word.endswith("_t") or len(parameter.words) != 1:
                return False
            named = any(d.name.text or d.shape for d in parameter.declarators)
            if named and word not in self.feed.variables:  # `T v(n * m);` of a variable `n`
                return False
        return not declarator.shape

    def _constructed(self, declarator: Declarator, node: Node) -> Declarator:
        values = self._token_arguments(self.first(self._field(node, "parameters")))
        return Declarator(name=declarator.name, shape=(), pointers=(), restricted=False, parameters=None,
                          value=Items(values), last=self.ends(node)[1])  # fmt: skip

    def declarator(self, node: Node) -> Declarator:
        """Extents and pointers in the order of subscripting."""
        shape: list[tuple[Expression | None, bool, str]] = []
        restricted, reference, constant = False, False, False
        parameters: tuple[Declaration, ...] | None = None
        last = self.ends(node)[1]
        while True:
            self.check(node)
            kind = node.type
            if kind.endswith("array_declarator"):
                size = node.child_by_field_name("size")
                if size is None or self.token(size).at("*") or size.type == "type_qualifier":
                    shape.insert(0, (None, False, ""))
                else:
                    shape.insert(0, (self.expression(size), False, self.text(size)))
            elif kind.endswith(("pointer_declarator", "pointer_type_declarator")):
                shape.insert(0, (None, True, ""))
                words = self._after_star(node)
                restricted = restricted or any("restrict" in word for word in words)
                constant = "const" in words
            elif kind.endswith("reference_declarator"):
                reference = True
            elif kind.endswith("function_declarator"):
                parameters = self.parameters(self._field(node, "parameters"))
            elif kind == "operator_cast":
                name, parameters = self.folded(node), ()
                break
            elif not kind.endswith(("parenthesized_declarator", "attributed_declarator", "variadic_declarator")):
                name = Token("name", "", self.token(node).start, 0) if kind == "auto" else self.folded(node)
                break
            inner = self._inner(node)
            if inner is None:
                start = self.token(node).start
                name = Token("name", "", start, start)
                break
            node = inner
        return Declarator(
            name=name, shape=tuple(e for e, _, _ in shape), pointers=tuple(p for _, p, _ in shape), last=last,
            restricted=restricted, parameters=parameters, value=None, reference=reference,
            lengths=tuple(text for _, _, text in shape), constant=constant,
        )  # fmt: skip

    def _inner(self, node: Node) -> Node | None:
        stated = node.child_by_field_name("declarator")
        if stated is not None:
            return stated
        return next((child for child in node.named_children if child.type in DECLARATORS), None)

    def _after_star(self, node: Node) -> list[str]:
        """The qualifiers after the star, left out of the text or not."""
        words: list[str] = []
        at = self.first(node) + 1
        while at < len(self.tokens) and (at in self.feed.asides or self.tokens[at].at("const", "volatile")):
            words.append(self.tokens[at].text)
            at += 1
        return words

    def parameters(self, node: Node) -> tuple[Declaration, ...]:
        parameters: list[Declaration] = []
        for child in node.children:
            self.check(child)
        for child in node.named_children:
            if child.type in PARAMETERS:
                parameters.append(self._parameter(child))
            elif child.type == "identifier":  # of an old-style definition
                name = self.token(child)
                plain = Declarator(
                    name=name, shape=(), pointers=(), restricted=False, parameters=None, value=None, last=name
                )
                parameters.append(
                    Declaration(words=("int",), declarators=(plain,), spelled="int", first=name, last=name)
                )
        if len(parameters) == 1 and parameters[0].words == ("void",) and not parameters[0].declarators[0].shape:
            return () if not parameters[0].declarators[0].name.text else tuple(parameters)
        return tuple(parameters)

    def _parameter(self, node: Node) -> Declaration:
        words, spelled = self.specifiers(node)
        declarators = list(self._declarators(node))
        first, last = self.begin(node), self.ends(node)[1]
        if declarators:
            declarator = self._initialised(declarators[0], node, in_body=False)
        else:
            name = Token("name", "", last.end, last.end)
            declarator = Declarator(
                name=name, shape=(), pointers=(), restricted=False, parameters=None, value=None, last=last
            )
        return Declaration(words=words, declarators=(declarator,), spelled=spelled, first=first, last=last)

    # --- attributes and templates ---------------------------------------------------------------------------------

    def _attribute_end(self, at: int) -> int:
        """The index of the bracket that closes `[[...]]`."""
        depth = 0
        while at + 1 < len(self.tokens):
            depth += self.tokens[at].at("[") - self.tokens[at].at("]")
            if depth == 0:
                break
            at += 1
        return at

    def _keyword(self, at: int) -> Token | None:
        """`__shared__` for the attribute that CUDA's headers make of it."""
        inside = [t.text for t in self.tokens[at : at + 6]]
        if len(inside) < 6 or inside[1:3] != ["(", "("] or inside[4:] != [")", ")"] or inside[3] not in CUDA_ATTRIBUTES:
            return None
        return replace(self.tokens[at], text=f"__{inside[3]}__")

    def attributes_in(self, begin: int, end: int) -> tuple[Attribute, ...]:
        attributes: list[Attribute] = []
        for at in range(begin, end):
            if at in self.feed.asides and self.tokens[at].text in ("__attribute__", "__attribute"):
                attributes += self._attributes(at + 1)
            elif at in self.feed.asides and self.tokens[at].text in ASIDE_CALLS and self.tokens[at + 1].at("("):
                attributes.append(Attribute(self.tokens[at], self._token_arguments(at + 1)))
        return tuple(attributes)

    def _attributes(self, opening: int) -> list[Attribute]:
        attributes: list[Attribute] = []
        at, end = opening, self._closing(opening)
        while at < end:
            token = self.tokens[at]
            if token.kind == "name":
                arguments: tuple[Expression, ...] = ()
                if self.tokens[at + 1].at("("):
                    arguments = self._token_arguments(at + 1)
                    at = self._closing(at + 1)
                attributes.append(Attribute(token, arguments))
            at += 1
        return attributes

    def _token_arguments(self, opening: int) -> tuple[Expression, ...]:
        inside = self.tokens[opening : self._closing(opening) + 1]
        if len(inside) <= 2:
            return ()
        name = Token("name", "f", inside[0].start, inside[0].start)
        value = parse_expression([name, *inside])
        return value.arguments if isinstance(value, Call) else ()

    def template_parameters(self, node: Node) -> tuple[TemplateParameter, ...]:
        parameters: list[TemplateParameter] = []
        for child in node.named_children:
            name = child.child_by_field_name("name") or child.child_by_field_name("declarator")
            default = child.child_by_field_name("default_type") or child.child_by_field_name("default_value")
            if name is None and child.type in ("type_parameter_declaration", "variadic_type_parameter_declaration"):
                name = next(iter(child.named_children), None)
            if name is None:
                continue
            kind = "typename" if "type_parameter" in child.type else " ".join(self.specifiers(child)[0])
            given = tuple(self.tokens[self.first(default) : self.last(default) + 1]) if default is not None else ()
            parameters.append(TemplateParameter(kind, self.folded(name).text, given))
        return tuple(parameters)
