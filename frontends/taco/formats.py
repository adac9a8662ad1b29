"""Formats and elements of tensors: TACO's letters, and the names that the formats go by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from tunepass.diagnostics import SourceError, spelling_hint
from tunepass.frontends.taco.written import FormatWord
from tunepass.ir.tensor import Element, Format, Level

LEVELS: Mapping[str, Level] = {"d": "dense", "s": "compressed"}
OTHER_LEVELS = {
    "u": "compressed, not unique",
    "z": "compressed, zeroless",
    "q": "singleton",
    "c": "singleton, not unique",
    "p": "singleton, padded",
}
NAMED = {"csr": ("ds", (0, 1)), "csc": ("ds", (1, 0)), "dcsr": ("ss", (0, 1)), "dcsc": ("ss", (1, 0))}
ANY_ORDER: Mapping[str, Level] = {"dense": "dense", "sparse": "compressed", "csf": "compressed"}
NOT_SUPPORTED = {
    "coo": "coordinate lists are not supported: `dcsr` and `csf` store what is there and nothing else",
    "ell": "write `csr`",
    "bcsr": "write `csr`, or an expression over blocks: `A(i,k) = B(i,j,k,l) * …` with the format `dsdd`",
    "dia": "write `csr`",
}
ELEMENTS: tuple[Element, ...] = get_args(Element)
ALIASES: Mapping[str, Element] = {
    "float32": "float",
    "float64": "double",
    "int32": "int",
    "int64": "long",
    "longlong": "long",
}
OTHER_ELEMENTS = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "uchar", "ushort", "uint", "ulong", "ulonglong"),
    *("int8", "int16", "char", "short", "complexfloat", "complexdouble"),
)
WORDS = (*NAMED, *ANY_ORDER, *ELEMENTS, *ALIASES)


def dense(order: int) -> Format:
    return Format((LEVELS["d"],) * order, tuple(range(order)))


def element_of(word: FormatWord) -> Element | None:
    """The element that the word names, if it is no format."""
    name = word.text
    if word.order or not (name in ELEMENTS or name in ALIASES or name in OTHER_ELEMENTS):
        return None
    if name in OTHER_ELEMENTS:
        raise SourceError(f"elements of the type {name} are not supported", word.span, f"one of {', '.join(ELEMENTS)}")
    return ALIASES.get(name) or next(element for element in ELEMENTS if element == name)


def format_of(word: FormatWord, tensor: str, order: int) -> Format:
    """The format of a tensor with so many modes."""
    if word.packed:
        raise SourceError("bounds of packs are not supported", word.span, f"write `{word.text}`")
    levels, modes = _levels(word, order)
    if len(levels) != order:
        count = f"{order} mode{'s' * (order != 1)}"
        problem = f"the format `{word.text}` has {len(levels)} level{'s' * (len(levels) != 1)}, `{tensor}` has {count}"
        raise SourceError(problem, word.span, "write a letter for each mode: `d` dense, `s` sparse")
    if sorted(modes) != list(range(order)):
        hint = f"such as `{word.text}:{','.join(str(mode) for mode in reversed(range(order)))}`"
        raise SourceError(f"the order of modes lists each of 0 to {order - 1} once", word.span, hint)
    return Format(levels, modes)


def _levels(word: FormatWord, order: int) -> tuple[tuple[Level, ...], tuple[int, ...]]:
    name = word.text
    if name in NAMED:
        letters, modes = NAMED[name]
        return tuple(LEVELS[letter] for letter in letters), word.order or modes
    if name in ANY_ORDER:
        return (ANY_ORDER[name],) * order, word.order or tuple(range(order))
    if name in NOT_SUPPORTED:
        raise SourceError(f"the format `{name}` is not supported", word.span, NOT_SUPPORTED[name])
    other = next((letter for letter in name if letter in OTHER_LEVELS), "")
    if other and set(name) <= {*LEVELS, *OTHER_LEVELS}:
        raise SourceError(
            f"levels of the kind `{other}` ({OTHER_LEVELS[other]}) are not supported",
            word.span,
            "`d` is dense, `s` is sparse",
        )
    if not set(name) <= set(LEVELS):
        known = f"a format is letters `d` and `s`, or one of {', '.join((*NAMED, *ANY_ORDER))}"
        hint = spelling_hint(name, WORDS, known)
        raise SourceError(f"`{name}` is no format or element", word.span, hint)
    return tuple(LEVELS[letter] for letter in name), word.order or tuple(range(len(name)))
