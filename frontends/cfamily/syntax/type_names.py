"""The names of types that a source and its headers declare."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunepass.frontends.cfamily.text.tokens import Token

OPENCL_TYPES = frozenset(
    f"{base}{n}"
    for base in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half")
    for n in ("", 2, 3, 4, 8, 16)
) | {"size_t", "ptrdiff_t"}
TYPEDEFS = (
    re.compile(r"typedef(?<!\wtypedef)\b[^;{}]*?\b(\w+)\s*(?:\[[^\]\n]*\]\s*)*;"),
    re.compile(r"\}\s*(\w+)\s*;"),
    re.compile(r"using(?<!\wusing)\s+(\w+)\s*="),
    *(re.compile(rf"{word}(?<!\w{word})\s+(\w+)") for word in ("class", "struct", "union", "enum")),
)
"""Each begins with its word, which is sought ten times as fast as one of several: headers have megabytes."""
TYPENAME = re.compile(r"\b(?:typename|class)\s+(\w+)\s*[,>=]")


def declared_type_names(tokens: Sequence[Token], headers: str) -> frozenset[str]:
    """The names that a source's tokens and the text of all headers declare as types."""
    code = " ".join(t.text for t in tokens)
    names = {name for text in (code, headers) for pattern in TYPEDEFS for name in pattern.findall(text)}
    return frozenset(names) | set(TYPENAME.findall(code))
