"""Header of a Matrix Market file: the banner, comments, and the line of sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span, spelling_hint
from tunepass.tensors.data.stored import LARGEST_INT
from tunepass.tensors.data.text_stream import LineStream, clipped
from tunepass.tensors.data.words import Word, size_of, words_of

BANNER = "%%MatrixMarket"
EXAMPLE = f"{BANNER} matrix coordinate real general"
MODES_OF = {"matrix": 2, "vector": 1, "tensor": None}
LAYOUTS = ("coordinate", "array")
FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
MOST_MODES = 16


@dataclass(frozen=True, slots=True)
class MarketHeader:
    """`entries`: lines of numbers that follow; `sizes`: the line that says so."""

    layout: str
    field: str
    symmetry: str
    extents: tuple[int, ...]
    entries: int
    sizes: Span


def read_market_header(stream: LineStream) -> MarketHeader:
    """Raises SourceError. The stream stands at the first line of numbers then."""
    line, text = stream.next_line()
    kind, layout, field, symmetry = _banner(stream, line, text)
    while text.lstrip().startswith(b"%") or not text.strip():
        before = line
        line, text = stream.next_line()
        if not line:
            raise SourceError(
                f"{stream.name} ends after line {before}, before the line of sizes", hint="it is truncated"
            )
    words = words_of(stream, line, text)
    modes = MODES_OF[kind]
    modes = modes if modes is not None else len(words) - (layout == "coordinate")
    if len(words) != modes + (layout == "coordinate") or not 1 <= modes <= MOST_MODES:
        expected = "the extents and the number of entries" if layout == "coordinate" else "the extents"
        raise SourceError(
            f"the line of sizes has {len(words)} numbers, of a {layout} {kind} {expected} are expected",
            stream.excerpt(line, text),
        )
    extents = tuple(size_of(word, "an extent", 1) for word in words[:modes])
    if symmetry != "general" and (modes != 2 or extents[0] != extents[1]):
        raise SourceError(
            f"a {symmetry} matrix is square, sizes are {' x '.join(map(str, extents))}", stream.excerpt(line, text)
        )
    entries = (
        size_of(words[modes], "the number of entries", 0)
        if layout == "coordinate"
        else _array_entries(extents, symmetry)
    )
    if entries > LARGEST_INT:
        raise SourceError(
            f"{entries:,} entries: at most {LARGEST_INT:,}, C's int, are read", stream.excerpt(line, text)
        )
    return MarketHeader(layout, field, symmetry, extents, entries, stream.excerpt(line, text))


def _banner(stream: LineStream, line: int, text: bytes) -> tuple[str, str, str, str]:
    """Object, layout, field and symmetry."""
    words = words_of(stream, line, text)
    if not words or words[0].text.lower().lstrip("%") != BANNER.lower().lstrip("%"):
        place = stream.excerpt(line, text) if line else None
        problem = "this is no banner of a Matrix Market file" if line else f"{stream.name} is empty"
        raise SourceError(problem, place, f"its first line reads like {EXAMPLE}")
    if len(words) not in (4, 5):
        raise SourceError(
            f"the banner names an object, a layout, a field and a symmetry; here are {len(words) - 1} words",
            stream.excerpt(line, text),
            f"write it like {EXAMPLE}",
        )
    if words[3].text.lower() == "complex":
        raise SourceError(
            "complex matrices are not read: tensors are of real or integer numbers",
            words[3].span,
            "write the real part, or the magnitude, as a real matrix",
        )
    kind = _chosen(words[1], "objects", tuple(MODES_OF))
    layout = _chosen(words[2], "layouts", LAYOUTS)
    field = _chosen(words[3], "fields", FIELDS)
    symmetry = _chosen(words[4], "symmetries", SYMMETRIES) if len(words) == 5 else "general"
    if layout == "array" and field == "pattern":
        raise SourceError("an array has values, a pattern none", words[3].span, "write coordinate instead of array")
    return kind, layout, field, "symmetric" if symmetry == "hermitian" else symmetry  # of real numbers


def _chosen(word: Word, subject: str, known: tuple[str, ...]) -> str:
    chosen = word.text.lower()
    if chosen in known:
        return chosen
    hint = spelling_hint(chosen, known, quote=str)
    raise SourceError(f"{clipped(word.text)} is none of the {subject} {', '.join(known)}", word.span, hint)


def _array_entries(extents: tuple[int, ...], symmetry: str) -> int:
    """Numbers that an array has: of a symmetric one the lower triangle, of a skew one that without the diagonal."""
    if symmetry == "general":
        return math.prod(extents)
    return extents[0] * (extents[0] + (1 if symmetry == "symmetric" else -1)) // 2
