"""The types of HLS sources as elements: C's, those of ap_int.h and OpenCL."""

from __future__ import annotations

import re

from tunepass.frontends.cfamily.syntax.words import QUALIFIERS
from tunepass.frontends.cfamily.types.declared import SPECIFIERS, TAGS
from tunepass.ir.hardware import BIT, FLOAT, INT, Element, Fixed, Floating

DOUBLE = Floating(53, 11)
HALF = Floating(11, 5)
BESIDE_TYPES = QUALIFIERS | SPECIFIERS | frozenset(TAGS) | {"channel", "hls_thread_local"}
"""Words of a declaration that name no type."""
NAMED: dict[str, Element] = {
    "float": FLOAT,
    "double": DOUBLE,
    "half": HALF,
    "bool": BIT,
    "_Bool": BIT,
    "char": Fixed(True, 8, 0),
    "uchar": Fixed(False, 8, 0),
    "short": Fixed(True, 16, 0),
    "ushort": Fixed(False, 16, 0),
    "int": INT,
    "uint": Fixed(False, 32, 0),
    "long": Fixed(True, 64, 0),
    "ulong": Fixed(False, 64, 0),
    "size_t": Fixed(False, 64, 0),
    "ssize_t": Fixed(True, 64, 0),
    "ptrdiff_t": Fixed(True, 64, 0),
    "void": INT,
}
SIZED = re.compile(r"(?:std::)?(u?)int(?:_fast|_least)?(\d+)_t\Z")
OLD_SIZED = re.compile(r"(u?)int(\d+)\Z")
VECTOR = re.compile(r"(char|uchar|short|ushort|int|uint|long|ulong|float|double|half)(2|3|4|8|16)\Z")
KNOWN_TYPES = frozenset(NAMED) | {
    f"{t}{n}" for t in NAMED if t[-1] != "t" or t in ("int", "uint", "float", "short") for n in (2, 3, 4, 8, 16)
}
TYPE_TEMPLATES = frozenset(
    {"ap_int", "ap_uint", "ap_fixed", "ap_ufixed", "ac_int", "ac_fixed", "ap_axis", "ap_axiu", "stream", "vector"}
    | {"array", "complex", "pair", "tuple", "stream_of_blocks", "qdma_axis", "burst_maxi", "istream", "ostream"}
)
WIDTH_LIMIT = 1 << 16


def arguments_of(name: str) -> list[str]:
    """The template's arguments of a folded name: `ap_fixed<16, 8>` -> [`16`, `8`]."""
    opening = name.find("<")
    if opening < 0:
        return []
    parts, depth, start, text = [], 0, 0, name[opening + 1 : name.rfind(">")]
    for at, char in enumerate(text):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def base_of(name: str) -> str:
    """`ap_int` of `ap_int<8>`, `stream` of `hls::stream<int>`."""
    return name.partition("<")[0].rpartition("::")[2]


def plain_words(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(w for w in words if w not in BESIDE_TYPES)


def c_element(words: tuple[str, ...]) -> Element | None:
    """Of the words of an arithmetic type; None where they name something else."""
    if not words:
        return INT
    if len(words) == 1:
        return named_element(words[0])
    unsigned = "unsigned" in words
    rest = [w for w in words if w not in ("unsigned", "signed", "int")]
    if any(w not in NAMED for w in rest):
        return None
    if "double" in rest:
        return DOUBLE
    bits = 64 if "long" in rest else 16 if "short" in rest else 8 if "char" in rest else 32
    return Fixed(not unsigned, bits, 0)


def named_element(word: str) -> Element | None:
    if word in NAMED:
        return NAMED[word]
    if word in ("unsigned", "signed"):
        return Fixed(word == "signed", 32, 0)
    sized = SIZED.match(word) or OLD_SIZED.match(word)
    return Fixed(not sized[1], max(1, min(int(sized[2]), WIDTH_LIMIT)), 0) if sized and int(sized[2]) else None
