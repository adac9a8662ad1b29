"""A scheduled kernel as its source: values in the places of `auto{NAME}`, parameters' macros with the values chosen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from tunepass.diagnostics import Source, Span
from tunepass.frontends.c.defaults import changed, chosen_values, settled_changes, with_defaults
from tunepass.frontends.c.emission import comment, note_lines
from tunepass.frontends.c.macros import macro_defaults
from tunepass.frontends.c.pragmas.pragma import parse_by_kind
from tunepass.frontends.c.syntax.lexical import scan
from tunepass.frontends.hls.pragmas.own import PARSERS
from tunepass.frontends.params.tokens import Cursor
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Value

AUTO = re.compile(r"\bauto\s*\{\s*(?:options\s*:\s*)?(\w+)\s*(?:=[^{}]*)?\}")


def emit_files(kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
    """NAME.tuned.c, or the source's own suffix."""
    path = PurePath(kernels[0].source.name)
    return (EmittedFile(f"{path.stem}.{word}{path.suffix or '.c'}", tuned_text(kernels, note)),)


def tuned_text(kernels: Sequence[Kernel], note: str = "") -> str:
    values = chosen_values(kernels)
    lines = comment([f"{PurePath(kernels[0].source.name).name}, tuned by tunepass.", *note_lines(note)])
    source = Source(kernels[0].source.name, with_defaults(kernels, _parse))
    text = changed(source.text, _changes(source, values))
    defined = macro_defaults(scan(source))
    macros = {b.parameter for kernel in kernels for b in kernel.bindings if b.role == "macro"} - set(defined)
    lines += [f"#ifndef {name}\n#define {name} {_macro(values[name])}\n#endif" for name in sorted(macros)]
    return "\n".join([*lines, text if text.endswith("\n") else f"{text}\n"])


def _changes(source: Source, values: dict[str, Value]) -> list[tuple[Span, str]]:
    scanned = scan(source)
    changes: list[tuple[Span, str]] = []
    knobs: set[str] = set()
    for directive in scanned.directives:
        if directive.kind == "pragma":
            for found in AUTO.finditer(directive.text):
                if found[1] in values:
                    knobs.add(found[1])
                    start = directive.start + found.start()
                    span = source.span(start, directive.start + found.end())
                    changes.append((span, _spelled(values[found[1]])))
    changes += settled_changes(source, knobs, _parse)
    for name, macro in macro_defaults(scanned).items():
        if name in values:
            at = source.text.find(macro.text, macro.span.end)
            if macro.text and at >= 0:
                changes.append((source.span(at, at + len(macro.text)), _macro(values[name])))
    return changes


def _parse(cursor: Cursor) -> object:
    return parse_by_kind(cursor, PARSERS)


def _macro(value: Value) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _spelled(value: Value) -> str:
    """Merlin's plain pipeline is the word alone."""
    return "" if value == "plain" else str(value)
