"""A CUDA file without what its host functions do: kernels are compiled alone, by a toolkit of today.

Applications have their kernels and the code that launches them in one file. That code may call what newer toolkits no
longer have (`cudaThreadSynchronize`, fields of cudaDeviceProp) or libraries that are not here; nothing of it is in the
object that is loaded. Bodies become empty, lines stay where they are, directives stay as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tunepass.diagnostics import Source, TunepassError
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.unit import Function, Unit

ON_DEVICE = frozenset({"__global__", "__device__"})
EVALUATED = frozenset({"constexpr", "consteval", "auto"})  # what a compiler may need the body of
MACRO = re.compile(r"[A-Z][A-Z0-9_]{2,}\Z")  # by another header, and may say __device__


@lru_cache(maxsize=16)
def without_host_code(source: Source) -> str:
    """The text with the bodies of functions blanked that are for the host alone, as far as that is certain."""
    try:
        unit = read(source, (), "cuda")
        functions = unit.functions
    except TunepassError:
        return source.text  # the device's compiler says what is wrong
    pieces, position = [], 0
    for function in functions:
        first, last = unit.tokens[function.opening], unit.tokens[function.closing]
        if not (first.made or last.made) and first.start >= position and _is_for_the_host(function, unit):
            pieces.append(source.text[position : first.end])
            pieces.append(_emptied(unit, first.end, last.start))
            position = last.start
    return "".join((*pieces, source.text[position:]))


def _is_for_the_host(function: Function, unit: Unit) -> bool:
    member = any(scope.kind == "class" for scope in function.scopes) or "::" in function.name.text
    if member or function.name.text.startswith("operator"):
        return False
    head = unit.tokens[function.first : function.opening]
    words = {*function.words, *(t.text for t in head if t.kind == "name")}
    return not words & (ON_DEVICE | EVALUATED) and not any(MACRO.match(word) for word in words)


def _emptied(unit: Unit, start: int, end: int) -> str:
    """Of the same lines; what the preprocessor reads is kept, without its comments."""
    text = unit.source.text
    kept, position = [], start
    for directive in unit.text.raw.directives:
        if start <= directive.start < end:
            kept += [_lines(text[position : directive.start]), f"#{directive.kind} {directive.body}"]
            kept.append("\n" * text.count("\n", directive.start, directive.end))
            position = directive.end
    return "".join((*kept, _lines(text[position:end])))


def _lines(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
