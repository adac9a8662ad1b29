"""One source read once: its functions, records, types, macros and pragmas, as its compiler sees them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.collecting import uncollected
from tunepass.frontends.cfamily.preprocessing.alignment import PragmaTokens
from tunepass.frontends.cfamily.preprocessing.preprocess import Preprocessed
from tunepass.frontends.cfamily.preprocessing.trigraphs import trigraph_at
from tunepass.frontends.cfamily.syntax.feed import Feeder
from tunepass.frontends.cfamily.syntax.grammar import parse
from tunepass.frontends.cfamily.syntax.statements import Statements
from tunepass.frontends.cfamily.syntax.tree import (
    Attribute,
    Block,
    Declaration,
    Declarator,
    Expression,
    PragmaWords,
    Record,
    Scope,
    SyntaxFault,
    TemplateParameter,
    UnreadableError,
)
from tunepass.frontends.cfamily.syntax.type_names import OPENCL_TYPES, declared_type_names
from tunepass.frontends.cfamily.text.lexemes import SPLICED
from tunepass.frontends.cfamily.text.names import plain_name
from tunepass.frontends.cfamily.text.tokens import BRACKETS, Token, spaced

if TYPE_CHECKING:
    from tree_sitter import Node

NOT_PLAIN = re.compile(rf"//|/\*|#|{SPLICED}")


@dataclass(frozen=True, slots=True)
class Template:
    """`text` is that of the parameters, as written; `outer` counts the parameter lists around."""

    parameters: tuple[TemplateParameter, ...]
    text: str
    outer: int = 0


@dataclass(frozen=True, eq=False)
class Function:
    """A definition. Offsets are in the source; those of a function of a header are the `#include`'s.

    `words` are the specifiers before the declarator. `pragmas` stand right before it.
    """

    unit: Unit
    name: Token
    words: tuple[str, ...]
    declarator: Declarator
    scopes: tuple[Scope, ...]
    template: Template | None
    attributes: tuple[Attribute, ...]
    pragmas: tuple[PragmaWords, ...]
    first: int  # indices of tokens: the first of the definition, the braces of the body or `try` and its last brace
    formals_end: int  # the bracket that closes the formal parameters
    opening: int
    closing: int
    node: Node = field(repr=False)
    record: str = ""  # the class that it is a member of, by its place

    @property
    def qualified(self) -> str:
        """`blas::Solver::step`: with the scopes that have names, without template arguments."""
        return "::".join([*(s.name for s in self.scopes if s.name), plain_name(self.name.text)])

    @property
    def formals(self) -> tuple[Declaration, ...]:
        return self.declarator.parameters or ()

    @property
    def tokens(self) -> Sequence[Token]:
        """Of the body, braces included."""
        return self.unit.tokens[self.opening : self.closing + 1]

    @property
    def in_header(self) -> bool:
        return self.unit.tokens[self.opening].made and self.unit.is_included(self.unit.tokens[self.opening])

    @cached_property
    def body(self) -> Block:
        """Raises SourceError for code in it that cannot be read, at its place."""
        reader = self.unit.reader
        try:
            if self.node.has_error:
                raise reader.first_fault(self.node)
            if self.node.type == "try_statement":
                tried = reader.statement(self.node)
                return Block(statements=(tried,), first=tried.first, last=tried.last)
            return reader._compound_statement(self.node)
        except SyntaxFault as fault:
            raise self.unit.unreadable(fault) from None


@dataclass(frozen=True, slots=True)
class DeclaredFunction:
    """A function as its class or its namespace declares it."""

    words: tuple[str, ...]
    parameters: tuple[Declaration, ...]
    scopes: tuple[Scope, ...]
    template: bool


@dataclass(frozen=True, eq=False)
class Unit:
    """`dialect` settles which words are the language's own. Everything is found at first use."""

    source: Source
    text: Preprocessed
    dialect: str
    cxx: bool

    @property
    def tokens(self) -> Sequence[Token]:
        return self.text.tokens

    @property
    def pragmas(self) -> tuple[PragmaTokens, ...]:
        return self.text.pragmas

    @cached_property
    def types(self) -> frozenset[str]:
        """Names of types: of this source, its headers and the system's."""
        usual = OPENCL_TYPES if self.dialect == "opencl" else frozenset[str]()
        return usual | declared_type_names(self.tokens, "\n".join(chunk.text for chunk in self.text.headers))

    @cached_property
    def reader(self) -> Statements:
        with uncollected():
            feeder = Feeder(self.tokens, self.types, self.cxx, self.dialect == "opencl")
            return Statements(feeder.feed(), self.pragmas, self.types)

    @cached_property
    def _scope(self) -> _FileScope:
        scope = _FileScope(self)
        with uncollected():
            scope.read(parse(self.reader.feed.text, cxx=self.cxx), ())
        return scope

    @property
    def functions(self) -> tuple[Function, ...]:
        return tuple(self._scope.functions)

    @property
    def globals(self) -> tuple[Declaration, ...]:
        """Variables at file scope and in namespaces, and functions that are declared."""
        return tuple(self._scope.globals)

    def is_c_linked(self, function: Function) -> bool:
        """Whether C++ gives it C's linkage: it stands in `extern "C"`, or is declared there."""
        declared = (function.name.text, len(function.formals)) in self._scope.c_linked
        outside = function.template is None and all(s.kind != "class" for s in function.scopes)
        return (declared and outside) or any(s.kind == "extern" for s in function.scopes)

    def declared_functions(self, name: str) -> tuple[DeclaredFunction, ...]:
        """Declarations without a body, each read once it is asked for."""
        places = self._scope.function_places.get(name, ())
        functions = (self._scope.declared_function(*place) for place in places)
        return tuple(function for function in functions if function is not None)

    @property
    def used_names(self) -> frozenset[tuple[tuple[str, ...], str]]:
        """(scopes, name) of what `using a::name;` brings into a class or a namespace."""
        return frozenset(self._scope.used_names)

    @property
    def static_names(self) -> frozenset[tuple[tuple[str, ...], str]]:
        """(scopes, name) of what classes declare that needs no object."""
        return frozenset(self._scope.static_names)

    @property
    def variables(self) -> tuple[Declaration, ...]:
        """Those of `globals` whose names need no scope; functions among them."""
        return tuple(self._scope.variables)

    @property
    def static_members(self) -> frozenset[tuple[str, str]]:
        """(class, name) of every member that is declared `static`."""
        return frozenset(self._scope.static_members)

    @property
    def tags(self) -> Mapping[str, Token]:
        """The first token of the definition of each record and enumeration."""
        return self._scope.reader.tags

    @property
    def aliases(self) -> Mapping[str, Declaration]:
        return self._scope.aliases

    @property
    def records(self) -> Mapping[str, Record]:
        return self._scope.records

    @property
    def ambiguous_records(self) -> Set[str]:
        """Names that several scopes give to classes of their own."""
        return self._scope.ambiguous_records

    def record(self, name: str) -> Record | None:
        """Those of functions that have been read too."""
        inner = (r for r in reversed(self.reader.records) if r.name == name)
        return self.records.get(name) or next(inner, None)

    @property
    def enums(self) -> Mapping[str, tuple[str, ...]]:
        """The enumerators of each."""
        return self._scope.reader.enums

    @property
    def enumerators(self) -> Mapping[str, Expression]:
        return self._scope.reader.enumerators

    @property
    def faults(self) -> tuple[SyntaxFault, ...]:
        """Parts of the file outside functions' bodies that could not be read."""
        return tuple(self._scope.faults)

    @cached_property
    def made_words(self) -> Mapping[tuple[int, int], int]:
        """How many tokens, brackets aside, each use of a macro became, by its range."""
        return Counter((t.start, t.end) for t in self.tokens if t.made and not t.at("(", ")"))

    def written(self, first: int, last: int) -> str:
        """The tokens [first, last] on one line: as written, or as the compiler sees them where macros made some."""
        inside = self.tokens[first : last + 1]
        if not inside:
            return ""
        text = self.source.text[inside[0].start : inside[-1].end]
        plain = not any(t.made or t.within for t in inside) and not NOT_PLAIN.search(text)
        return " ".join(text.split()) if plain else spaced(inside)

    def index(self, token: Token) -> int:
        """The place of one of the tokens."""
        return self._indices[id(token)]

    @cached_property
    def _indices(self) -> Mapping[int, int]:
        return {id(token): at for at, token in enumerate(self.tokens)}

    @cached_property
    def _headers(self) -> frozenset[str]:
        return frozenset(chunk.file for chunk in self.text.headers)

    def is_included(self, token: Token) -> bool:
        return token.made and token.macro in self._headers

    @cached_property
    def _unmatched(self) -> Token | None:
        """The innermost bracket that is open where another one closes, or at the end; or one that closes none."""
        opened: list[Token] = []
        for token in self.tokens:
            if token.made and self.is_included(token):
                continue
            if token.at(*BRACKETS):
                opened.append(token)
            elif token.at(*BRACKETS.values()):
                if not opened:
                    return token
                if BRACKETS[opened[-1].text] != token.text:
                    break
                opened.pop()
        return opened[-1] if opened else None

    def unreadable(self, fault: SyntaxFault) -> UnreadableError:
        token = fault.token
        trigraph = trigraph_at(self.source, token.start)
        if trigraph is not None:
            return trigraph
        at = self._indices.get(id(token), len(self.tokens))
        if [t.text for t in self.tokens[at : at + 3]] == ["[", "[", "omp"]:
            hint = "write the directive as `#pragma omp`"
            return UnreadableError("OpenMP's attributes are not read", self.source.span(token.start, token.end), hint)
        bracket = self._unmatched if fault.is_general else None
        if bracket is not None:
            what = "is not closed" if bracket.text in BRACKETS else "closes no bracket"
            return UnreadableError(f"`{bracket.text}` {what}", self.source.span(bracket.start, bracket.end))
        return UnreadableError(fault.message, self.source.span(token.start, max(token.end, token.start + 1)))


class _FileScope:
    """What stands at file scope, in namespaces and classes."""

    def __init__(self, unit: Unit):
        self.unit, self.reader = unit, unit.reader
        self.functions: list[Function] = []
        self.globals: list[Declaration] = []
        self.variables: list[Declaration] = []
        self.static_members: set[tuple[str, str]] = set()
        self.aliases: dict[str, Declaration] = {}
        self.records: dict[str, Record] = {}
        self.record_scopes: dict[str, tuple[str, ...]] = {}  # the names of those around each
        self.ambiguous_records: set[str] = set()
        self.c_linked: set[tuple[str, int]] = set()  # functions declared in `extern "C"`, with how many formals
        self.function_places: dict[str, list[tuple[Node, Node, tuple[Scope, ...], bool]]] = {}
        self.used_names: set[tuple[tuple[str, ...], str]] = set()
        self.static_names: set[tuple[tuple[str, ...], str]] = set()
        self.faults: list[SyntaxFault] = []

    def read(self, node: Node, scopes: tuple[Scope, ...]) -> None:
        before = -1
        for child in node.named_children:
            try:
                self._part(child, scopes, None, before)
            except SyntaxFault as fault:
                self.reader.depth = 0
                self.faults.append(fault)
            before = self.reader.last(child)
        for record in self.reader.records:
            self.records.setdefault(record.name, record)

    def _part(self, node: Node, scopes: tuple[Scope, ...], template: Template | None, before: int) -> None:
        match node.type:
            case "function_definition" | "inline_method_definition" | "constructor_or_destructor_definition":
                self._function(node, scopes, template, before)
            case "template_declaration":
                written = self.reader._field(node, "parameters")
                first, last = self.reader.first(written), self.reader.last(written)
                text = self.unit.written(first + 1, last - 1)
                outer = template.outer + 1 if template is not None else 0
                inner = Template(self.reader.template_parameters(written), text, outer)
                for child in node.named_children[1:]:
                    self._part(child, scopes, inner, before)
            case "namespace_definition":
                name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
                if body is not None:
                    text = self.reader.folded(name).text if name is not None else ""
                    self.read(body, (*scopes, self._scope("namespace", text, node)))
            case "linkage_specification":
                body = self.reader._field(node, "body")
                language = self.reader.token(self.reader._field(node, "value")).text
                inside = tuple(s for s in scopes if s.kind != "extern")
                if language == '"C"':
                    inside = (*inside, self._scope("extern", "", node))
                if body.type == "declaration_list":
                    self.read(body, inside)
                else:
                    self._part(body, inside, template, before)
            case "class_specifier" | "struct_specifier" | "union_specifier":
                self._record(node, scopes, template)
            case "enum_specifier":
                self.reader._tagged(node)
            case "declaration" | "type_definition" | "field_declaration":
                self._declaration(node, scopes, template)
            case "alias_declaration":
                self._alias(node)
            case "using_declaration":
                self._using(node, scopes)
            case "ERROR":
                self.faults.append(self.reader.fault(node))
                self.read(node, scopes)
            case "compound_statement":
                self._forget_formals(node)
            case "declaration_list" | "preproc_if":
                self.read(node, scopes)

    def _scope(self, kind: str, name: str, node: Node, access: str = "", template: str | None = None) -> Scope:
        first, last = self.reader.ends(node)
        return Scope(kind, name, first.start, last.end, access, template)

    def _function(self, node: Node, scopes: tuple[Scope, ...], template: Template | None, before: int) -> None:
        reader = self.reader
        tried = (child for child in node.named_children if child.type == "try_statement")
        body, written = node.child_by_field_name("body") or next(tried, None), node.child_by_field_name("declarator")
        if body is None or written is None or body.type not in ("compound_statement", "try_statement"):
            return  # `= default`, `= delete`
        declarator = reader.declarator(written)
        if declarator.parameters is None:
            raise reader.fault(node, "this definition cannot be read")
        formals_end = reader.last(self._parameters(written))
        declarator = self._old_style(node, declarator)
        words, _ = reader.specifiers(node)
        first = reader._begin(node)
        attributes = reader.attributes_in(first, reader.first(body))
        self.functions.append(
            Function(
                unit=self.unit,
                name=declarator.name,
                words=words,
                declarator=declarator,
                scopes=scopes,
                template=template,
                attributes=attributes,
                pragmas=tuple(reader.between(before, first)),
                first=first,
                formals_end=formals_end,
                opening=reader.first(body),
                closing=reader.last(body),
                node=body,
                record=next((s.name for s in reversed(scopes[-1:]) if s.kind == "class"), ""),
            )
        )

    def _parameters(self, node: Node) -> Node:
        """The list of a definition's formal parameters."""
        inner: Node | None = node
        found = node
        while inner is not None:
            if inner.type.endswith("function_declarator"):
                found = self.reader._field(inner, "parameters")
            inner = self.reader._inner(inner)
        return found

    def _old_style(self, node: Node, declarator: Declarator) -> Declarator:
        """With the types that a K&R definition states between its head and its body."""
        stated = {
            d.name.text: Declaration(
                words=one.words, declarators=(d,), spelled=one.spelled, first=one.first, last=one.last
            )
            for child in node.named_children
            if child.type == "declaration"
            for one in [self.reader.declaration(child, in_body=False)]
            for d in one.declarators
        }
        if not stated:
            return declarator
        parameters = tuple(
            stated.get(p.declarators[0].name.text if p.declarators[0].name.text else p.words[-1], p)
            for p in declarator.parameters or ()
        )
        return replace(declarator, parameters=parameters)

    def _forget_formals(self, body: Node) -> None:
        """The grammar leaves the body of some K&R definitions at file scope (without a type, or of a function that
        returns a pointer), and what states the types of their formal parameters declares no variables."""
        tokens, opening = self.unit.tokens, self.reader.first(body)
        head = next((at for at in range(opening - 1, 0, -1) if self._ends_names(at) or tokens[at].at("}")), 0)
        if not tokens[head].at(")"):
            return
        inside = range(tokens[head].start, tokens[opening].start)
        for known in (self.globals, self.variables):
            while known and known[-1].declarators and known[-1].declarators[-1].name.start in inside:
                last = known.pop()
                outside = tuple(d for d in last.declarators if d.name.start not in inside)
                if outside:
                    known.append(replace(last, declarators=outside))

    def _ends_names(self, at: int) -> bool:
        """Does a list of names in brackets end there?"""
        tokens, first = self.unit.tokens, at
        while tokens[first].at(")", ",") and tokens[first - 1].kind == "name":
            first -= 2
        return tokens[at].at(")") and tokens[first].at("(") and tokens[first - 1].kind == "name"

    def _record(self, node: Node, scopes: tuple[Scope, ...], template: Template | None) -> None:
        body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
        if body is None:
            return
        kind = node.type.partition("_")[0]
        text = self.reader.folded(name).text if name is not None else f"{kind}@{self.reader.first(node)}"
        access = "private" if kind == "class" else "public"
        around = tuple(scope.name for scope in scopes if scope.kind != "extern")
        if self.record_scopes.setdefault(text, around) != around:
            self.ambiguous_records.add(text)
        self.records[text] = self.reader.record(text, node, body, template.parameters if template else ())
        self.reader.tags[text] = self.reader.token(node)
        before = self.reader.first(body)
        for child in body.named_children:
            if child.type == "access_specifier":
                access = self.reader.token(child).text
                continue
            inside = (*scopes, self._scope("class", text, node, access, template.text if template else None))
            try:
                self._member(child, inside, before)
            except SyntaxFault as fault:
                self.faults.append(fault)
            before = self.reader.last(child)

    def _using(self, node: Node, scopes: tuple[Scope, ...]) -> None:
        words = [t.text for t in self.reader.tokens[self.reader.first(node) : self.reader.last(node) + 1]]
        if "namespace" not in words and len(words) > 2:
            self.used_names.add((tuple(s.name for s in scopes if s.name), words[-2]))

    def _note_functions(self, node: Node, scopes: tuple[Scope, ...], template: bool) -> None:
        """Notes the place of each function that the declaration declares."""
        for written in self.reader._declarators(node):
            inner: Node | None = written
            while inner is not None and not inner.type.endswith("function_declarator"):
                inner = self.reader._inner(inner)
            name = inner.child_by_field_name("declarator") if inner is not None else None
            if name is not None and name.type.endswith("identifier"):
                place = (node, written, scopes, template)
                self.function_places.setdefault(self.reader.token(name).text, []).append(place)

    def declared_function(
        self, node: Node, written: Node, scopes: tuple[Scope, ...], template: bool
    ) -> DeclaredFunction | None:
        try:
            parameters = self.reader.declarator(written).parameters
            return DeclaredFunction(self.reader.specifiers(node)[0], parameters or (), scopes, template)
        except SyntaxFault:
            self.reader.depth = 0
            return None

    def _member(self, node: Node, scopes: tuple[Scope, ...], before: int) -> None:
        path = tuple(s.name for s in scopes if s.name)
        self.static_names |= {(path, name) for name in self.reader.static_names(node)}
        if node.type == "field_declaration":
            self._note_functions(node, scopes, template=False)
            inner = next(
                (
                    c
                    for c in node.named_children
                    if c.type.endswith("_specifier") and c.type != "storage_class_specifier"
                ),
                None,
            )
            if inner is not None and inner.child_by_field_name("body") is not None:
                self._part(inner, scopes, None, before)
            elif "static" in self.reader.specifiers(node)[0]:
                declaration = self.reader.declaration(node, in_body=False)
                self.globals.append(declaration)
                self.static_members |= {(scopes[-1].name, d.name.text) for d in declaration.declarators}
            return
        self._part(node, scopes, None, before)

    def _declaration(self, node: Node, scopes: tuple[Scope, ...], template: Template | None) -> None:
        inner = next(
            (c for c in node.named_children if c.type in ("class_specifier", "struct_specifier", "union_specifier")),
            None,
        )
        if inner is not None and inner.child_by_field_name("body") is not None:
            self._record(inner, scopes, template)
        declaration = self.reader.declaration(node, in_body=False)
        if node.type == "type_definition" or "typedef" in declaration.words:
            for declarator in declaration.declarators:
                self.aliases[declarator.name.text] = Declaration(
                    words=declaration.words, declarators=(declarator,), spelled=declaration.spelled,
                    first=declaration.first, last=declaration.last,
                )  # fmt: skip
        elif declaration.declarators:
            self._note_functions(node, scopes, template is not None)
            self.globals.append(declaration)
            if template is None and all(s.kind == "extern" or (s.kind, s.name) == ("namespace", "") for s in scopes):
                self.variables.append(declaration)
            if any(scope.kind == "extern" for scope in scopes):
                functions = [d for d in declaration.declarators if d.parameters is not None]
                self.c_linked |= {(d.name.text, len(d.parameters or ())) for d in functions}

    def _alias(self, node: Node) -> None:
        name, type_ = self.reader.token(self.reader._field(node, "name")), self.reader._field(node, "type")
        words, spelled = self.reader.specifiers(type_)
        words = (name.text,) if self.reader._is_resized(node) else words
        inner = type_.child_by_field_name("declarator")
        shape = self.reader.declarator(inner) if inner is not None else None
        declarator = Declarator(
            name=name, shape=shape.shape if shape else (), pointers=shape.pointers if shape else (), restricted=False,
            parameters=shape.parameters if shape else None, value=None, last=self.reader.ends(node)[1],
            lengths=shape.lengths if shape else (),
        )  # fmt: skip
        first, last = self.reader.ends(node)
        self.aliases[name.text] = Declaration(
            words=words, declarators=(declarator,), spelled=spelled, first=first, last=last
        )
