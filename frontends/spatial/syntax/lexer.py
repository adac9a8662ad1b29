"""Scala text to tokens with offsets: brackets matched, newlines that end statements found, comments dropped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span

KEYWORDS = frozenset((
    "abstract", "case", "catch", "class", "def", "do", "else", "extends", "final", "finally", "for", "if",
    "implicit", "import", "lazy", "match", "new", "object", "override", "package", "private", "protected", "return",
    "sealed", "super", "throw", "trait", "try", "type", "val", "var", "while", "with", "yield",
))  # fmt: skip
MODIFIERS = frozenset((
    "abstract", "final", "implicit", "lazy", "override", "private", "protected", "sealed",
))  # fmt: skip
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: open_ for open_, close in OPENING.items()}
_RESERVED = {"=", "=>", "<-", ":", "@", "#", "_", "←", "⇒"}
_CANNOT_BEGIN = frozenset((
    "catch", "else", "extends", "finally", "match", "with", "yield", ",", ".", ";", ":", "=", "=>", "<-", "<:",
    "<%", ">:", "#", "[", ")", "]", "}",
))  # fmt: skip
_OPERATOR = r"[!#%&*+\-/:<=>?@\\^|~←⇒∈∘]+"

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f]+)
      | (?P<newline>\n)
      | (?P<comment>//[^\n]*)
      | (?P<block>/\*)
      | (?P<triple>(?:[A-Za-z]\w*)?\"\"\")
      | (?P<string>(?:[A-Za-z]\w*)?")
      | (?P<char>'(?:\\u[0-9a-fA-F]{4}|\\.|[^'\\\n])')
      | (?P<symbol>'[A-Za-z_]\w*)
      | (?P<real>(?:\d[\d_]*\.\d+|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?|\d+[eE][+-]?\d+[fFdD]?|\d+[fFdD])
      | (?P<integer>0[xX][0-9a-fA-F_]+[lL]?|\d[\d_]*[lL]?)
      | (?P<name>[^\W\d][\w$]*|`[^`\n]+`)
      | (?P<punctuation>[()\[\]{},;.])
      | (?P<operator>"""
    + _OPERATOR
    + ")",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is keyword, name, integer, real, string, char, symbol, operator, reserved, a bracket, `,` `.` or `;`.

    `breaks` says that a newline before it ends a statement.
    """

    kind: str
    text: str
    start: int
    end: int
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class Tokens:
    """A scanned source. `partner[i]` is the index of the bracket that matches token i, or -1."""

    source: Source
    items: tuple[Token, ...]
    partner: tuple[int, ...]

    def span(self, first: int, last: int) -> Span:
        """The span of the tokens first..last, both included."""
        return Span(self.source, self.items[first].start, self.items[last].end)


def scan(source: Source) -> Tokens:
    """Every token of the source; raises SourceError for a bracket, string or comment that is not closed."""
    raw = _raw(source)
    partner = _match_brackets(source, raw)
    return Tokens(source, tuple(_with_breaks(raw, partner)), partner)


def _raw(source: Source) -> list[tuple[Token, bool]]:
    """Tokens, each with whether a newline came before it."""
    text, position, after_newline = source.text, 0, False
    tokens: list[tuple[Token, bool]] = []
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise SourceError(f"unexpected character {text[position]!r}", source.span(position, position + 1))
        group, end = match.lastgroup or "", match.end()
        if group == "newline":
            after_newline = True
        elif group == "operator":
            end = _operator_end(text, position, end)
        elif group == "block":
            end = _comment_end(source, position)
            after_newline = after_newline or "\n" in text[position:end]
        elif group in ("string", "triple"):
            end = _string_end(source, position, end, group == "triple")
        if group in ("space", "newline", "comment", "block"):
            position = end
            continue
        tokens.append((Token(_kind(group, text[position:end]), text[position:end], position, end), after_newline))
        position, after_newline = end, False
    return tokens


def _operator_end(text: str, start: int, end: int) -> int:
    """An operator stops where a comment begins."""
    cut = [p for p in (text.find("//", start + 1, end), text.find("/*", start + 1, end + 1)) if p > 0]
    return min([end, *cut])


def _kind(group: str, text: str) -> str:
    if group == "name":
        return "keyword" if text in KEYWORDS else "reserved" if text == "_" else "name"
    if group == "triple":
        return "string"
    if group == "operator" and text in _RESERVED:
        return "reserved"
    return text if group == "punctuation" else group


def _comment_end(source: Source, start: int) -> int:
    """Scala's block comments nest."""
    depth, position, text = 0, start, source.text
    while position < len(text):
        if text.startswith("/*", position):
            depth, position = depth + 1, position + 2
        elif text.startswith("*/", position):
            depth, position = depth - 1, position + 2
            if depth == 0:
                return position
        else:
            position += 1
    raise SourceError("this comment is never closed", source.span(start, start + 2), hint="close it with `*/`")


def _string_end(source: Source, start: int, position: int, triple: bool) -> int:
    """The end of a string; `${…}` of an interpolated one may hold quotes and braces."""
    text = source.text
    interpolated = text[start] != '"'
    while position < len(text):
        if interpolated and text.startswith("${", position):
            position = _hole_end(source, position)
        elif triple and text.startswith('"""', position):
            position += 3
            while position < len(text) and text[position] == '"':
                position += 1
            return position
        elif not triple and text[position] == "\\":
            position += 2
        elif not triple and text[position] == '"':
            return position + 1
        elif not triple and text[position] == "\n":
            break
        else:
            position += 1
    raise SourceError("this string is never closed", source.span(start, start + 1), hint='close it with `"`')


def _hole_end(source: Source, position: int) -> int:
    """The end of `${…}`, with the strings in it."""
    text, depth = source.text, 0
    while position < len(text):
        if text[position] == '"':
            triple = text.startswith('"""', position)
            position = _string_end(source, position, position + (3 if triple else 1), triple)
            continue
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        position += 1
        if depth == 0 and text[position - 1] == "}":
            break
    return position


def _match_brackets(source: Source, raw: Sequence[tuple[Token, bool]]) -> tuple[int, ...]:
    partner = [-1] * len(raw)
    open_: list[int] = []
    for i, (token, _) in enumerate(raw):
        if token.kind in OPENING:
            open_.append(i)
        elif token.kind in CLOSING:
            if not open_:
                raise SourceError(f"`{token.text}` closes nothing", Span(source, token.start, token.end))
            j = open_.pop()
            opener = raw[j][0]
            if OPENING[opener.kind] != token.kind:
                line = Span(source, opener.start, opener.end).line
                raise SourceError(
                    f"`{token.text}` does not close the `{opener.text}` of line {line}",
                    Span(source, token.start, token.end),
                    hint=f"write `{OPENING[opener.kind]}`, or close what stands between",
                )
            partner[i], partner[j] = j, i
    if open_:
        opener = raw[open_[-1]][0]
        raise SourceError(f"this `{opener.text}` is never closed", Span(source, opener.start, opener.end))
    return tuple(partner)


def _with_breaks(raw: Sequence[tuple[Token, bool]], partner: Sequence[int]) -> list[Token]:
    """Scala's newline rule (Scala Language Specification 2.12, §1.2): newlines count in braces and at the top only."""
    tokens: list[Token] = []
    inside = ["{"]
    for i, (token, after_newline) in enumerate(raw):
        if token.kind in CLOSING:
            inside.pop()
        before = raw[i - 1][0] if i else None
        breaks = after_newline and before is not None and inside[-1] == "{" and _ends(before) and _begins(token, before)
        if breaks and _closes_condition(raw, partner, i - 1):
            breaks = False
        tokens.append(Token(token.kind, token.text, token.start, token.end, True) if breaks else token)
        if token.kind in OPENING:
            inside.append(token.kind)
    return tokens


def _closes_condition(raw: Sequence[tuple[Token, bool]], partner: Sequence[int], i: int) -> bool:
    """Does token `i` close the head of an `if`, a `for` or a `while`, whose body may be on the next line?"""
    opener = partner[i] if raw[i][0].kind in (")", "}") else -1
    return opener > 0 and raw[opener - 1][0].kind == "keyword" and raw[opener - 1][0].text in ("if", "for", "while")


def _ends(token: Token) -> bool:
    if token.kind in ("keyword", "operator"):
        return token.text in ("return", "type", "super", "*")
    if token.kind == "reserved":
        return token.text == "_"
    return token.kind not in ("(", "[", "{", ",", ".", ";")


def _begins(token: Token, before: Token) -> bool:
    if token.text in _CANNOT_BEGIN and token.kind not in ("string", "char"):
        return False
    if token.kind == "{" and before.kind == ")":
        return False  # a body on its own line
    # A line that begins with a binary operator goes on with the one before (Scala 2.13, -Xsource:3).
    return token.kind != "operator" or token.text in ("-", "+", "!", "~", "*")
