"""A set of orders as one expression: precedences of items where these say all, else a choice between several such.

An order is held as the bits of its pairs (a before b); a set of precedences holds in it where all their bits are set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations

import numpy as np
from numpy.typing import NDArray

Order = tuple[int, ...]  # items by position
Pair = tuple[int, int]  # the first stands outside the second
Bits = NDArray[np.uint64]


def precedences_of(
    legal: Sequence[Order], every: Sequence[Order], sizes: Sequence[int]
) -> tuple[tuple[Pair, ...], ...]:
    """Alternatives, each a set of precedences: an order of `every` is in `legal` where one of them holds.

    An order may be of several lists of items side by side, `sizes` items each; precedences are those within a list.
    """
    ends = [*accumulate(sizes)]
    pairs = [pair for end, size in zip(ends, sizes) for pair in combinations(range(end - size, end), 2)]
    allowed, all_bits = _bits(legal, pairs), _bits(every, pairs)
    is_legal = np.isin(all_bits, allowed)
    alternatives: list[int] = []
    left = allowed
    common = _common(allowed)
    if _holding(all_bits, common) == len(allowed):
        return (_reduced(common, pairs),)
    while len(left):
        chosen = _widest(int(left[0]), all_bits, is_legal, pairs)
        alternatives.append(chosen)
        left = left[(left & np.uint64(chosen)) != np.uint64(chosen)]
    return tuple(_reduced(alternative, pairs) for alternative in alternatives)


def _bits(orders: Sequence[Order], pairs: list[Pair]) -> Bits:
    """Bit 2p: the items of pair p stand as they are listed; bit 2p + 1: the other way round."""
    at = np.argsort(np.array(orders, np.int64), axis=1)  # (n, k): the position of each item
    bits = np.zeros(len(orders), np.uint64)
    for number, (a, b) in enumerate(pairs):
        turned = (at[:, a] > at[:, b]).astype(np.uint64)
        bits |= np.uint64(1) << (np.uint64(2 * number) + turned)
    return bits


def _common(bits: Bits) -> int:
    return int(np.bitwise_and.reduce(bits))


def _holding(bits: Bits, precedences: int) -> int:
    required = np.uint64(precedences)
    return int(((bits & required) == required).sum())


def _widest(order: int, every: Bits, is_legal: NDArray[np.bool_], pairs: list[Pair]) -> int:
    """The precedences of an order, less those that can be dropped with nothing illegal let in."""
    remaining = order
    for number in range(2 * len(pairs)):
        fewer = np.uint64(remaining & ~(1 << number))
        if is_legal[(every & fewer) == fewer].all():
            remaining = int(fewer)
    return remaining


def _reduced(bits: int, pairs: list[Pair]) -> tuple[Pair, ...]:
    """The precedences that do not follow from others."""
    stated = set(_stated(bits, pairs))
    items = {item for pair in stated for item in pair}
    closed = set(stated)
    for middle in items:
        closed |= {(a, b) for a, m in list(closed) if m == middle for n, b in list(closed) if n == middle}
    implied = {(a, b) for a, b in closed if any((a, m) in closed and (m, b) in closed for m in items)}
    return tuple(sorted(stated - implied))


def _stated(bits: int, pairs: list[Pair]) -> Iterator[Pair]:
    for number, (a, b) in enumerate(pairs):
        if bits >> (2 * number) & 1:
            yield a, b
        if bits >> (2 * number + 1) & 1:
            yield b, a
