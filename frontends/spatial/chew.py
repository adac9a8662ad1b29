"""A range of tokens as the terminals of spatial.lark: type arguments, lambda and definition heads become one each."""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token as Terminal

from tunepass.diagnostics import SourceError
from tunepass.frontends.spatial.scanner import MODIFIERS, Token, Tokens

_BRACKETS = {"(": "LPAR", ")": "RPAR", "{": "LBRACE", "}": "RBRACE", ",": "COMMA", ".": "DOT", ";": "SEMI"}
_KEYWORD = {"if": "IF", "else": "ELSE", "match": "MATCH", "while": "WHILE", "return": "RETURN", "throw": "THROW"}
# Scala Language Specification 2.12, §6.12.3: the first character gives the precedence.
_PRECEDENCE = {"|": "OR", "^": "XOR", "&": "AND", "=": "EQUAL", "!": "EQUAL", "<": "LESS", ">": "LESS", ":": "COLON"}


def chew(tokens: Tokens, first: int, last: int) -> Iterator[Terminal]:
    """The terminals of the tokens first <= i < last; a statement break is a SEMI."""
    return _Chewer(tokens, last).run(first)


class _Chewer:
    """Walks once over the tokens; `at` is the next one."""

    def __init__(self, tokens: Tokens, last: int):
        self.tokens, self.items, self.last = tokens, tokens.items, last
        self.emitted: str | None = None

    def run(self, first: int) -> Iterator[Terminal]:
        at = first
        while at < self.last:
            token = self.items[at]
            if token.breaks and self._may_separate(token):
                yield self._terminal("SEMI", at, at)
            if token.kind == ";":
                if self._may_separate(self.items[at + 1] if at + 1 < self.last else None):
                    yield self._terminal("SEMI", at, at)
                at += 1
                continue
            kind, end = self._classify(at)
            if kind:
                yield self._terminal(kind, at, end)
            at = end + 1

    def _may_separate(self, following: Token | None) -> bool:
        return self.emitted not in (None, "LBRACE", "SEMI", "LAMBDA", "HEAD", "CASE") and not (
            following is None or following.kind in ("}", ";") or following.text == "case"
        )

    def _terminal(self, kind: str, first: int, last: int) -> Terminal:
        self.emitted = kind
        start, end = self.items[first].start, self.items[last].end
        if kind == "SEMI":
            end = start
        text = self.tokens.source.text[start:end]
        return Terminal(kind, text, start_pos=start, end_pos=end)

    def _classify(self, at: int) -> tuple[str, int]:
        """The terminal that starts at token `at` ("" to skip it), and its last token."""
        token = self.items[at]
        lambda_end = self._lambda_head(at)
        if lambda_end is not None:
            return ("HEAD" if self.emitted == "LBRACE" else "LAMBDA"), lambda_end
        match token.kind:
            case "[":
                return "TYPES", self.tokens.partner[at]
            case "keyword":
                return self._keyword(at)
            case "operator":
                return self._operator(at), at
            case "reserved":
                return self._reserved(at)
            case "name":
                return ("BOOLEAN" if token.text in ("true", "false") else "NAME"), at
            case "integer" | "real" | "string" | "char" | "symbol":
                return token.kind.upper(), at
            case _:
                return _BRACKETS[token.kind], at

    def _lambda_head(self, at: int) -> int | None:
        """The index of the `=>` if a lambda's parameters start at `at`."""
        token, arrow = self.items[at], -1
        if token.kind == "(":
            arrow = self.tokens.partner[at] + 1
        elif token.kind == "name" or token.text == "_":
            arrow = at + 1
            if arrow < self.last and self.items[arrow].text == ":" and self.emitted in ("LBRACE", "LPAR", "COMMA"):
                arrow += 1
                while arrow < self.last and self.items[arrow].kind in ("name", ".", "["):
                    arrow = (self.tokens.partner[arrow] if self.items[arrow].kind == "[" else arrow) + 1
        if arrow < 0 or arrow >= self.last or self.items[arrow].text not in ("=>", "⇒"):
            return None
        return arrow

    def _keyword(self, at: int) -> tuple[str, int]:
        text = self.items[at].text
        if text in MODIFIERS:
            follow = at + 1
            scoped = follow < self.last and self.items[follow].kind == "["
            return "", self.tokens.partner[follow] if scoped else at
        if text == "case":
            return "CASE", self._until(at, ("=>",), "a `case` needs `=>`")
        if text in ("val", "var"):
            return "VALUE", self._until(at, ("=",), f"a `{text}` needs `= …`")
        if text == "def":
            return "DEFINITION", self._until(at, ("=",), "a `def` needs `= …`")
        if text == "for":
            return self._for(at)
        if text in ("type", "import", "package"):
            return "SKIPPED", self._line_end(at)
        if text == "new":
            return "NEW", at
        if text in _KEYWORD:
            return _KEYWORD[text], at
        raise self._error(at, f"`{text}` is not understood here")

    def _for(self, at: int) -> tuple[str, int]:
        """`for (…)` or `for {…}`, with a `yield` that follows."""
        if at + 1 >= self.last or self.items[at + 1].kind not in ("(", "{"):
            raise self._error(at, "a `for` needs its generators in parentheses")
        end = self.tokens.partner[at + 1]
        if end + 1 < self.last and self.items[end + 1].text == "yield":
            end += 1
        return "FOR", end

    def _until(self, at: int, stops: tuple[str, ...], message: str) -> int:
        """The index of the first of `stops` outside of brackets, on the same statement."""
        here = at + 1
        while here < self.last:
            token = self.items[here]
            if token.kind == "reserved" and token.text in stops:
                return here
            if token.kind in ("(", "[", "{"):
                here = self.tokens.partner[here]
            elif token.breaks or token.kind in ("}", ")", ";"):
                break
            here += 1
        raise self._error(at, message)

    def _line_end(self, at: int) -> int:
        here = at
        while here + 1 < self.last and not self.items[here + 1].breaks and self.items[here + 1].kind not in (";", "}"):
            here = self.tokens.partner[here + 1] if self.items[here + 1].kind in ("(", "[", "{") else here + 1
        return here

    def _operator(self, at: int) -> str:
        text = self.items[at].text
        if text == "*" and self._alone(at):
            return "STAR"
        if text in ("+", "-"):
            return "SIGN"
        if text in ("!", "~"):
            return "NOT"
        if text[-1] == "=" and text[0] != "=" and text not in ("<=", ">=", "!="):
            return "ASSIGN"
        if text[0] in "+-":
            return "ADD"
        if text[0] in "*/%":
            return "MULTIPLY"
        return _PRECEDENCE.get(text[0], "OTHER")

    def _alone(self, at: int) -> bool:
        """Is this `*` a whole argument?"""
        if at == 0 or at + 1 >= len(self.items):
            return False
        before, after = self.items[at - 1], self.items[at + 1]
        return before.kind in ("(", ",") and (after.kind in (")", ",") or after.text in ("by", "par"))

    def _reserved(self, at: int) -> tuple[str, int]:
        text = self.items[at].text
        if text == "=":
            return "IS", at
        if text == "_":
            if at + 1 < self.last and self.items[at + 1].text == "*" and self.emitted == "COLON":
                return "PLACEHOLDER", at + 1  # `xs: _*`
            return "PLACEHOLDER", at
        if text == "@":  # an annotation: its name and arguments
            end = at + 1
            while end + 1 < self.last and self.items[end + 1].kind in ("[", "(") and not self.items[end + 1].breaks:
                end = self.tokens.partner[end + 1]
            return "", end
        if text == ":":
            return "ASCRIBED", self._type_end(at)
        raise self._error(at, f"`{text}` is not expected here")

    def _type_end(self, at: int) -> int:
        """The last token of `: Type`."""
        here = at + 1
        while here < self.last:
            kind = self.items[here].kind
            if kind in ("[", "("):
                here = self.tokens.partner[here] + 1
            elif kind in ("name", ".") or self.items[here].text in ("_", "@", "*"):
                here += 1
            else:
                break
            if here < self.last and self.items[here].breaks:
                break
        return here - 1

    def _error(self, at: int, message: str) -> SourceError:
        return SourceError(message, self.tokens.span(at, at))
