"""Sizes beside the regular ones of sizes.py: tails of blocks, multiples of blocks, drawn sizes, larger ones, none, and
sizes in which equal numbers, their order or other scalars have other values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random

import numpy as np

from tunepass.expr.nodes import free_names
from tunepass.frontends.c.call.inputs import element_count, fits, longest, scalar_values
from tunepass.frontends.cfamily.types.declared import is_integral, is_real
from tunepass.ir.c_kernel import NO_LITERALS, Argument, ArrayArgument, Literals, ScalarArgument, Size

TAILS = range(65, 129)  # a whole block of up to 64, and every rest that it leaves
STEP = 3  # of these sizes
LARGEST_BLOCK = 128
MULTIPLES = 6  # sizes that many blocks divide
SEARCHED = 4096  # sizes among which these are looked for
DRAWN = 3
FAR = 1 << 17  # elements of all arrays, at most, at sizes above the tuned one
WIDE = (1 << 15) + 3, (1 << 16) + 3, (1 << 17) + 3  # beyond 16 bits, with and without a sign, and in each of two parts
WIDEST = 2 * WIDE[-1]  # elements of all arrays, at most, at these sizes
GROWTH, GROWN = 1.02, 300  # of all numbers at each step, and how many steps there are
MOST_ALONE = 3  # scalars that are zero alone
APART = 5  # by which numbers differ that are equal at the tuned size, if they are large enough
OTHER_VALUE = 0.75  # of a floating scalar, times the value that the pragma gives
MOST_WHOLE = 4  # whole scalars that have other values alone
MOST_ENUMERATORS = 8
MOST_LITERALS = 8
FEW = 2  # a small value of a whole scalar
FEW_BITS, LEAST_MASK = 3, 15  # a small mask of bits, and the least number that is taken for one
# Values of whole scalars that callers may never give: a shift by more bits than 32 and than 64, one beyond 8 bits, a
# multiple of what words, lines and vectors hold, and one whose square is beyond 32.
UNUSUAL = (0, 1, -1, 37, 65, 257, 1024, (1 << 17) + 29)
UNUSUAL_MASKS = (0, 1, -1, (1 << 17) - 1)
UNUSUAL_REAL = (1, 0, -1)  # of floating scalars
NARROW = {"char": 8, "int8": 8, "short": 16, "int16": 16}
FEWEST = 5  # of the number that is the largest at the tuned size, where the smallest one is larger


def sizes_of_blocks(end: int, random: Random) -> list[int]:
    """Sizes up to `end`: tails of blocks, multiples of many blocks and of drawn ones, and any."""
    tails = range(TAILS.start + random.randrange(STEP), TAILS.stop, STEP)
    blocks = [random.randint(2, max(2, min(200, end // 2))) for _ in range(DRAWN)]
    multiples = [block * random.randint(2, max(2, end // block)) for block in blocks]
    drawn = [random.randint(1, max(1, end)) for _ in range(DRAWN)]
    return [s for s in (*tails, *divided_by_most(end), *multiples, *drawn) if 0 < s <= end]


@lru_cache(64)
def divided_by_most(end: int) -> tuple[int, ...]:
    """Sizes up to `end` that together are multiples of as many blocks as possible, at least two of each."""
    sizes = np.arange(max(0, end - SEARCHED), end + 1)
    blocks = np.arange(3, LARGEST_BLOCK + 1)
    divided = (sizes[:, None] % blocks == 0) & (sizes[:, None] >= 2 * blocks)  # (sizes, blocks)
    multiples = []
    for _ in range(MULTIPLES):
        best = int(divided.sum(axis=1).argmax())
        if divided[best].any():
            multiples.append(int(sizes[best]))
            divided[:, divided[best]] = False
    return tuple(multiples)


def larger_sizes(arguments: Sequence[Argument], free: Mapping[str, int], random: Random) -> Iterator[Size]:
    """Up to about twice the tuned size, drawn ones among them, where arrays do not become large."""
    for times in (1.5, 2.0, random.uniform(1, 2), random.uniform(1, 2)):
        size = tuple((name, int(value * times) + 1) for name, value in free.items())
        if fits(arguments, size, least=1) and element_count(arguments, size) <= FAR:
            yield size


def wide_sizes(arguments: Sequence[Argument], free: Mapping[str, int]) -> Iterator[Size]:
    """Sizes at which the largest number leaves 16 bits, where the tuned one does not, and one at which an array's
    length does: a counter or an index may be short, memory of its own too small. At the first the other numbers are as
    small as they can be in the same order, at the last all grow alike."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(free.values())))}
    most = max(free.values())
    for wide in WIDE:
        size = tuple((n, wide if v == most else 2 * ranks[v] + 1) for n, v in free.items())
        known = most >= min(wide, WIDE[1])
        if not known and fits(arguments, size, least=1) and element_count(arguments, size) <= WIDEST:
            yield size
    if most < WIDE[1] and longest(arguments, tuple(free.items())) < WIDE[1]:
        yield from _grown(arguments, free)


def _grown(arguments: Sequence[Argument], free: Mapping[str, int]) -> Iterator[Size]:
    """The least size at which an array leaves 16 bits, where no number does."""
    grown = (tuple((n, int(v * GROWTH**step) + 1) for n, v in free.items()) for step in range(GROWN))
    size = next((s for s in grown if fits(arguments, s, least=1) and longest(arguments, s) >= WIDE[1]), ())
    if size and max(v for _, v in size) < WIDE[1] // 2 and element_count(arguments, size) <= WIDEST:
        yield size


def empty_sizes(arguments: Sequence[Argument], free: Mapping[str, int], small: Size) -> Iterator[Size]:
    """All numbers zero, and each alone; none where the kernel gets pointers to rows, of which there have to be some."""
    if any(isinstance(a, ArrayArgument) and a.row for a in arguments):
        return
    alone = [tuple((n, 0 if n == name else v) for n, v in small) for name in free][:MOST_ALONE]
    for size in (tuple((name, 0) for name in free), *(alone if len(free) > 1 else ())):
        if fits(arguments, size, least=0):
            yield size


def sizes_of_one(free: Mapping[str, int], small: Size, possible: Callable[[Size], bool]) -> Iterator[Size]:
    """Each number alone is 1: an image of one column, blocks of one element."""
    for name in [*free][:MOST_ALONE] if len(free) > 1 else []:
        size = tuple((n, 1 if n == name else v) for n, v in small)
        if possible(size):
            yield size


def sizes_apart(free: Mapping[str, int], small: Size, possible: Callable[[Size], bool]) -> Iterator[Size]:
    """Numbers that are equal at the tuned size differ, each of them being the largest once."""
    groups = [[name for name in free if free[name] == value] for value in sorted(set(free.values()))]
    for turn in range(max(map(len, groups))):
        values = dict(small)
        for group in groups:
            by = max(1, min(APART, (int(values[group[0]]) - 1) // len(group)))
            for rank, name in enumerate(group):
                values[name] = max(1, values[name] - by * ((rank + turn) % len(group)))
        if tuple(values.items()) != small and possible(tuple(values.items())):
            yield tuple(values.items())


def in_other_order(free: Mapping[str, int], small: Size, possible: Callable[[Size], bool]) -> Iterator[Size]:
    """The number that is the largest at the tuned size is the smallest, and the others follow in turn."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(free.values()), reverse=True))}
    if len(ranks) == 1:
        return
    most = min(max(int(value) for _, value in small), 2 * min(free.values()))
    least = min(FEWEST, max(1, most // 4))
    step = (most - least) / (len(ranks) - 1)
    size = tuple((name, least + int(step * ranks[value])) for name, value in free.items())
    if most > least and possible(size):
        yield size


def with_other_whole(arguments: Sequence[Argument], size: Size, varied: Collection[str]) -> dict[str, list[Size]]:
    """The size with other values of each whole scalar of which the pragma gives a number, except those `varied`: first
    the nearest smaller one, as arrays that it indexes may have just its length, then a small one."""
    whole = _whole_scalars(arguments, size, varied)
    others = {
        a.name: [other for other in a.enumerators if other != value][:MOST_ENUMERATORS]
        if a.enumerators
        else _other_whole(a.element, value)
        for a, value in whole
    }
    sizes = {name: [_changed(size, name, value) for value in values] for name, values in others.items()}
    return {name: [s for s in there if fits(arguments, s, least=1)] for name, there in sizes.items()}


def with_unusual_whole(
    arguments: Sequence[Argument], size: Size, varied: Collection[str], literals: Literals = NO_LITERALS
) -> list[tuple[str, Size]]:
    """The same with values that callers may never give: larger ones, 0, 1 and negative ones, and numbers and letters of
    the source's text, with which it may compare the scalar; beside the scalar's name.
    By magnitude, those above 0 first: the source may never end with a step of 0, and what follows is left out then."""
    tried = {name: [dict(s)[name] for s in sizes] for name, sizes in with_other_whole(arguments, size, varied).items()}
    unusual = [
        (a.name, _changed(size, a.name, other))
        for a, value in _whole_scalars(arguments, size, varied)
        for other in (() if a.enumerators else _unusual_whole(a.element, value, tried[a.name], literals))
    ]
    possible = [(name, other) for name, other in unusual if fits(arguments, other, least=1)]
    return sorted(possible, key=lambda each: _after(dict(each[1])[each[0]]))


def with_unusual_real(arguments: Sequence[Argument], size: Size, varied: Collection[str]) -> list[tuple[str, Size]]:
    """The same of floating scalars, each alone: 1, 0, -1 and the negative number, of the pragma's number's type."""
    tuned = scalar_values(arguments, ())
    return [
        (a.name, _changed(size, a.name, other))
        for a in _real_scalars(arguments, varied)[:MOST_WHOLE]
        for other in dict.fromkeys(type(tuned[a.name])(v) for v in (*UNUSUAL_REAL, -tuned[a.name]))
        if other != tuned[a.name]
    ]


def _after(value: int | float) -> tuple[bool, int | float]:
    return value <= 0, abs(value)


def _whole_scalars(
    arguments: Sequence[Argument], size: Size, varied: Collection[str]
) -> list[tuple[ScalarArgument, int]]:
    """Whole scalars whose number the pragma gives, with their values at the size; not those `varied`."""
    values = scalar_values(arguments, size)
    given = [a for a in arguments if isinstance(a, ScalarArgument) and not free_names(a.value) and a.name not in varied]
    return [(a, int(values[a.name])) for a in given if is_integral(a.element) or a.enumerators][:MOST_WHOLE]


def _changed(size: Size, name: str, value: int | float) -> Size:
    return (*((n, v) for n, v in size if n != name), (name, value))


def _other_whole(element: str, value: int) -> list[int]:
    """Other values; of a mask of bits, other masks: callers have no numbers between."""
    if element == "bool":
        return [int(not value)]
    if _is_mask(value):
        return [value >> 1, FEW_BITS]
    nearest = value - 1 if value > 1 else value + 1
    return [nearest, FEW] if nearest > FEW else [nearest]


def _is_mask(value: int) -> bool:
    return value >= LEAST_MASK and value & (value + 1) == 0


def _unusual_whole(element: str, value: int, tried: Collection[int | float], literals: Literals) -> list[int]:
    """As far as the type has them, at least as narrow as it is on any machine."""
    if element == "bool":
        return []
    least, most = _bounds_of(element)
    compared = (literals.letters if element == "char" else literals.whole)[:MOST_LITERALS]
    masks = (2 * value + 1, *UNUSUAL_MASKS)
    others = dict.fromkeys(masks if _is_mask(value) else (value + 1, -value, *UNUSUAL, *compared))
    return [other for other in others if least <= other <= most and other not in (value, *tried)]


def _bounds_of(element: str) -> tuple[int, int]:
    """The bounds of the numbers of a type; a typedef is taken for a signed one of 32 bits."""
    bits = next((bits for word, bits in NARROW.items() if word in element), 32)
    if element.startswith(("u", "size")):
        return 0, (1 << bits) - 1
    return -(1 << (bits - 1)) + 1, (1 << (bits - 1)) - 1


def within_lengths(arguments: Sequence[Argument], size: Size, free: Mapping[str, int]) -> Size:
    """The size with whole scalars that decide no length reduced to numbers that do and that are as large at the tuned
    one, such as the rows of a matrix to its leading dimension; the same size where none is larger."""
    given = dict(size)
    bounds = [
        (a.name, value, min((given[n] for n, v in free.items() if v >= value), default=value))
        for a, value in _whole_scalars(arguments, size, free)
        if value > 1
    ]
    return (*size, *((name, bound) for name, value, bound in bounds if bound < value))


def with_other_scalars(arguments: Sequence[Argument], size: Size, varied: Collection[str]) -> list[Size]:
    """The size with other values of the floating scalars of which the pragma gives a number, except those `varied`."""
    tuned = scalar_values(arguments, ())
    other = tuple((a.name, _other_value(tuned[a.name])) for a in _real_scalars(arguments, varied))
    return [(*size, *other)] if other else []


def _real_scalars(arguments: Sequence[Argument], varied: Collection[str]) -> list[ScalarArgument]:
    """Floating scalars whose number the pragma gives; not those `varied`."""
    scalars = [a for a in arguments if isinstance(a, ScalarArgument) and is_real(a.element)]
    return [a for a in scalars if not free_names(a.value) and a.name not in varied]


def _other_value(value: int | float) -> int | float:
    """Another value of the same type, since the harness has one table for both, and of the same sign."""
    return value + 1 if isinstance(value, int) else OTHER_VALUE * value if value else OTHER_VALUE
