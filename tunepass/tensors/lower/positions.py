"""Ranges of positions of the sparse operand that loops go through.

A window is the coordinates that loops outside leave: all of each of some neighbouring levels' index variables, but for
the first, which may be in a range. It is one range of positions at each of these levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.tensors.lower.function import LoweringError
from tunepass.tensors.lower.statement import Statement
from tunepass.tensors.lower.text import Lines, Quantity, atom, plus, smallest, times
from tunepass.tensors.lower.variables import Values
from tunepass.tensors.schedule.nest import BoundOf, DivideBy, FuseOf, PosOf, SplitBy


@dataclass(frozen=True, slots=True)
class Window:
    """`roots` in storage order; the first is in [low, high), or from low on; `used` are the loops that say so."""

    roots: tuple[str, ...]
    low: Quantity = 0
    high: Quantity | None = None
    used: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Segment:
    """The positions [begin, end) at a level."""

    level: int
    begin: str
    end: str


def window_of(statement: Statement, variable: str, known: Values) -> Window | None:
    """The window whose coordinates `variable` goes through; None where these are not one range."""
    variables = statement.variables
    match variables.above.get(variable):
        case None:
            return Window((variable,))
        case SplitBy() | DivideBy() as derivation if variable == derivation.inner:
            outer = variables.value(derivation.outer, known)
            window = window_of(statement, derivation.parent, known)
            if outer is None or window is None or len(window.roots) > 1:
                return None
            step = variables.inner_extent(derivation)
            low = plus(window.low, times(outer, step))
            ends = [plus(low, step), *([] if window.high is None else [window.high])]
            used = window.used | variables.leaves(derivation.outer)
            return Window(window.roots, low, smallest(ends), used)
        case FuseOf(outer, inner, _):
            windows = window_of(statement, outer, known), window_of(statement, inner, known)
            if windows[0] is None or windows[1] is None or windows[1].used:
                return None
            return Window(windows[0].roots + windows[1].roots, windows[0].low, windows[0].high, windows[0].used)
        case BoundOf(variable=parent):
            return window_of(statement, parent, known)
        case _:
            return None


def segments_of(
    statement: Statement, window: Window, positions: Mapping[int, Quantity], lines: Lines
) -> tuple[Segment, ...]:
    """The window's positions at its levels, by declarations in `lines` where they take more than a look."""
    assert statement.sparse
    count = len(window.roots)
    first = statement.levels.index(window.roots[0]) if window.roots[0] in statement.levels else -1
    reached = first == 0 or (first > 0 and first - 1 in positions)
    if not reached or statement.levels[first : first + count] != window.roots:
        around = ", ".join(window.roots)
        raise LoweringError(f"{statement.sparse.tensor} is not stored in the order of the loops at {around}")
    segments = [first_segment(statement, first, window, positions.get(first - 1, 0), lines)]
    for level in range(first + 1, first + count):
        above, (root, tensor) = segments[-1], (statement.levels[level], statement.sparse.tensor)
        if statement.compressed(level):
            pos = statement.storage.pos(tensor, level)
            begin, end = f"{pos}[{above.begin}]", f"{pos}[{above.end}]"
        else:
            size = statement.variables.extent(root)
            begin, end = str(times(above.begin, size)), str(times(above.end, size))
        segments.append(declared(statement, level, begin, end, lines))
    return tuple(segments)


def first_segment(statement: Statement, level: int, window: Window, parent: Quantity, lines: Lines) -> Segment:
    assert statement.sparse
    tensor, root = statement.sparse.tensor, window.roots[0]
    if not statement.compressed(level):
        size = statement.variables.extent(root)
        high = size if window.high is None else smallest((window.high, size))
        split = [isinstance(statement.variables.above.get(loop), SplitBy) for loop in window.used]
        low = window.low if split in ([], [True]) else smallest((window.low, high))  # other steps may begin beyond
        base = times(f"(long){atom(parent)}" if parent != 0 else 0, size)
        return declared(statement, level, str(plus(base, low)), str(plus(base, high)), lines)
    pos, crd = statement.storage.pos(tensor, level), statement.storage.crd(tensor, level)
    begin, end = f"{pos}[{parent}]", f"{pos}[{plus(parent, 1)}]"
    if window.high is None:
        return Segment(level, begin, end)
    begin = f"first_from({crd}, {begin}, {end}, {window.low})"
    name = statement.storage.names.of("begin", tensor, root, wish=f"{root}{tensor}_begin")
    lines.add(f"const int {name} = {begin};")
    last = f"first_from({crd}, {name}, {end}, {window.high})"
    end_name = statement.storage.names.of("end", tensor, root, wish=f"{root}{tensor}_end")
    lines.add(f"const int {end_name} = {last};")
    return Segment(level, name, end_name)


def declared(statement: Statement, level: int, begin: str, end: str, lines: Lines) -> Segment:
    """A segment whose ends have names, unless they are constants or already short."""
    assert statement.sparse
    tensor, root = statement.sparse.tensor, statement.levels[level]
    kind = "int" if statement.compressed(level) or level == 0 else "long"
    texts = []
    for text, suffix in ((begin, "begin"), (end, "end")):
        if text.isidentifier() or text.isdecimal():
            texts.append(text)
            continue
        name = statement.storage.names.of(suffix, tensor, root, wish=f"{root}{tensor}_{suffix}")
        lines.add(f"const {kind} {name} = {text};")
        texts.append(name)
    return Segment(level, *texts)


def family_of(statement: Statement, variable: str) -> PosOf | None:
    """The derivation into positions that `variable` comes from, or is."""
    match statement.variables.above.get(variable):
        case PosOf() as derivation:
            return derivation
        case SplitBy(parent=parent) | DivideBy(parent=parent) | BoundOf(variable=parent):
            return family_of(statement, parent)
        case FuseOf(outer=outer, inner=inner):
            return family_of(statement, outer) or family_of(statement, inner)
        case _:
            return None
