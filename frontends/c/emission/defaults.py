"""The text of a tuned source that can be tuned again: its `param` pragmas have the chosen values as defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

from tunepass.diagnostics import Source, Span
from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.pragmas.pragma import ConstraintPragma, ModelPragma, cursor_of
from tunepass.frontends.cfamily.annotated import PragmaText, annotated
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.tokens import Cursor
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration, Value

ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t"})
DEFINED = re.compile(r"^#define (\w+)", re.MULTILINE)
HEADING = re.compile(  # what a tuned source has above its text
    r"\A/\* [^\n]*, tuned by tunepass\.\n(?: \*(?!/)[^\n]*\n)* \*/\n(?:#ifndef (\w+)\n#define \1\b[^\n]*\n#endif\n)*\n"
)
Parse = Callable[[Cursor], object]
Change = tuple[Span, str]


def chosen(kernel: Kernel) -> Configuration:
    """The configuration its schedule binds; parameters without a choice keep their default."""
    values = {p.name: p.default for p in kernel.parameters}
    return Configuration({**values, **{c.parameter: c.value for c in kernel.schedule}})


def chosen_values(kernels: Sequence[Kernel]) -> dict[str, Value]:
    return {name: value for kernel in kernels for name, value in chosen(kernel).items()}


def with_defaults(kernels: Sequence[Kernel], parse: Parse) -> str:
    """The source of `kernels`, each `param` with `= CHOICE`; `parse` reads the language's pragmas."""
    source = kernels[0].source
    return changed(source.text, default_changes(source, chosen_values(kernels), parse))


def changed(text: str, changes: Sequence[Change]) -> str:
    for span, replacement in sorted(changes, key=lambda change: change[0].start, reverse=True):
        text = text[: span.start] + replacement + text[span.end :]
    return text


def default_changes(source: Source, values: Mapping[str, Value], parse: Parse) -> list[Change]:
    """Those that give each `param` in `values` its value as default; others are of kernels that were not tuned."""
    return [
        (_place(source, pragma), f"{' = ' if pragma.default is None else ''}{literal_text(values[pragma.name])}")
        for _, pragma in _pragmas(source, parse)
        if isinstance(pragma, ParamText) and pragma.name in values
    ]


def _place(source: Source, pragma: ParamText) -> Span:
    """Of the default, or where one would stand."""
    if pragma.default is None:
        return source.span(pragma.values_end, pragma.values_end)
    return pragma.default.span


def settled_changes(source: Source, names: Container[str], parse: Parse) -> Iterator[Change]:
    """Pragmas about parameters of these `names`, whose values are written into the code now, become comments."""
    for found, pragma in _pragmas(source, parse):
        if any(name in names for name in _about(pragma)):
            text = " ".join(found.text.replace("*/", "").replace("/*", "").split())
            yield source.span(found.outer_start, found.outer_end), f"/* settled: {text} */"


def _about(pragma: object) -> list[str]:
    if isinstance(pragma, ParamText):
        return [pragma.name]
    if isinstance(pragma, (ConstraintPragma, ModelPragma)):
        return re.findall(r"\w+", pragma.expression.text)
    return []


def _pragmas(source: Source, parse: Parse) -> Iterator[tuple[PragmaText, object]]:
    for found in annotated(source).pragmas:
        yield found, parse(cursor_of(source, found))


def heading(lines: Sequence[str], defined: Mapping[str, str]) -> str:
    """What stands above the text of a tuned source: a comment of `lines`, and guarded macros, so that another value on
    the command line wins."""
    first, *rest = lines
    told = [f"/* {first}", *(f" * {line}".rstrip() for line in rest), " */"]
    block = [f"#ifndef {macro}\n#define {macro} {text}\n#endif" for macro, text in defined.items()]
    return "\n".join([*told, *block, "", ""])


def without_heading(text: str, defined: Container[str]) -> str:
    """Of a tuned source that is tuned again, unless macros that are not `defined` anew stand there."""
    while found := HEADING.match(text):
        if not all(name in defined for name in DEFINED.findall(found.group())):
            break
        text = text[found.end() :]
    return text


def literal_text(value: Value) -> str:
    """As a pragma writes a value."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value.translate(ESCAPES)}"'
        case tuple():
            return f"({', '.join(map(str, value))})"
        case _:
            return spelled(value)
