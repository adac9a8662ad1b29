"""Chosen values written into the source, every other byte as it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tunepass.diagnostics import SourceError, Span
from tunepass.expr.nodes import BoolType
from tunepass.ir.kernel import Choice, Kernel

_COMMENT_END = str.maketrans({"\r": " "})


def rewrite(text: str, kernels: Iterable[tuple[Kernel, Mapping[str, int]]], note: str = "") -> str:
    """The source's text under the schedules of its kernels; `note` becomes a comment before it.

    With each kernel come the defaults as the source has them: a choice that says the same leaves the text alone.
    """
    edits: dict[Span, str] = {}  # two apps may share a parameter of their file: it is written once
    for kernel, written in kernels:
        toggles = {p.name for p in kernel.parameters if isinstance(p.type, BoolType)}
        changes = (_edit(kernel, choice, choice.parameter in toggles, written) for choice in kernel.schedule)
        for span, replacement in filter(None, changes):
            if edits.setdefault(span, replacement) != replacement:
                raise SourceError("two apps share this parameter, and their choices differ", span, "name one app")
    end, pieces = len(text), list[str]()
    for span, replacement in sorted(edits.items(), key=lambda e: e[0].start, reverse=True):
        pieces += [text[span.end : end], replacement]
        end = span.start
    body = text[:end] + "".join(reversed(pieces))
    head = "".join(f"// {line}\n" for line in note.translate(_COMMENT_END).splitlines())
    return head + body


def _edit(kernel: Kernel, choice: Choice, toggle: bool, written: Mapping[str, int]) -> tuple[Span, str] | None:
    """What to replace for a choice; None when the source says it already."""
    span = kernel.binding(choice.parameter).span
    if span is None:
        return None
    if not toggle:
        return None if written.get(choice.parameter) == choice.value else (span, str(choice.value))
    if choice.value:
        return None
    return span, _sequential(span.text)


def _sequential(head: str) -> str:
    """The head of a controller, sequential: `Foreach`, `Pipe.Foreach`, `Pipe(ii=2).Reduce[T]`, `'NAME.Foreach`."""
    if head.startswith("Pipe"):
        _, _, last = head.rpartition(".")
        return f"Sequential.{last}"
    if head.startswith("'"):
        label, _, last = head.partition(".")
        return f"{label}.Sequential.{last}"
    return f"Sequential.{head}"
