"""Kernel Tuner's own pragmas in C: `#pragma tuner start NAME a(float*:SIZE) n(int:VALUE)` to `#pragma tuner stop`.

Between them stands a loop nest with OpenMP or OpenACC directives (kernel_tuner, `utils/directives.py`). It becomes a
function of those arguments. Sizes are numbers, or macros of the file; the file has no parameters and no constraints,
which Kernel Tuner is given in Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.diagnostics import Source, SourceError, Span, spelling_hint
from tunepass.interchange.foreign_kernel import ForeignArgument

SIZE_LIMIT = 1 << 20  # characters
LENGTH_LIMIT = 2**40  # elements
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+tuner[ \t]+(?P<word>\w+)(?P<rest>[^\n]*)$", re.MULTILINE)
_ARGUMENT = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\((?P<type>[\w ]+?)\s*(?P<pointer>\**)\s*:\s*(?P<sizes>[\w, ]+)\)\s*")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?(\d+)\)?[ \t]*(?://.*)?$", re.MULTILINE)
_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(?:include|define|undef|if|ifdef|ifndef|else|elif|endif)\b[^\n]*$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class TunedSection:
    """A section between the pragmas: `body` inside, `before` what the preprocessor needs of the text before it."""

    name: str
    arguments: tuple[ForeignArgument, ...]
    pointers: tuple[bool, ...]
    before: str
    body: str
    span: Span

    def function(self) -> str:
        """The section as a function of its arguments."""
        formals = (f"{a.element} {'*' * pointer}{a.name}" for a, pointer in zip(self.arguments, self.pointers))
        body = self.body.rstrip().lstrip("\n")
        return f"{self.before}\nvoid {self.name}({', '.join(formals)})\n{{\n{body}\n}}\n"


def tuned_sections(source: Source, sizes: Mapping[str, int] | None = None) -> tuple[TunedSection, ...]:
    """All of a source; `sizes` are numbers for names that it does not define itself."""
    if len(source.text) > SIZE_LIMIT:
        raise SourceError(f"{source.name} is larger than such a source can be ({SIZE_LIMIT >> 10} KiB)")
    text = source.text.replace("\\\n", "  ")  # of the same length, so that spans hold
    known = {name: int(value[:20]) for name, value in _DEFINE.findall(text)}
    known.update(sizes or {})
    sections: list[TunedSection] = []
    opened: re.Match[str] | None = None
    for match in _PRAGMA.finditer(text):
        word, span = match["word"], Span(source, match.start("word"), match.end("word"))
        if word == "start" and opened is None:
            opened = match
        elif word == "stop" and opened is not None:
            if opened["word"] == "start":
                sections.append(_section(source, text, opened, match, known))
            opened = None
        elif word in ("initialize", "deinitialize") and opened is None:
            opened = match
        elif word in ("start", "initialize", "deinitialize"):
            raise SourceError(f"`#pragma tuner {word}` inside a section that is not stopped", span)
        else:
            hint = "start, stop, initialize, deinitialize" if word != "stop" else "no section is started before it"
            raise SourceError(f"`#pragma tuner {word}` is out of place", span, hint)
    if opened is not None:
        span = Span(source, opened.start("word"), opened.end("word"))
        raise SourceError("this section is not stopped", span, "end it with `#pragma tuner stop`")
    return tuple(sections)


def _section(
    source: Source, text: str, start: re.Match[str], stop: re.Match[str], known: Mapping[str, int]
) -> TunedSection:
    name = re.match(r"[ \t]+([A-Za-z_]\w*)", start["rest"])
    span = Span(source, start.start("word"), start.end())
    if name is None:
        raise SourceError("a section has a name", span, "write `#pragma tuner start NAME a(float*:SIZE)`")
    arguments, pointers, position = [], [], start.start("rest") + name.end()
    while text[position : start.end()].strip():
        match = _ARGUMENT.match(text, position, start.end())
        if match is None:
            raise SourceError(
                "an argument is written `name(type*:SIZE)` or `name(type:VALUE)`", Span(source, position, start.end())
            )
        arguments.append(_argument(source, match, known))
        pointers.append(bool(match["pointer"]))
        position = match.end()
    if not any(pointers):
        raise SourceError("a section has an array among its arguments", span, "write `a(float*:SIZE)`")
    before = "\n".join(_outside(text[: start.start()]))
    return TunedSection(name[1], tuple(arguments), tuple(pointers), before, text[start.end() : stop.start()], span)


def _argument(source: Source, match: re.Match[str], known: Mapping[str, int]) -> ForeignArgument:
    if len(match["pointer"]) > 1:
        span = Span(source, match.start("pointer"), match.end("pointer"))
        raise SourceError("an array of pointers is none that Kernel Tuner passes", span)
    numbers = []
    for size in re.finditer(r"\w+", match["sizes"]):
        start = match.start("sizes")
        span = Span(source, start + size.start(), start + size.end())
        numbers.append(_number(size[0], known, span))
    length = math.prod(numbers)
    if not match["pointer"]:
        return ForeignArgument(name=match["name"], element=match["type"], value=str(length))
    if not 0 < length < LENGTH_LIMIT:
        span = Span(source, match.start("sizes"), match.end("sizes"))
        raise SourceError(f"the length of an array is between 1 and 2**40, got {length}", span)
    return ForeignArgument(name=match["name"], element=match["type"], direction="inout", length=length)


def _number(word: str, known: Mapping[str, int], span: Span) -> int:
    if word.isdigit() and len(word) < 20:
        return int(word)
    if word not in known:
        hint = spelling_hint(word, known, f"give it a number: --size {word}=N")
        raise SourceError(f"no `#define` gives `{word}` a number", span, hint)
    return known[word]


def _outside(text: str) -> Sequence[str]:
    """The lines that the preprocessor reads, in their order."""
    return [match[0].strip() for match in _DIRECTIVE.finditer(text)]
