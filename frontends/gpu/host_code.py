"""A CUDA file without what its host functions do: kernels are compiled alone, by a toolkit of today.

Applications have their kernels and the code that launches them in one file. That code may call what newer toolkits no
longer have (`cudaThreadSynchronize`, fields of cudaDeviceProp) or libraries that are not here; nothing of it is in the
object that is loaded. Bodies become empty, lines stay where they are, directives stay as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tunepass.diagnostics import Source
from tunepass.frontends.c.syntax.lexical import Scan, scan
from tunepass.frontends.cfamily.definitions import FunctionDefinition
from tunepass.frontends.gpu.functions import CUDA, GpuText, gpu_text

LAUNCHED = re.compile(r"\b__(?:global|device)__\b")
EVALUATED = re.compile(r"\b(?:constexpr|consteval|auto|operator)\b")  # what a compiler may need the body of
MACRO = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")  # by another header, and may say __device__


@lru_cache(maxsize=16)
def without_host_code(source: Source) -> str:
    """The text with the bodies of functions blanked that are for the host alone, as far as that is certain."""
    scanned = scan(source)
    text = gpu_text(scanned, "cuda", frozenset())
    pieces, position = [], 0
    for definition in text.functions:
        if definition.body_start >= position and _is_for_the_host(definition, text):
            pieces.append(source.text[position : definition.body_start + 1])
            pieces.append(_emptied(source.text, scanned, definition.body_start + 1, definition.body_end - 1))
            position = definition.body_end - 1
    return "".join((*pieces, source.text[position:]))


def _is_for_the_host(definition: FunctionDefinition, text: GpuText) -> bool:
    head = text.expanded(text.head(definition))
    if definition.member or definition.path or LAUNCHED.search(head) or EVALUATED.search(head):
        return False
    return MACRO.search(CUDA.sub(" ", head)) is None


def _emptied(text: str, scanned: Scan, start: int, end: int) -> str:
    """Of the same lines; what the preprocessor reads is kept, without its comments."""
    kept, position = [], start
    for directive in scanned.directives:
        if start <= directive.start < end:
            kept += [_lines(text[position : directive.start]), directive.text]
            position = directive.start
            for _ in range(directive.text.count("\n")):
                position = text.index("\n", position) + 1
    return "".join((*kept, _lines(text[position:end])))


def _lines(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
