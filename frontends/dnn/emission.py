"""The tuned source: chosen values where the source sets the parameters, and as defaults in the comments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from tunepass.diagnostics import Span
from tunepass.frontends.dnn.comments import read_comments
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Value


def emit_file(kernel: Kernel, places: Mapping[str, list[Span]], note: str, word: str) -> EmittedFile:
    """NAME.`word`.py; where nothing is chosen, the source as it is."""
    path, text = PurePath(kernel.source.name), kernel.source.text
    chosen = {choice.parameter: choice.value for choice in kernel.schedule}
    changes: dict[tuple[int, int], str] = {}
    for name, value in chosen.items():
        for span in places.get(name, []):
            changes[span.start, span.end] = written(value)
    for param in read_comments(kernel.source).params:
        if param.name in chosen:
            stated = param.default.span if param.default else None
            start, end = (stated.start, stated.end) if stated else (param.values_end, param.values_end)
            shown = literal(chosen[param.name])
            changes[start, end] = shown if stated else f" = {shown}"
    for (start, end), new in sorted(changes.items(), reverse=True):
        text = text[:start] + new + text[end:]
    if note:
        lines = "".join(f"# {line}\n" for line in note.splitlines())
        first, _, rest = text.partition("\n")
        text = f"{first}\n{lines}{rest}" if first.startswith("#!") else lines + text
    return EmittedFile(f"{path.stem}.{word}{path.suffix}", text if text.endswith("\n") else text + "\n")


def written(value: Value) -> str:
    """A value as Python has it."""
    return repr(value)


def literal(value: Value) -> str:
    """A value as the comments have it."""
    return f'"{value}"' if isinstance(value, str) else str(value)
