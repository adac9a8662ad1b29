"""What was chosen, as a description: its parameters with the chosen values as defaults."""

from __future__ import annotations

from pathlib import PurePath

from tunepass.frontends.dnn.emission import literal
from tunepass.frontends.onnx.description import read_description
from tunepass.ir.files import EmittedFile
from tunepass.ir.kernel import Kernel


def emit_file(kernel: Kernel, note: str, word: str) -> EmittedFile:
    """NAME.`word`.yaml"""
    path = PurePath(kernel.source.name)
    chosen = {choice.parameter: choice.value for choice in kernel.schedule}
    lines = "".join(f"# {line}\n" for line in note.splitlines())
    if path.suffix == ".onnx":
        kept = "".join(
            f"  {p.name}: ordinal({', '.join(map(str, p.domain))}) = {chosen.get(p.name, p.default)}\n"
            for p in kernel.parameters
        )
        parameters = f"parameters:\n{kept}" if kept else ""
        return EmittedFile(f"{path.stem}.{word}.yaml", f"{lines}onnx: {path.name}\n{parameters}")
    text = kernel.source.text
    changes = {}
    for param in read_description(kernel.source).texts:
        if param.name in chosen:
            stated = param.default.span if param.default else None
            start, end = (stated.start, stated.end) if stated else (param.values_end, param.values_end)
            shown = literal(chosen[param.name])
            changes[start, end] = shown if stated else f" = {shown}"
    for (start, end), new in sorted(changes.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return EmittedFile(f"{path.stem}.{word}{path.suffix}", lines + (text if text.endswith("\n") else f"{text}\n"))
