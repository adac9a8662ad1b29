"""A scheduled kernel as its source: values in the places of `auto{NAME}`, parameters' macros with the values chosen."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from pathlib import PurePath

from tunepass.diagnostics import Source, Span
from tunepass.frontends.c.emission import chosen, comment, note_lines
from tunepass.frontends.c.macros import macro_defaults
from tunepass.frontends.c.pragmas.pragma import ConstraintPragma, cursor_of, parse_by_kind
from tunepass.frontends.c.syntax.lexical import Scan, scan
from tunepass.frontends.gpu.defaults import with_defaults
from tunepass.frontends.hls.pragmas.own import PARSERS
from tunepass.frontends.params.param import ParamText
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
    changes += _settled(source, scanned, knobs)
    for name, macro in macro_defaults(scanned).items():
        if name in values:
            at = source.text.find(macro.text, macro.span.end)
            if macro.text and at >= 0:
                changes.append((source.span(at, at + len(macro.text)), _macro(values[name])))
    return changes


def _settled(source: Source, scanned: Scan, knobs: Container[str]) -> Iterator[tuple[Span, str]]:
    """Pragmas about knobs that have values now, as comments."""
    for found in scanned.pragmas:
        pragma = parse_by_kind(cursor_of(source, found), PARSERS)
        about = (
            [pragma.name]
            if isinstance(pragma, ParamText)
            else re.findall(r"\w+", pragma.expression.text)
            if isinstance(pragma, ConstraintPragma)
            else []
        )
        if any(name in knobs for name in about):
            text = " ".join(found.text.replace("*/", "").replace("/*", "").split())
            yield source.span(found.outer_start, found.outer_end), f"/* settled: {text} */"


def _macro(value: Value) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _spelled(value: Value) -> str:
    """Merlin's plain pipeline is the word alone."""
    return "" if value == "plain" else str(value)
