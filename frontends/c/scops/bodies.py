"""Reads loops whose innermost statement need not be C that the parser knows."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.frontends.c.scops.expressions import CLOSING, SyntaxFault
from tunepass.frontends.c.scops.statements import StatementParser
from tunepass.frontends.c.scops.tokens import Token
from tunepass.frontends.c.scops.tree import For, Jump, Statement, Unread

BEFORE_HINT = "the pragma stands right before its nest"
LEAVES = ("break", "continue", "goto", "return", "co_return", "co_yield", "co_await")
REPEATS = ("for", "while", "do", "switch")


class BodyParser(StatementParser):
    """Reads `depth` loops one inside the other; what is inside them need not be C that this parser knows."""

    def __init__(self, tokens: Sequence[Token], types: frozenset[str], depth: int):
        super().__init__(tokens, types)
        self.left, self.inside = depth, False

    def _for(self) -> For:
        self.left -= 1
        return super()._for()

    def statement(self) -> Statement:
        if self.left > 0 or self.inside:
            return super().statement()
        self.inside = True
        position, depth = self.position, self.depth
        try:
            statement = super().statement()
        except SyntaxFault:
            self.position, self.depth = position, depth
            statement = self._unread()
        self.inside = False
        return statement

    def _unread(self) -> Unread:
        """The statement by its brackets and semicolons."""
        position = self.position
        while self.next.kind != "end":
            opening = self.next
            if opening.at(*CLOSING):
                self._skip_brackets()
                if opening.at("{") and not self.next.at("else", "catch", "while", ")", ",", ";", "(", "."):
                    break
            elif self.take().at(";") and not self.next.at("else"):
                break
        tokens = self.tokens[position : self.position]
        if not tokens:
            self.fail("expected a statement: this loop has no body")
        return Unread(tokens=tuple(tokens), jump=_jump(tokens), first=tokens[0], last=tokens[-1])


def _jump(tokens: Sequence[Token]) -> Jump | None:
    """What may leave the statement, or an iteration."""
    repeats = any(t.at(*REPEATS) for t in tokens)
    own = ("break", "continue") if repeats else ()
    token = next((t for t in tokens if t.at(*LEAVES) and not t.at(*own)), None)
    return None if token is None else Jump(kind=token.text, value=None, first=token, last=token)
