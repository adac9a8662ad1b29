"""What a C or C++ text is made of, for our purposes: code, comments, strings, directives and tunepass pragmas.

Every text made here has the length of the source, so that an offset means the same place in all of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError

CONTINUED = r"(?:\\\r?\n|[^\n])*"  # to the end of the line, over backslash-newlines

TOKEN = re.compile(
    rf"""
      (?P<pragma>^[ \t]*\#[ \t]*pragma[ \t]+tunepass\b(?:\\\r?\n|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|[^\n])*)
    | (?P<line>//{CONTINUED})
    | (?P<block>/\*.*?(?:\*/|\Z))
    | (?P<raw>\b(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{{0,16}})\(.*?\)(?P=mark)")
    | (?P<string>"(?:\\.|[^"\\\n])*"?)
    | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    | (?P<char>'(?:\\.|[^'\\\n])*'?)
    | \w+
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
COMMENT_PRAGMA = re.compile(r"(?://|/\*)\s*tunepass:")
DIRECTIVE = re.compile(rf"^[ \t]*\#[ \t]*(?P<kind>\w*){CONTINUED}", re.MULTILINE)
OTHER_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(?P<name>[Tt][Uu][Nn]\w*)", re.MULTILINE)
CONTINUATION = re.compile(r"\\\r?\n")
WORD = re.compile(r"\b[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class PragmaText:
    """The text after `tunepass` (or `tunepass:`), blanked to one line; `start` is where it begins in the source.

    [outer_start, outer_end) is the whole directive or comment.
    """

    text: str
    start: int
    outer_start: int
    outer_end: int


@dataclass(frozen=True, slots=True)
class Directive:
    """A preprocessor line: its kind (`define`, `ifndef`, ...) and its text without comments, `#` included."""

    kind: str
    text: str
    start: int

    @property
    def body(self) -> str:
        """What follows the kind."""
        head = re.match(r"\s*#\s*\w*", self.text)
        return CONTINUATION.sub(" ", self.text[head.end() if head else 0 :]).strip()


@dataclass(frozen=True, slots=True)
class Scan:
    """A scanned source. `code` is the text with comments and tunepass pragmas blanked and strings emptied."""

    source: Source
    code: str
    pragmas: tuple[PragmaText, ...]
    directives: tuple[Directive, ...]

    @property
    def statements(self) -> str:
        """`code` with every preprocessor line blanked too."""
        return blanked(self.code, [(d.start, d.start + len(d.text)) for d in self.directives])

    def words(self) -> Iterator[str]:
        """The identifiers of code, and of directives other than those that define or test a macro's existence."""
        yield from WORD.findall(self.statements)
        for directive in self.directives:
            names = WORD.findall(directive.body)
            if directive.kind in ("define", "ifndef", "ifdef", "undef"):
                names = names[1:]
            yield from names


def blanked(text: str, regions: list[tuple[int, int]]) -> str:
    """`text` with these ascending regions turned into spaces; their newlines stay."""
    pieces, position = [], 0
    for start, end in regions:
        pieces += [text[position:start], _spaces(text[start:end])]
        position = end
    return "".join([*pieces, text[position:]])


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def scan(source: Source) -> Scan:
    """Scan `source`; text in strings, in other comments and under `#if 0` holds no pragma and uses no macro."""
    pieces: list[str] = []
    pragmas: list[PragmaText] = []
    end = 0
    for token in TOKEN.finditer(source.text):
        kind = token.lastgroup if token.lastgroup != "mark" else "raw"
        if kind in (None, "number"):
            continue
        pieces.append(source.text[end : token.start()])
        end = token.end()
        pragma = _pragma(str(kind), token)
        if pragma is not None:
            pragmas.append(pragma)
        pieces.append(_replacement(str(kind), token.group()))
    code = "".join([*pieces, source.text[end:]])
    directives = tuple(Directive(d["kind"], d.group(), d.start()) for d in DIRECTIVE.finditer(code))
    dead = _dead_regions(directives, len(code))
    code = blanked(code, dead)
    _check_spelling(source, code)

    def alive(start: int) -> bool:
        return not any(first <= start < last for first, last in dead)

    return Scan(
        source,
        code,
        tuple(p for p in pragmas if alive(p.start)),
        tuple(d for d in directives if alive(d.start)),
    )


def _replacement(kind: str, text: str) -> str:
    if kind == "line" or kind == "pragma":
        return _spaces(text)
    if kind == "block":  # a comment is one space to C, also where it spans the end of a directive's line
        return " " * len(text)
    quote = "'" if kind == "char" else '"'
    return quote + " " * (len(text) - 2) + quote if len(text) >= 2 else " " * len(text)


def _pragma(kind: str, token: re.Match[str]) -> PragmaText | None:
    text = token.group()
    if kind == "pragma":
        head = text.index("tunepass") + len("tunepass")
    elif kind in ("line", "block"):
        match = COMMENT_PRAGMA.match(text)
        if match is None:
            return None
        head = match.end()
    else:
        return None
    body = text[head:]
    if kind == "block":
        body = _undecorated(body.removesuffix("*/"))
    body = CONTINUATION.sub(lambda m: " " * len(m.group()), body)
    outer = token.start() + len(text) - len(text.lstrip())
    return PragmaText(re.sub(r"[\r\n]", " ", body), token.start() + head, outer, token.end())


def _undecorated(body: str) -> str:
    """A block comment's text; where every later line begins with `*`, these stars are the comment's border."""
    first, *rest = body.split("\n")
    if all(not line.strip() or line.lstrip().startswith("*") for line in rest):
        rest = [line.replace("*", " ", 1) for line in rest]
    return "\n".join([first, *rest])


def _dead_regions(directives: tuple[Directive, ...], end: int) -> list[tuple[int, int]]:
    """The texts under `#if 0`, up to its `#else`, `#elif` or `#endif`."""
    regions: list[tuple[int, int]] = []
    depth, dead_from, dead_depth = 0, 0, 0
    for directive in directives:
        if directive.kind in ("if", "ifdef", "ifndef"):
            depth += 1
            if not dead_depth and directive.kind == "if" and directive.body in ("0", "(0)"):
                dead_depth, dead_from = depth, directive.start + len(directive.text)
        elif directive.kind in ("else", "elif", "endif"):
            if dead_depth == depth and dead_depth:
                regions.append((dead_from, directive.start))
                dead_depth = 0
            depth -= directive.kind == "endif"
    if dead_depth:
        regions.append((dead_from, end))
    return regions


def _check_spelling(source: Source, code: str) -> None:
    """A misspelt `#pragma tunepass` would be ignored by every compiler, and by us: the worst of failures."""
    for match in OTHER_PRAGMA.finditer(code):
        if difflib.get_close_matches(match["name"].lower(), ["tunepass"], cutoff=0.8):
            span = source.span(match.start("name"), match.end("name"))
            raise SourceError(f"unknown pragma `{match['name']}`", span, "did you mean `tunepass`?")
