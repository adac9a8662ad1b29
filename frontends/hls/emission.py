"""A scheduled kernel as its source: values in the places of `auto{NAME}`, parameters' macros with the values chosen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from tunepass.diagnostics import Source, Span
from tunepass.frontends.c.emission import chosen, comment, note_lines
from tunepass.frontends.c.macros import macro_defaults
from tunepass.frontends.c.pragmas.pragma import parse_by_kind
from tunepass.frontends.c.syntax.lexical import scan
from tunepass.frontends.gpu.defaults import with_defaults
from tunepass.frontends.hls.pragmas.own import PARSERS
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Value

AUTO = re.compile(r"\bauto\s*\{\s*(\w+)\s*\}")


def emit_files(kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
    """NAME.tuned.c, or the source's own suffix."""
    path = PurePath(kernels[0].source.name)
    return (EmittedFile(f"{path.stem}.{word}{path.suffix or '.c'}", tuned_text(kernels, note)),)


def tuned_text(kernels: Sequence[Kernel], note: str = "") -> str:
    values: dict[str, Value] = {}
    for kernel in kernels:
        configuration = chosen(kernel)
        values |= {p.name: configuration[p.name] for p in kernel.parameters}
    lines = comment([f"{PurePath(kernels[0].source.name).name}, tuned by tunepass.", *note_lines(note)])
    source = Source(kernels[0].source.name, with_defaults(kernels, lambda c: parse_by_kind(c, PARSERS)))
    text = source.text
    for span, replacement in sorted(_changes(source, values), key=lambda change: change[0].start, reverse=True):
        text = text[: span.start] + replacement + text[span.end :]
    return "\n".join([*lines, text if text.endswith("\n") else f"{text}\n"])


def _changes(source: Source, values: dict[str, Value]) -> list[tuple[Span, str]]:
    scanned = scan(source)
    changes: list[tuple[Span, str]] = []
    for directive in scanned.directives:
        if directive.kind == "pragma":
            for found in AUTO.finditer(directive.text):
                if found[1] in values:
                    start = directive.start + found.start()
                    span = source.span(start, directive.start + found.end())
                    changes.append((span, _spelled(values[found[1]])))
    for name, macro in macro_defaults(scanned).items():
        if name in values:
            at = source.text.find(macro.text, macro.span.end)
            if macro.text and at >= 0:
                changes.append((source.span(at, at + len(macro.text)), str(values[name])))
    return changes


def _spelled(value: Value) -> str:
    """Merlin's plain pipeline is the word alone."""
    return "" if value == "plain" else str(value)
