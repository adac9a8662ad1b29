"""Chosen values written into the source, every other byte as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tunepass.diagnostics import SourceError, Span
from tunepass.frontends.spatial.host.lowering import Lowered
from tunepass.frontends.spatial.parameters.declared import Declared
from tunepass.frontends.spatial.parameters.toggles import Toggle
from tunepass.ir.kernel import Kernel

_COMMENT_END = str.maketrans({"\r": " "})


def chosen_texts(kernel: Kernel, lowered: Lowered) -> Iterator[tuple[Span, str]]:
    """For each choice of the kernel's schedule, the piece of the source that says it, and the text that will."""
    parameters: dict[str, Declared | Toggle] = {d.name: d for d in lowered.context.declared}
    parameters |= {t.name: t for t in lowered.toggles}
    for choice in kernel.schedule:
        parameter = parameters.get(choice.parameter)
        if parameter is not None:
            yield parameter.edit, parameter.text(choice.value)


def rewrite(text: str, texts: Iterable[tuple[Span, str]], note: str = "") -> str:
    """The source's `text` with these of its pieces replaced; `note` becomes a comment before it."""
    edits: dict[Span, str] = {}  # two apps may share a parameter of their file: it is written once
    for span, replacement in texts:
        if edits.setdefault(span, replacement) != replacement:
            raise SourceError("two apps share this parameter, and their choices differ", span, "name one app")
    end, pieces = len(text), list[str]()
    for span, replacement in sorted(edits.items(), key=lambda e: e[0].start, reverse=True):
        pieces += [text[span.end : end], replacement]
        end = span.start
    body = text[:end] + "".join(reversed(pieces))
    head = "".join(f"// {line}\n" for line in note.translate(_COMMENT_END).splitlines())
    return head + body
