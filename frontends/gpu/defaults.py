"""The text of a tuned source: its `param` pragmas have the chosen values as defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tunepass.frontends.c.emission import chosen
from tunepass.frontends.c.lowering import spelled
from tunepass.frontends.c.pragmas.pragma import cursor_of
from tunepass.frontends.c.syntax.lexical import scan
from tunepass.frontends.gpu.pragmas.groups import parse_gpu_pragma
from tunepass.frontends.params.param import ParamText
from tunepass.frontends.params.tokens import Cursor
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Value

ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t"})


def with_defaults(kernels: Sequence[Kernel], parse: Callable[[Cursor], object] = parse_gpu_pragma) -> str:
    """The source of `kernels`, each `param` with `= CHOICE`; `parse` reads the language's pragmas."""
    source = kernels[0].source
    values = {p.name: chosen(kernel)[p.name] for kernel in kernels for p in kernel.parameters}
    text = source.text
    for pragma in reversed(list(_params(kernels, parse))):
        if pragma.name not in values:  # of a kernel that was not tuned
            continue
        start, end = _place(pragma)
        literal = literal_text(values[pragma.name])
        text = f"{text[:start]}{' = ' if pragma.default is None else ''}{literal}{text[end:]}"
    return text


def _place(pragma: ParamText) -> tuple[int, int]:
    """Of the default, or where one would stand."""
    if pragma.default is None:
        return pragma.values_end, pragma.values_end
    return pragma.default.span.start, pragma.default.span.end


def _params(kernels: Sequence[Kernel], parse: Callable[[Cursor], object]) -> Iterator[ParamText]:
    source = kernels[0].source
    for found in scan(source).pragmas:
        pragma = parse(cursor_of(source, found))
        if isinstance(pragma, ParamText):
            yield pragma


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
