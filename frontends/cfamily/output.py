"""What `cc -E` printed: the main file's text, the text of each included file, and the macros."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from tunepass.frontends.cfamily.marks import END, PRAGMA, MacroText

LINE = re.compile(r'^# (?P<line>\d+) "(?P<file>(?:[^"\\\n]|\\.)*)"(?P<flags>[ \d]*)\n', re.MULTILINE)
MACRO = re.compile(
    r"^#(?P<kind>define|undef) (?P<name>\w+)(?P<parameters>\([^)\n]*\))?(?P<body>[^\n]*)\n?", re.MULTILINE
)
PRAGMA_LINE = re.compile(r"^[ \t]*#[ \t]*pragma\b([^\n]*)$", re.MULTILINE)
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
    for match in MACRO.finditer(text):
        if match["kind"] == "define":
            macro = MacroText(match["name"], _parameters(match["parameters"]), match["body"].strip())
            output.macros.setdefault(match["name"], []).append(macro)
    for chunk in _chunks(MACRO.sub("\n", text)):
        if chunk.file and not chunk.system and chunk.file != "/dev/stdin":
            output.included[chunk.file] = None
        if chunk.text.strip():
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


def _chunks(text: str) -> list[Chunk]:
    """By the line markers: flag 1 enters a file, 2 returns to one, 3 says that it is the system's.

    Inside a file, flag 3 stands before what a system's macro made, and a marker without it after that; where none
    follows, `#pragma GCC system_header` has made the rest of the file the system's.
    """
    files: list[_Opened] = []
    chunks: list[Chunk] = []
    position, line = 0, 1
    for match in (*LINE.finditer(text), None):
        end = len(text) if match is None else match.start()
        if files:
            chunks.append(_chunk(files[-1].name, text[position:end], files[-1].system, line))
        if match is None:
            break
        name, flags = match["file"], match["flags"].split()
        if "1" in flags or not files:
            files.append(_Opened(name, "3" in flags))
        elif "2" in flags and len(files) > 1:
            _close(files.pop(), chunks)
            files[-1].name = name
        else:
            files[-1].name = name
        files[-1].marked = [*files[-1].marked, len(chunks)] if "3" in flags else []
        position, line = match.end(), int(match["line"])
    for opened in files:
        _close(opened, chunks)
    return chunks


def _close(opened: _Opened, chunks: list[Chunk]) -> None:
    for at in opened.marked:
        chunks[at] = replace(chunks[at], system=bool(chunks[at].file))


def _chunk(file: str, text: str, system: bool, line: int) -> Chunk:
    if file == OWN:
        text = PRAGMA_LINE.sub(lambda m: f" {PRAGMA}m_ {m[1]} {END}m_ ", text)
        return Chunk("", text, line=line)
    return Chunk(file, text, system or file.startswith("<"), line)
