"""Reads what stands at file scope: functions, records, types, variables. What is no C++ of ours is passed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.scops.expressions import SyntaxFault
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import Binary, Declaration, Declarator, Expression, Number
from tunepass.frontends.hls.syntax.declarations import skip
from tunepass.frontends.hls.syntax.parser import HlsParser
from tunepass.frontends.hls.syntax.preprocess import END, PRAGMA, closing_angle
from tunepass.frontends.hls.syntax.tree import File, Function, PragmaWords, Record, TemplateParameter
from tunepass.frontends.hls.syntax.types import base_of


def read_file(source: Source, code: Sequence[Token]) -> File:
    """The file whose preprocessed and folded tokens these are."""
    return _FileReader(source, code).read()


class _FileReader(HlsParser):
    def __init__(self, source: Source, code: Sequence[Token], record: str = "", types: frozenset[str] = frozenset()):
        super().__init__(code, types, in_body=False)
        self.file = File(source)
        self.record = record
        self.before: list[PragmaWords] = []
        self.template: tuple[TemplateParameter, ...] = ()

    def read(self) -> File:
        while self.next.kind != "end":
            start = self.position
            try:
                self._part()
            except SyntaxFault:
                self.position, self.depth = start, 0
                skip(self)
                self._done()
        for record in self.records:
            self.file.records.setdefault(record.name, record)
        self.file.types = self.types
        self.file.pragmas = [p for at, t in enumerate(self.tokens) if t.at(PRAGMA) and (p := _pragma_at(self, at))]
        return self.file

    def _done(self) -> None:
        self.before, self.template, self.attributes = [], (), []

    def _part(self) -> None:
        token = self.next
        if token.at(PRAGMA):
            self.before.append(self.pragma())
        elif token.at(";", "}") or token.kind == "text":
            self.take()
        elif token.at("extern") and self.peek().kind == "text":
            self.take()
            self.take()
            self.accept("{")
        elif token.at("namespace", "inline") and (token.at("namespace") or self.peek().at("namespace")):
            while not self.take().at("{", ";") and self.next.kind != "end":
                pass
        elif token.at("public", "private", "protected") and self.peek().at(":"):
            self.take()
            self.take()
        elif token.at("template"):
            self._template()
        elif token.at("using"):
            self._using()
        elif token.at("enum"):
            self._enum()
        elif token.at("typedef") and self.peek().at("enum"):
            self.take()
            self._enum()
        elif token.at("struct", "class", "union") and self._record():
            self._done()
        else:
            self._declared()

    def _template(self) -> None:
        self.take()
        if not self.next.at("<"):
            return
        end = closing_angle(self.tokens, self.position)
        if end < 0:
            self.fail("expected `>` after the template's parameters")
        parameters: list[TemplateParameter] = []
        part: list[Token] = []
        for token in [*self.tokens[self.position + 1 : end], Token("op", ",", 0, 0)]:
            if token.at(","):
                parameters += _template_parameter(part)
                part = []
            else:
                part.append(token)
        self.position = end + 1
        self.template = tuple(parameters)
        self.types |= {p.name for p in parameters if p.kind == "typename"}

    def _using(self) -> None:
        self.take()
        if self.next.kind == "name" and self.peek().at("="):
            name = self.take()
            self.take()
            words = self._words()
            pointers, _ = self._stars()
            declarator = Declarator(
                name=name, shape=(None,) * pointers, pointers=(True,) * pointers, restricted=False, parameters=None,
                value=None, last=self.last,
            )  # fmt: skip
            self.file.aliases[name.text] = Declaration(
                words=words, declarators=(declarator,), first=name, last=self.last
            )
            self.types.add(name.text)
        while not self.take().at(";") and self.next.kind != "end":
            pass
        self._done()

    def _enum(self) -> None:
        """Its values become numbers."""
        self.take()
        self.accept("class", "struct")
        if self.next.kind == "name":
            self.types.add(self.take().text)
        while not self.next.at("{", ";") and self.next.kind != "end":
            self.take()
        if self.accept("{"):
            value: Expression = Number(Token("number", "0", self.next.start, self.next.start))
            while self.next.kind == "name":
                name = self.take()
                if self.accept("="):
                    value = self.conditional()
                self.file.numbers[name.text] = value
                value = Binary("+", value, Number(Token("number", "1", name.start, name.end)))
                self.accept(",")
            self.expect("}", "after the values")
        if self.next.kind == "name":
            self.types.add(self.take().text)
        while not self.take().at(";") and self.next.kind != "end":
            pass
        self._done()

    def _record(self) -> bool:
        """A class with a body and, at most, no variables after it; its methods are functions of their own."""
        at = self.position + 1
        while self.tokens[at].kind == "name":
            at += 1
        head = self.tokens[self.position + 1 : at]
        if self.tokens[at].at(":"):
            while not self.tokens[at].at("{", ";") and self.tokens[at].kind != "end":
                at += 1
        if not self.tokens[at].at("{") or not head:
            return False
        end = self.closing.get(at)
        if end is None:
            self.fail("expected a bracket that is closed")
        name = head[-1].text
        self.types.add(base_of(name))
        inside = self.tokens[at + 1 : end]
        inner = _FileReader(self.file.source, inside, base_of(name), frozenset(self.types)).read()
        data = tuple(d for d in inner.globals if "static" not in d.words)
        methods = tuple(f for functions in inner.functions.values() for f in functions)
        self.file.records[base_of(name)] = Record(base_of(name), data, self.template, methods)
        self.file.records.update(inner.records)
        self.file.aliases.update(inner.aliases)
        self.file.numbers.update(inner.numbers)
        self.file.globals += [d for d in inner.globals if "static" in d.words]
        self.position = end + 1
        while not self.next.at(";") and self.next.kind != "end":
            self.take()
        return True

    def _declared(self) -> None:
        """A function, or variables, or the name of a type."""
        first = self.next
        words = self._words()
        if self.next.at("(") and self.record and words and base_of(words[-1]) == self.record:
            self.position -= 1  # a constructor has no type
            words = words[:-1]
        declarator = self._declarator()
        if declarator.parameters is not None:
            while self.next.kind == "name":  # const, noexcept, override
                self._attribute() if self.next.at("__attribute__") else self.take()
            if self.next.at(":") and self.record:
                while not self.next.at("{") and self.next.kind != "end":
                    self.take()
            if self.next.at("{"):
                self._function(words, declarator)
                return
        if self.accept("="):
            end = declarator
            declarator = _with_value(end, self.initialiser(), self.last)
        elif self.next.at("{"):
            declarator = _with_value(declarator, self.initialiser(), self.last)
        declarators = [declarator]
        while self.accept(","):
            declarator = self._declarator()
            if self.accept("="):
                declarator = _with_value(declarator, self.initialiser(), self.last)
            declarators.append(declarator)
        last = self.expect(";", "after the declaration")
        declaration = Declaration(words=words, declarators=tuple(declarators), first=first, last=last)
        if "typedef" in words:
            for d in declarators:
                self.types.add(d.name.text)
                one = Declaration(words=words, declarators=(d,), first=first, last=last)
                self.file.aliases[d.name.text] = one
        elif any(d.parameters is None and d.name.text for d in declarators):
            self.file.globals.append(declaration)
        self._done()

    def _function(self, words: tuple[str, ...], declarator: Declarator) -> None:
        end = closing_brace(self.tokens, self.position)
        if end is None:
            brace = self.next
            raise SourceError(
                f"the body of `{declarator.name.text}` is not closed: `}}` expected",
                self.file.source.span(brace.start, brace.end),
            )
        name = base_of(declarator.name.text)
        function = Function(
            name=declarator.name,
            words=words,
            formals=declarator.parameters or (),
            body=tuple(self.tokens[self.position : end + 1]),
            template=self.template,
            attributes=tuple(self.attributes),
            pragmas=tuple(self.before),
            record=self.record,
        )
        self.file.functions.setdefault(name, []).append(function)
        self.position = min(end + 1, len(self.tokens) - 1)
        self._done()


def closing_brace(code: Sequence[Token], opening: int) -> int | None:
    """Where a body ends by its braces alone: what is wrong with other brackets inside is told where it stands."""
    depth, in_pragma = 0, False
    for at in range(opening, len(code)):
        token = code[at]
        in_pragma = token.at(PRAGMA) or (in_pragma and not token.at(END))
        if not in_pragma:
            depth += token.at("{") - token.at("}")
            if depth == 0:
                return at
    return None


def _with_value(declarator: Declarator, value: Expression, last: Token) -> Declarator:
    return replace(declarator, value=value, last=last)


def _template_parameter(part: Sequence[Token]) -> list[TemplateParameter]:
    equals = next((at for at, token in enumerate(part) if token.at("=")), len(part))
    names = [t.text for t in part[:equals] if t.kind == "name"]
    if len(names) < 2:
        return []
    kind = "typename" if names[0] in ("typename", "class") else " ".join(names[:-1])
    return [TemplateParameter(kind, names[-1], tuple(part[equals + 1 :]))]


def _pragma_at(parser: HlsParser, at: int) -> PragmaWords | None:
    parser.position = at
    pragma = parser.pragma()
    return pragma if pragma.words else None
