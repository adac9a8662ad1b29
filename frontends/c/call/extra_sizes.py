"""Sizes beside the regular ones of sizes.py: tails of blocks, multiples of blocks, drawn sizes, larger ones, none, and
sizes in which equal numbers, their order or other scalars have other values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random

import numpy as np

from tunepass.expr.nodes import free_names
from tunepass.frontends.c.call.inputs import element_count, fits, scalar_values
from tunepass.frontends.cfamily.types.declared import is_integral, is_real
from tunepass.ir.c_kernel import Argument, ArrayArgument, ScalarArgument, Size

TAILS = range(65, 129)  # a whole block of up to 64, and every rest that it leaves
STEP = 3  # of these sizes
LARGEST_BLOCK = 128
MULTIPLES = 6  # sizes that many blocks divide
SEARCHED = 4096  # sizes among which these are looked for
DRAWN = 3
FAR = 1 << 17  # elements of all arrays, at most, at sizes above the tuned one
WIDE = (1 << 15) + 3, (1 << 16) + 3  # beyond the whole numbers of 16 bits, with and without a sign
WIDEST = 1 << 18  # elements of all arrays, at most, at these sizes
MOST_ALONE = 3  # scalars that are zero alone
APART = 5  # by which numbers differ that are equal at the tuned size, if they are large enough
OTHER_VALUE = 0.75  # of a floating scalar, times the value that the pragma gives
MOST_WHOLE = 4  # whole scalars that have another value alone
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
    """Sizes at which the largest number leaves 16 bits, where the tuned one does not: a counter may be short, memory of
    its own too small. The other numbers are as small as they can be in the same order."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(free.values())))}
    for wide in WIDE:
        size = tuple((n, wide if v == max(free.values()) else 2 * ranks[v] + 1) for n, v in free.items())
        if max(free.values()) < wide and fits(arguments, size, least=1) and element_count(arguments, size) <= WIDEST:
            yield size


def empty_sizes(arguments: Sequence[Argument], free: Mapping[str, int], small: Size) -> Iterator[Size]:
    """All numbers zero, and each alone; none where the kernel gets pointers to rows, of which there have to be some."""
    if any(isinstance(a, ArrayArgument) and a.row for a in arguments):
        return
    alone = [tuple((n, 0 if n == name else v) for n, v in small) for name in free][:MOST_ALONE]
    for size in (tuple((name, 0) for name in free), *(alone if len(free) > 1 else ())):
        if fits(arguments, size, least=0):
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


def with_other_whole(arguments: Sequence[Argument], size: Size, varied: Collection[str]) -> dict[str, Size]:
    """The size with another value of each whole scalar of which the pragma gives a number, except those `varied`: a
    smaller one, as arrays that it indexes may have just its length, or the next one to 0 and 1."""
    tuned = scalar_values(arguments, ())
    given = [a for a in arguments if isinstance(a, ScalarArgument) and not free_names(a.value) and a.name not in varied]
    whole = {a.name: _other_whole(a.element, int(tuned[a.name])) for a in given if is_integral(a.element)}
    sizes = {name: (*size, (name, value)) for name, value in whole.items()}
    possible = [name for name, other in sizes.items() if fits(arguments, other, least=1)]
    return {name: sizes[name] for name in possible[:MOST_WHOLE]}


def _other_whole(element: str, value: int) -> int:
    if element == "bool":
        return int(not value)
    return value - 1 if value > 1 else value + 1


def with_other_scalars(arguments: Sequence[Argument], size: Size, varied: Collection[str]) -> list[Size]:
    """The size with other values of the floating scalars of which the pragma gives a number, except those `varied`."""
    tuned = scalar_values(arguments, ())
    real = [a for a in arguments if isinstance(a, ScalarArgument) and is_real(a.element) and not free_names(a.value)]
    other = tuple((a.name, _other_value(tuned[a.name])) for a in real if a.name not in varied)
    return [(*size, *other)] if other else []


def _other_value(value: int | float) -> int | float:
    """Another value of the same type, since the harness has one table for both, and of the same sign."""
    return value + 1 if isinstance(value, int) else OTHER_VALUE * value if value else OTHER_VALUE
