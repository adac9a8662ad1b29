"""Parses the declarations of HLS sources: types, attributes, references, records and their members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.frontends.c.scops.expressions import ARITHMETIC, KEYWORDS, QUALIFIERS, STORAGE, TAGGED, SyntaxFault
from tunepass.frontends.c.scops.statements import StatementParser
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import Call, Declaration, Declarator, Items, Name
from tunepass.frontends.hls.syntax.preprocess import END, PRAGMA
from tunepass.frontends.hls.syntax.tree import Attribute, HlsDeclarator, PragmaWords, Record
from tunepass.frontends.hls.syntax.types import KNOWN_TYPES, SOFT, SPACES, TYPE_TEMPLATES


class DeclarationParser(StatementParser):
    """`types` are the names of types that the file declares, `records` those that are read on the way."""

    def __init__(self, tokens: Sequence[Token], types: frozenset[str] = frozenset(), in_body: bool = True):
        super().__init__(tokens, types)
        self.in_body = in_body
        self.reference = False  # of the declarator that was read last
        self.records: list[Record] = []
        self.attributes: list[Attribute] = []

    def part(self, tokens: Sequence[Token], types: frozenset[str], in_body: bool = True) -> DeclarationParser:
        """A parser of some of the tokens."""
        return DeclarationParser(tokens, types, in_body)

    def is_type(self, token: Token) -> bool:
        if token.kind != "name":
            return False
        base = token.text.partition("<")[0].rpartition("::")[2]
        known = token.text in KNOWN_TYPES or token.text in SPACES or base in self.types
        return known or (base in TYPE_TEMPLATES and "<" in token.text) or super().is_type(token)

    def pragma(self) -> PragmaWords:
        first = self.take()
        words: list[Token] = []
        while not self.next.at(END) and self.next.kind != "end":
            words.append(self.take())
        return PragmaWords(words=tuple(words), first=first, last=self.take())

    def starts_declaration(self) -> bool:
        token, after = self.next, self.peek()
        if token.at("__attribute__"):
            return True
        if token.kind != "name" or token.text in KEYWORDS:
            return False
        if token.text in SPACES or token.text in ("auto", "constexpr", *TAGGED):
            return True
        if token.text in SOFT and after.kind == "name":
            return self.is_type(after) or after.text in SOFT
        if after.at("&", "*") and self.peek(2).kind == "name" and self.peek(3).at("=", ";", ",", "[", "("):
            return self.is_type(token) or (after.at("*") and super().starts_declaration())
        return super().starts_declaration()

    def declaration(self) -> Declaration:
        first = self.next
        self.operators = 0
        words = self._words()
        declarators: list[Declarator] = []
        while not self.next.at(";"):
            declarator = self._declarator()
            if not declarator.name.text:
                self.fail("expected a name")
            if self.accept("=") or (self.next.at("{") and self.in_body):
                declarator = replace(declarator, value=self.initialiser(), last=self.last)
            elif self.accept(":"):  # of a bit field
                self.conditional()
            declarators.append(declarator)
            if not self.accept(","):
                break
        if "typedef" in words:
            self.types |= {d.name.text for d in declarators}
        last = self.expect(";", "after the declaration")
        return Declaration(words=words, declarators=tuple(declarators), first=first, last=last)

    def _words(self) -> tuple[str, ...]:
        words: list[str] = []
        named = False
        while self.next.kind == "name":
            token = self.next
            if token.at("__attribute__"):
                self._attribute()
            elif token.at("alignas", "_Alignas", "__declspec", "decltype", "typeof", "__typeof__"):
                self.take()
                self._skip_brackets()
                named = named or token.at("decltype", "typeof", "__typeof__")
            elif token.text in (*TAGGED, "class"):
                words += self._tagged()
                named = True
            elif token.at("auto"):
                words.append(self.take().text)
                named = True
            elif token.text in SOFT and self.peek().kind == "name" and not named:
                words.append(self.take().text)
            elif token.text in QUALIFIERS | STORAGE | SPACES or token.text in ARITHMETIC:
                named = named or token.text in ARITHMETIC
                words.append(self.take().text)
            elif not named:
                words.append(self.take().text)
                named = True
            else:
                break
        return tuple(words)

    def _tagged(self) -> list[str]:
        """`struct NAME { members }`; its name, or one made for it where it has none."""
        kind = self.take()
        while self.next.at("__attribute__"):
            self._attribute()
        name = self.take().text if self.next.kind == "name" else ""
        if self.next.at(":") and kind.at("enum", "struct", "class"):
            while not self.next.at("{", ";") and self.next.kind != "end":
                self.take()
        if not self.next.at("{"):
            return [kind.text, name]
        name = name or f"{kind.text}@{kind.start}"
        if kind.at("enum"):
            self._skip_brackets()
            return ["enum", name]
        end = self.closing.get(self.position)
        if end is None:
            self.fail("expected a bracket that is closed")
        inner = self.part(self.tokens[self.position + 1 : end], frozenset(self.types), in_body=False)
        self.records.append(Record(name, members(inner)))
        self.records += inner.records
        self.types.add(name)
        self.position = min(end + 1, len(self.tokens) - 1)
        return [name]

    def _attribute(self) -> None:
        self.take()
        end = self.closing.get(self.position)
        if end is None or not self.next.at("("):
            self.fail("expected brackets that are closed after `__attribute__`")
        inner = self.part(list(self.tokens[self.position + 1 : end]), frozenset(self.types))
        while inner.accept("("):
            pass
        while inner.next.kind == "name":
            name = inner.take()
            arguments = inner._arguments() if inner.accept("(") else ()
            self.attributes.append(Attribute(name, arguments))
            inner.accept(",")
        self.position = min(end + 1, len(self.tokens) - 1)

    def _stars(self) -> tuple[int, bool]:
        """A reference is no pointer."""
        pointers, restricted = 0, False
        while self.next.at("*", "&", "&&", *QUALIFIERS, *SPACES, "restrict"):
            token = self.take()
            pointers += token.at("*")
            self.reference = self.reference or token.at("&", "&&")
            restricted = restricted or "restrict" in token.text
        return pointers, restricted

    def _declarator(self) -> Declarator:
        """`name(argument, ...)` in a function makes an object."""
        position, depth = self.position, self.depth
        self.reference = False
        pointers, restricted = self._stars()
        if self.in_body and self.next.kind == "name" and self.peek().at("("):
            after = self.peek(2)
            if not (self.is_type(after) and not self.peek(3).at("(", ".")) and not after.at(")"):
                name = self.take()
                self.take()
                value = Call(Name(name), self._arguments())
                shape, kinds = tuple(None for _ in range(pointers)), tuple(True for _ in range(pointers))
                return Declarator(
                    name=name, shape=shape, pointers=kinds, restricted=restricted, parameters=None,
                    value=Items(value.arguments), last=self.last,
                )  # fmt: skip
        self.position, self.depth, self.reference = position, depth, False
        declarator = super()._declarator()
        if not self.reference or isinstance(declarator, HlsDeclarator):
            return declarator
        return HlsDeclarator(
            name=declarator.name, shape=declarator.shape, pointers=declarator.pointers,
            restricted=declarator.restricted, parameters=declarator.parameters, value=None, last=declarator.last,
            reference=True,
        )  # fmt: skip


def members(parser: DeclarationParser) -> tuple[Declaration, ...]:
    """The data members; what is no declaration of data is passed over."""
    found: list[Declaration] = []
    while parser.next.kind != "end":
        start = parser.position
        try:
            if parser.next.at(PRAGMA):
                parser.pragma()
                continue
            if parser.next.at("public", "private", "protected"):
                parser.take()
                parser.expect(":", "after the access")
                continue
            declaration = parser.declaration()
            plain = tuple(d for d in declaration.declarators if d.parameters is None)
            if plain and not {"static", "typedef"} & set(declaration.words):
                found.append(replace(declaration, declarators=plain))
        except SyntaxFault:
            parser.position, parser.depth = start, 0
            skip(parser)
    return tuple(found)


def skip(parser: DeclarationParser) -> None:
    """Past the `;` or the `{…}` that ends what begins at the next token."""
    while parser.next.kind != "end":
        if parser.next.at("{", "(", "["):
            braces = parser.next.at("{")
            end = parser.closing.get(parser.position)
            parser.position = len(parser.tokens) - 1 if end is None else min(end + 1, len(parser.tokens) - 1)
            if braces:
                parser.accept(";")
                return
        elif parser.take().at(";"):
            return
