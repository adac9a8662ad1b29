"""Parses the statements of HLS sources: C, the C++ that synthesis takes, and pragmas among them."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.frontends.c.scops.expressions import ARITHMETIC, KEYWORDS, SyntaxFault
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import (
    Block,
    Call,
    Evaluated,
    Expression,
    Name,
    Number,
    Statement,
)
from tunepass.frontends.hls.syntax.declarations import DeclarationParser
from tunepass.frontends.hls.syntax.preprocess import PRAGMA
from tunepass.frontends.hls.syntax.tree import ForEach, PragmaWords
from tunepass.frontends.hls.syntax.types import SOFT


class HlsParser(DeclarationParser):
    def part(self, tokens: Sequence[Token], types: frozenset[str], in_body: bool = True) -> HlsParser:
        return HlsParser(tokens, types, in_body)

    # --- statements -----------------------------------------------------------------------------------------------

    def statement(self) -> Statement:
        """With the pragmas and labels before it, where it has any."""
        read = [self.item()]
        while isinstance(read[-1], PragmaWords) or getattr(read[-1], "kind", "") == "label":
            if self.next.at("}") or self.next.kind == "end":
                break
            read.append(self.item())
        return read[0] if len(read) == 1 else Block(statements=tuple(read), first=read[0].first, last=read[-1].last)

    def statements(self) -> tuple[Statement, ...]:
        read: list[Statement] = []
        while self.next.kind != "end":
            read.append(self.item())
        return tuple(read)

    def item(self) -> Statement:
        """A statement, a pragma or a label of a block."""
        return super().statement()

    def _statement(self) -> Statement:
        first = self.next
        if first.at(PRAGMA):
            return self.pragma()  # type: ignore[return-value]  # stands in blocks as statements do
        if first.at("using", "static_assert", "goto", "throw", "delete"):
            while not self.take().at(";"):
                if self.next.kind == "end":
                    self.fail("expected `;`")
            return Evaluated(expression=None, first=first, last=self.last)
        if first.at("for") and (each := self._for_each()):
            return each  # type: ignore[return-value]
        if first.at("__attribute__"):
            self._attribute()
            return Evaluated(expression=None, first=first, last=self.last)
        if first.kind == "name" and not first.at(*KEYWORDS) and self._takes_statements():
            return self._macro_of_statements()
        return super()._statement()

    def _takes_statements(self) -> bool:
        """`DEBUG(3, int n = 0; print(n);)`: a macro of a header that is not here, since no function takes a `;`."""
        end = self.closing.get(self.position + 1) if self.peek().at("(") else None
        return end is not None and any(t.at(";") for t in self.tokens[self.position + 2 : end])

    def _macro_of_statements(self) -> Evaluated:
        """A call of what is not known, without its arguments."""
        first = self.take()
        self._skip_brackets()
        self.accept(";")
        return Evaluated(expression=Call(Name(first), ()), first=first, last=self.last)

    def _block(self) -> Block:
        first = self.take()
        inside: list[Statement] = []
        while not self.next.at("}"):
            if self.next.kind == "end":
                self.fail("expected `}`")
            inside.append(self.item())
        return Block(statements=tuple(inside), first=first, last=self.take())

    def _for_each(self) -> ForEach | None:
        position = self.position
        first = self.take()
        self.expect("(", "after `for`")
        try:
            self._words()
            self._stars()
            name = self.take()
            if name.kind != "name" or not self.accept(":"):
                raise SyntaxFault("no colon", self.next)
            array = self.expression()
            self.expect(")", "after the array")
        except SyntaxFault:
            self.position = position
            return None
        body = self.statement()
        return ForEach(name=name, array=array, body=body, first=first, last=self.last)

    # --- expressions ----------------------------------------------------------------------------------------------

    def _is_cast(self) -> bool:
        """`(int(x))` is none; `(word *) p` is one, whatever the word."""
        if self.is_type(self.peek()) and self.peek(2).at("(") and not self.peek(3).at("*"):
            return False
        if (self.peek().text in SOFT or self.peek().at("class", "typename")) and self.is_type(self.peek(2)):
            return True
        pointer = self.peek().kind == "name" and self.peek(2).at("*") and self.peek(3).at(")")
        return pointer or super()._is_cast()

    def _unary(self) -> Expression:
        if not self.next.at("new"):
            return super()._unary()
        token = self.take()
        self._words()
        self._stars()
        while self.next.at("(", "["):
            self._skip_brackets()
        return Number(Token("number", "0", token.start, token.end))

    def _primary(self) -> Expression:
        token = self.next
        if token.at("{"):
            return self._items()
        if token.at(PRAGMA):
            self.pragma()
            return self._primary()
        if token.kind == "name" and token.text in ARITHMETIC and self.peek().kind == "name":
            self.take()  # `unsigned int(x)`
            return self._primary()
        if token.kind == "name" and self.peek().at("{") and self.is_type(token):
            self.take()
            return Call(Name(token), (self._items(),))
        return super()._primary()
