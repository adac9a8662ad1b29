"""Lexemes of C, C++, CUDA, OpenCL C and HLS C: a text cut where its compiler cuts it, each with its range in the text.

A line splice (a backslash that ends a line) may stand inside any of them, but for raw strings, where it is text. A name
has its letters as such, also those written by their numbers (`\\u00e9`), and a digraph (`<:`) is what it stands for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

BLANK = r"[ \t\f\v]"
SPLICED = rf"\\{BLANK}*\r?\n"  # blanks before the end of the line: gcc and clang take them for none
CONTINUED = rf"(?:{SPLICED}|[^\n])*"  # to the end of a logical line
SPACE = rf"(?:{BLANK}|/\*(?:[^*]|\*(?!/))*\*/|{SPLICED})"
HASH = r"(?:\#|%:)"
BEYOND_ASCII = r"\x80-\x84\x86-\x9f\xa1-\U0010ffff"  # but blanks of one character
LETTER, LATER = f"[A-Za-z_${BEYOND_ASCII}]", f"[A-Za-z0-9_${BEYOND_ASCII}]"
UNIVERSAL = r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})"  # a letter by its number
NAME = rf"(?:{LETTER}|{UNIVERSAL}){LATER}*(?:{UNIVERSAL}{LATER}*)*"
"""Any letter beyond ASCII: which of them a name may have is the compiler's to say."""
DIGRAPH = r"<:(?!:[^:>])|:>|<%|%>|%:%:|%:"  # `f<::x>` is `f< ::x>` (C++, [lex.pptoken])
TOKEN = re.compile(
    rf"""
      (?P<directive>^(?:{SPACE})*{HASH}(?:{SPACE}|"(?:\\.|[^"\\\n])*"|//{CONTINUED}|/(?![/*])|\\(?!{BLANK}*\r?\n)|[^\n\\/])*)
    | (?P<comment>//{CONTINUED}|/\*.*?(?:\*/|\Z))
    | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{{0,16}})\(.*?\)(?P=mark)")
    | (?P<text>(?:u8|[uUL])?(?:"(?:\\(?:\r\n|.)|[^"\\\n])*"?|'(?:\\(?:\r\n|.)|[^'\\\n])*'?))
    | (?P<name>{NAME})
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'(?=\w)|[\w.])*)
    | (?P<digraph>{DIGRAPH})
    | (?P<op>\.\.\.|<=>|<<=|>>=|->\*|->|\.\*|\+\+|--|&&|\|\||<<|>>|::|\#\#|[-+*/%&|^=!<>]=|[^\s\\])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
PLAIN = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##"}
SPLICE = re.compile(SPLICED)
IN_WORD = re.compile(rf"(?<=\w){SPLICED}(?=\w)")
UCN = re.compile(UNIVERSAL)
ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_OUTSIDE_TEXTS = re.compile(
    rf"""(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{{0,16}})\(.*?\)(?P=mark)" | "(?:\\.|[^"\\\n])*" | \b[0-9][\w'.]*
      | '(?:\\.|[^'\\\n])*' | (?P<letter>{UNIVERSAL})""",
    re.VERBOSE | re.DOTALL,
)
Lexeme = tuple[str, str, int, int]
"""(kind, text, start, end); kinds are the groups of `TOKEN`, raw strings are texts."""


def lexemes(text: str, start: int = 0, end: int | None = None) -> Iterator[Lexeme]:
    """The lexemes of `text[start:end]`, comments and directives included."""
    end = len(text) if end is None else end
    if SPLICE.search(text, start, end) is None:
        yield from _lexemes(text, start, end)
        return
    joined = _Joined.of(text, start, end)
    for kind, word, first, last in _lexemes(joined.text, 1, len(joined.text)):
        yield kind, word, joined.start(first), joined.end(last)


def _lexemes(text: str, start: int, end: int) -> Iterator[Lexeme]:
    for match in TOKEN.finditer(text, start, end):
        kind, word = match.lastgroup or "", match.group()
        if kind == "name":
            word = UCN.sub(_letter, word) if "\\" in word else word
        elif kind == "digraph":
            kind, word = "op", PLAIN[word]
        elif kind in ("raw", "mark"):
            kind = "text"
        yield kind, word, match.start(), match.end()


@dataclass(slots=True)
class _Joined:
    """A text without line splices, after the one character before it; `cuts` are the places of the splices in it, and
    `shifts` what is added to a place after so many of them."""

    text: str
    cuts: list[int] = field(default_factory=list)
    shifts: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, text: str, start: int, end: int) -> _Joined:
        whole = (text[start - 1 : start] or "\n") + text[start:end]
        raw = [m.span() for m in TOKEN.finditer(whole, 1) if m.lastgroup in ("raw", "mark")] if 'R"' in whole else []
        pieces, position, removed = list[str](), 0, start - 1
        joined = cls("", [], [removed])
        for splice in SPLICE.finditer(whole, 1):
            if any(first < splice.start() < last for first, last in raw):
                continue
            pieces.append(whole[position : splice.start()])
            position = splice.end()
            joined.cuts.append(splice.start() - (removed - start + 1))
            removed += splice.end() - splice.start()
            joined.shifts.append(removed)
        joined.text = "".join([*pieces, whole[position:]])
        return joined

    def start(self, place: int) -> int:
        """The offset of the character at that place."""
        return place + self.shifts[bisect_right(self.cuts, place)]

    def end(self, place: int) -> int:
        """The offset after the character before that place."""
        return place + self.shifts[bisect_left(self.cuts, place)]


def _letter(match: re.Match[str]) -> str:
    code = int(match.group()[2:], 16)
    return chr(code) if code < 0x110000 else match.group()


def with_letters(text: str) -> str:
    """The text with the letters of its names as such; those in strings stay as they are written."""
    if "\\u" not in text and "\\U" not in text:
        return text
    return _OUTSIDE_TEXTS.sub(lambda match: _letter(match) if match["letter"] else match.group(), text)


def on_one_line(directive: str) -> str:
    """A directive's text with a blank for each line splice that no word goes over."""
    return SPLICE.sub(" ", IN_WORD.sub("", directive))


def on_plain_lines(text: str) -> str:
    """The text so that it may be indented: without line splices, raw strings of several lines as plain ones, names with
    their letters."""
    if "\\" not in text and not ('R"' in text and "\n" in text):
        return text
    pieces, position = [], 0
    for kind, word, start, end in lexemes(text):
        written = text[start:end]
        if kind == "text" and 'R"' in word and "\n" in word:
            written = _plain_string(word)
        elif kind == "name" or SPLICE.search(written):
            written = " " if kind == "comment" else word
        pieces += [SPLICE.sub("", text[position:start]), written]
        position = end
    return "".join([*pieces, SPLICE.sub("", text[position:])])


def _plain_string(raw: str) -> str:
    """A raw string's text with escapes."""
    prefix, _, inside = raw.partition('R"')
    mark, _, inside = inside.partition("(")
    body = inside.removesuffix(f'){mark}"').replace("\r\n", "\n")
    return prefix + '"' + body.translate(ESCAPED).replace("??", r"?\?") + '"'
