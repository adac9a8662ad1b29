"""A scheduled kernel as its source: values in the places of `auto{NAME}`, parameters' macros with the values chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from tunepass.diagnostics import Source, Span
from tunepass.frontends.c.emission.defaults import changed, chosen_values, settled_changes, with_defaults
from tunepass.frontends.c.emission.files import comment, note_lines
from tunepass.frontends.c.parameters.macros import macro_defaults
from tunepass.frontends.c.pragmas.pragma import parse_by_kind
from tunepass.frontends.cfamily.annotated import annotated
from tunepass.frontends.cfamily.preprocessing.parametric import defined_name
from tunepass.frontends.cfamily.text.tokens import Token, tokens
from tunepass.frontends.hls.pragmas.own import PARSERS
from tunepass.frontends.params.tokens import Cursor
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Value


def emit_files(kernels: Sequence[Kernel], note: str = "", word: str = "tuned") -> tuple[EmittedFile, ...]:
    """NAME.tuned.c, or the source's own suffix."""
    path = PurePath(kernels[0].source.name)
    return (EmittedFile(f"{path.stem}.{word}{path.suffix or '.c'}", tuned_text(kernels, note)),)


def tuned_text(kernels: Sequence[Kernel], note: str = "") -> str:
    values = chosen_values(kernels)
    lines = comment([f"{PurePath(kernels[0].source.name).name}, tuned by tunepass.", *note_lines(note)])
    source = Source(kernels[0].source.name, with_defaults(kernels, _parse))
    omitted = {b.parameter for kernel in kernels for b in kernel.bindings if b.omitted == values[b.parameter]}
    text = changed(source.text, _changes(source, values, omitted))
    defined = macro_defaults(annotated(source))
    macros = {b.parameter for kernel in kernels for b in kernel.bindings if b.role == "macro"} - set(defined) - omitted
    lines += [f"#ifndef {name}\n#define {name} {_macro(values[name])}\n#endif" for name in sorted(macros)]
    return "\n".join([*lines, text if text.endswith("\n") else f"{text}\n"])


def _changes(source: Source, values: dict[str, Value], omitted: set[str]) -> list[tuple[Span, str]]:
    """`omitted` are macros that the choice leaves undefined."""
    text = annotated(source)
    changes: list[tuple[Span, str]] = []
    knobs: set[str] = set()
    for directive in text.directives:
        if directive.kind == "pragma":
            for name, span in _knobs(source, list(tokens(source.text, directive.start + 1, directive.end))):
                if name in values:
                    knobs.add(name)
                    changes.append((span, _spelled(values[name])))
        elif directive.kind == "define" and defined_name(directive) in omitted:
            span = source.span(directive.start, directive.end)
            changes.append((span, f"/* left out: {span.text.replace('*/', '').replace('/*', '')} */"))
    changes += settled_changes(source, knobs, _parse)
    for name, macro in macro_defaults(text).items():
        if name in values and name not in omitted:
            at = source.text.find(macro.text, macro.span.end)
            if macro.text and at >= 0:
                changes.append((source.span(at, at + len(macro.text)), _macro(values[name])))
    return changes


def _knobs(source: Source, words: Sequence[Token]) -> Iterator[tuple[str, Span]]:
    """Every `auto{NAME}`, `auto{NAME = 2}` and `auto{options: NAME}`."""
    for at, token in enumerate(words[:-2]):
        if token.at("auto") and words[at + 1].at("{"):
            start = at + 4 if words[at + 2].at("options") and words[at + 3].at(":") else at + 2
            end = next((word.end for word in words[start:] if word.at("}")), None)
            if end is not None:
                yield words[start].text, source.span(token.start, end)


def _parse(cursor: Cursor) -> object:
    return parse_by_kind(cursor, PARSERS)


def _macro(value: Value) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _spelled(value: Value) -> str:
    """Merlin's plain pipeline is the word alone."""
    return "" if value == "plain" else str(value)
