"""A scheduled kernel as a .taco file: the source with values in place of its parameters, and TACO's command line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath

from tunepass.diagnostics import Source, Span
from tunepass.frontends.params.tokens import unquoted
from tunepass.frontends.taco.commandline import quoted
from tunepass.frontends.taco.statements import Statement, statements
from tunepass.frontends.taco.text import Values, command_line, directive_text
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.ir.tensor import BoundFile, TensorKernel

ABOUT_PARAMETERS = ("param", "constraint", "model")
_SEMICOLON = re.compile(r"[ \t]*;")
_GONE = "\0"  # a source holds none
_GONE_TEXT = re.compile(r"^[ \t\r\0]*\0[ \t\r\0]*(?:\n|\Z)|\0+[ \t]*", re.MULTILINE)


def emit_file(kernel: Kernel, note: str, word: str) -> EmittedFile:
    """NAME.tuned.taco: a comment, then the source's own text; lines about parameters are gone."""
    values = {p.name: p.default for p in kernel.parameters} | {c.parameter: c.value for c in kernel.schedule}
    body = kernel.body_as(TensorKernel)
    name = PurePath(kernel.source.name.replace("\\", "/")).name
    lines = [f"{name}, tuned by tunepass.", *note.splitlines(), "To TACO this is", f"  {command_line(body, values)}"]
    head = "".join(f"# {line}".rstrip() + "\n" for line in lines)
    text = rewritten(kernel, body, values)
    stem = PurePath(name).stem or kernel.name
    return EmittedFile(f"{stem}.{word}.taco", f"{head}{text}" + ("" if text.endswith("\n") else "\n"))


def rewritten(kernel: Kernel, body: TensorKernel, values: Values) -> str:
    """The source's text under these values."""
    edits = [*_directives(body, values, kernel), *_removed(kernel.source), *_moved(body)]
    text, end, pieces = kernel.source.text, len(kernel.source.text), list[str]()
    for span, replacement in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        pieces += [text[span.end : end], replacement]
        end = span.start
    return text[:end] + "".join(reversed(pieces))


def _directives(body: TensorKernel, values: Values, kernel: Kernel) -> Iterator[tuple[Span, str]]:
    """Each with its values; a schedule that was not written follows the expression."""
    if body.proposed:
        assert kernel.span is not None
        end = kernel.span.end
        text = ",\n         ".join(directive_text(directive, values) for directive in body.schedule)
        yield kernel.source.span(end, end), f"\nschedule {text}"
        return
    for directive in body.schedule:
        assert directive.span is not None
        new = directive_text(directive, values)
        if "".join(new.split()) != "".join(directive.span.text.split()):
            yield directive.span, new


def elsewhere(kernel: Kernel, source_folder: Path, folder: Path) -> Kernel:
    """With the data's relative paths as they are from `folder`."""
    body = kernel.body_as(TensorKernel)
    data = tuple(
        replace(datum, path=Path(os.path.relpath(source_folder / datum.path, folder)))
        if isinstance(datum, BoundFile) and not datum.path.is_absolute()
        else datum
        for datum in body.data
    )
    return replace(kernel, body=replace(body, data=data))


def _moved(body: TensorKernel) -> Iterator[tuple[Span, str]]:
    """Each file bound under another name than is written."""
    for datum in body.data:
        if isinstance(datum, BoundFile) and datum.span is not None:
            tensor, written = datum.span.text.split("=", 1)
            if Path(unquoted(written.strip())) != datum.path:
                yield datum.span, f'{tensor.rstrip()} = "{quoted(str(datum.path))}"'


def _removed(source: Source) -> Iterator[tuple[Span, str]]:
    """The statements about parameters, each with its `;`; and all of their line where nothing else is on it."""
    masked = source.text
    for statement in statements(source):
        if isinstance(statement, Statement) and statement.word in ABOUT_PARAMETERS:
            start, end = statement.span.start, statement.span.end
            end = match.end() if (match := _SEMICOLON.match(masked, end)) else end
            masked = masked[:start] + _GONE * (end - start) + masked[end:]
    for match in _GONE_TEXT.finditer(masked):
        yield source.span(match.start(), match.end()), ""
