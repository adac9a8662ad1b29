"""The text that is compiled for types: the user's, line by line, with attributes, emptied bodies and probes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tunepass.frontends.cfamily.types.ask import FunctionAsk

ANCHOR = "tunepass_types_anchor"  # a variable in the main file: its entry tells the file's number
PROBE = "tunepass_types_probe_"
USED = "__attribute__((used)) "
OWN_LINES = re.compile(r"^[ \t]*#[ \t]*(?:line\b|\d)(?:[^\n\\/]|\\\r?\n|\\|/(?!\*))*", re.MULTILINE)
LINKAGE = re.compile(r'\s*extern\s*"C(?:\+\+)?"\s*')
KEPT_HEADER = re.compile(r"\b(?:auto|constexpr|consteval|decltype)\b")


# A declaration that tells the type of an expression, and the anchor's; {0} is the expression, {1} a name of ours.
POINTER = "__typeof__({0}) *{1};"
RESULT = "__typeof__({0}) (*{1})();"  # there is no pointer to a reference, but a function may return one
CONSTANT_POINTER = "__typeof__({0}) *__constant {1} = 0;"
FORMS = {"c": (POINTER,), "opencl": (CONSTANT_POINTER,)}
FORMS_CPP = (POINTER, RESULT)
# C99 emits no `inline` function that is not declared extern somewhere, and clang none whose definition has `used`.
EMITTED = "extern __typeof__({0}) {0}; __typeof__({0}) *{1} = {0};"
USE = "tunepass_types_use_"
INLINE = re.compile("inline", re.IGNORECASE)  # of macros' names too
ANCHORS = {"opencl": "__constant int {} = 0;"}


@dataclass(frozen=True, slots=True)
class Text:
    """The user's text, and where its lines begin."""

    text: str
    starts: tuple[int, ...]

    @staticmethod
    def of(text: str) -> Text:
        return Text(text, (0, *(found.end() for found in re.finditer("\n", text))))

    def line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    @property
    def first_probe(self) -> int:
        """The first line of ours behind the text, an empty line and the anchor."""
        return len(self.starts) + 3

    def body_lines(self, body: tuple[int, int]) -> range:
        return range(self.line(body[0]), self.line(max(body[1] - 1, body[0])) + 1)

    def inlines(self, function: FunctionAsk) -> bool:
        """Whether the function's head has `inline`, or a macro named so."""
        return (
            function.name.isidentifier() and INLINE.search(self.text, function.insert_at, function.body[0]) is not None
        )

    def deduces(self, body: tuple[int, int]) -> bool:
        """Whether words before the body say that its content matters to others: `auto f() {`, `constexpr`."""
        start = max(self.text.rfind(mark, 0, body[0]) for mark in (";", "}", "{"))
        return KEPT_HEADER.search(self.text, start + 1, body[0]) is not None


def probe_refusal(name: str) -> str | None:
    """Why a name cannot be put in a probe; its brackets must close within it, or it would change other lines."""
    depth = 0
    for character in name:
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            break
    if depth or not name.strip() or set(name) & set('\n\r;{}#\\"') or "//" in name or "/*" in name:
        return "not a name or an expression that can stand alone"
    return None


def compiled_text(
    source: Text,
    name: str,
    functions: Iterable[FunctionAsk],
    emptied: Iterable[tuple[int, int]],
    probes: Mapping[int, str],
    anchor: str,
) -> str:
    """`probes`: declarations by line, from `source.first_probe` on."""
    edits = [(body[0], body[1], _emptied(source.text[body[0] : body[1]])) for body in emptied]
    places = {_behind_linkage(source.text, function.insert_at) for function in functions}
    edits += [(at, at, USED) for at in places]
    edits += [(m.start(), m.end(), "\n" * m.group().count("\n")) for m in OWN_LINES.finditer(source.text)]
    parts, done = [], 0
    for start, end, replacement in sorted(edits):
        if start < done:
            continue  # within a body that was emptied
        parts += [source.text[done:start], replacement]
        done = end
    appended = [probes.get(line, "") for line in range(source.first_probe, max(probes, default=0) + 1)]
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    behind = "\n".join(["", "", anchor, *appended, ""])
    return "".join([f'#line 1 "{quoted}"\n', *parts, source.text[done:], behind])


def _emptied(body: str) -> str:
    return "{ __builtin_trap(); " + "\n" * body.count("\n") + "}"


def _behind_linkage(text: str, at: int) -> int:
    found = LINKAGE.match(text, at)
    return at if found is None else found.end()
