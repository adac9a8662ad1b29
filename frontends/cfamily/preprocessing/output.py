"""What `cc -E` printed: the main file's text, the text of each included file, and the macros."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tunepass.frontends.cfamily.text.lexemes import with_letters
from tunepass.frontends.cfamily.text.marks import END, PRAGMA, MacroText

LINE = re.compile(r'^# (?P<line>\d+) "(?P<file>(?:[^"\\\n]|\\.)*)"(?P<flags>[ \d]*)\n', re.MULTILINE)
MACRO = re.compile(
    r"^#(?P<kind>define|undef) (?P<name>[\w$]+)(?P<parameters>\([^)\n]*\))?(?P<body>[^\n]*)\n?", re.MULTILINE
)
PRAGMA_LINE = re.compile(r"^[ \t]*#[ \t]*pragma\b([^\n]*)$", re.MULTILINE)
RAW = re.compile(r'(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"', re.DOTALL)
OWN = "tunepass_main"  # `#line 1 "tunepass_main"` names the text that was fed


@dataclass(frozen=True, slots=True)
class Chunk:
    """Text of the main file (`file` is empty) or of an included one; `system` as the compiler has it."""

    file: str
    text: str
    system: bool = False
    line: int = 1


@dataclass(slots=True)
class Output:
    """`macros` by name with every definition that the compiler met, in its order."""

    chunks: list[Chunk] = field(default_factory=list)
    macros: dict[str, list[MacroText]] = field(default_factory=dict)
    included: dict[str, None] = field(default_factory=dict)  # files that are not the system's, in their order

    @property
    def main(self) -> str:
        return "\n".join(chunk.text for chunk in self.chunks if not chunk.file)


def read_output(text: str) -> Output:
    """Definitions (`-dD`) are taken out of the text; a line `#pragma` that a macro made stands between marks."""
    output = Output()
    for chunk in _chunks(with_letters(text), output.macros):
        if chunk.file and not (chunk.system or chunk.file == "/dev/stdin" or chunk.file.endswith("//")):
            output.included[chunk.file] = None  # with -g, gcc names the working folder too, with two strokes
        if chunk.text and not chunk.text.isspace():
            output.chunks.append(chunk)
    return output


def _parameters(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(word.strip() for word in text[1:-1].split(",") if word.strip())


@dataclass(slots=True)
class _Opened:
    """A file between its beginning and its end; `marked`: its chunks since a marker said that it is the system's."""

    name: str
    system: bool
    marked: list[int] = field(default_factory=list)


def _chunks(text: str, macros: dict[str, list[MacroText]]) -> list[Chunk]:
    """By the line markers: flag 1 enters a file, 2 returns to one, 3 says that it is the system's.

    Inside a file, flag 3 stands before what a system's macro made, and a marker without it after that; where none
    follows, `#pragma GCC system_header` has made the rest of the file the system's.
    """
    files: list[_Opened] = []
    chunks: list[Chunk] = []
    pieces: list[str] = []
    position, line = 0, 1
    for start in _outside(_raw_strings(text), _hashes(text)):
        match = LINE.match(text, start) if text.startswith("# ", start) else None
        macro = MACRO.match(text, start) if match is None else None
        if match is not None:
            if files:
                pieces.append(text[position:start])
                chunks.append(_chunk(files[-1], "".join(pieces), line))
                pieces = []
            _enter(files, match["file"], match["flags"].split(), chunks)
            position, line = match.end(), int(match["line"])
        elif macro is not None:
            pieces += [text[position:start], "\n"]
            position = macro.end()
            if macro["kind"] == "define":
                made = MacroText(macro["name"], _parameters(macro["parameters"]), macro["body"].strip())
                macros.setdefault(made.name, []).append(made)
    if files:
        chunks.append(_chunk(files[-1], "".join([*pieces, text[position:]]), line))
    for opened in files:
        _close(opened, chunks)
    return chunks


def _hashes(text: str) -> Iterator[int]:
    """The lines that begin with `#`."""
    at = 0 if text.startswith("#") else text.find("\n#") + 1
    while at or text.startswith("#"):
        yield at
        at = text.find("\n#", at) + 1
        if not at:
            return


def _raw_strings(text: str) -> list[tuple[int, int]]:
    """The ranges of raw strings of several lines."""
    return [m.span() for m in RAW.finditer(text) if "\n" in m.group()] if 'R"' in text else []


def _outside(ranges: Sequence[tuple[int, int]], places: Iterator[int]) -> Iterator[int]:
    starts = [start for start, _ in ranges]
    for place in places:
        before = bisect_right(starts, place) - 1
        if before < 0 or place >= ranges[before][1]:
            yield place


def pragma_lines(text: str) -> Iterator[re.Match[str]]:
    """The lines `#pragma`, which no raw string has."""
    if "#" not in text:
        return
    lines = {match.start(): match for match in PRAGMA_LINE.finditer(text)}
    for start in _outside(_raw_strings(text), iter(lines)):
        yield lines[start]


def _with_marks(text: str) -> str:
    """The text with each line `#pragma` between marks."""
    pieces, position = [], 0
    for match in pragma_lines(text):
        pieces += [text[position : match.start()], f" {PRAGMA}m_ {match[1]} {END}m_ "]
        position = match.end()
    return "".join([*pieces, text[position:]])


def _enter(files: list[_Opened], name: str, flags: Sequence[str], chunks: list[Chunk]) -> None:
    if "1" in flags or not files:
        files.append(_Opened(name, "3" in flags))
    elif "2" in flags and len(files) > 1:
        _close(files.pop(), chunks)
        files[-1].name = name
    else:
        files[-1].name = name
    if "3" not in flags:
        files[-1].marked.clear()
    elif not files[-1].system:
        files[-1].marked.append(len(chunks))


def _close(opened: _Opened, chunks: list[Chunk]) -> None:
    for at in opened.marked:
        chunks[at] = replace(chunks[at], system=bool(chunks[at].file))


def _chunk(opened: _Opened, text: str, line: int) -> Chunk:
    if opened.name == OWN:
        return Chunk("", _with_marks(text), line=line)
    return Chunk(opened.name, text, opened.system or opened.name.startswith("<"), line)
