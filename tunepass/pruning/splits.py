"""Which parameters are fixed first when a space is split, so that Z3 has only sums left to reason about.

A product of two terms that both vary, a quotient by one that does, and a power are what makes questions about integers
hard. The cheapest set of parameters without which none is left has the fewest values together; conditions of `if` do
not count, as cases are what Z3 is good at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from tunepass.expr.nodes import Binary, Call, Expr, If, Name, walk
from tunepass.expr.sharing import Sharing
from tunepass.pruning.box_union import Box
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

SUMS = ("+", "-")
FEW = 8  # values of a parameter that become a box each
MOST_SUBSETS = 1 << 14
Pair = tuple[int, int]  # sets of parameters as bits: one of the two has to be fixed whole


def fixed_first(parameters: Sequence[Parameter], constraints: Sequence[Constraint]) -> tuple[int, ...]:
    """The places of those parameters, the one with the fewest values first. Other names count as fixed."""
    bits = {p.name: 1 << i for i, p in enumerate(parameters)}
    pairs = _hard_pairs(constraints, bits)
    cost = [math.log(max(1, p.size or 1)) for p in parameters]
    chosen = _cheapest(pairs, cost)
    return tuple(sorted((i for i in range(len(cost)) if chosen >> i & 1), key=lambda i: (cost[i], i)))


def split(box: Box, first: Sequence[int]) -> list[Box]:
    """Smaller boxes that make up this one, of more than one configuration: by the first parameter of those that are
    fixed first, or by the one with most values."""
    wide = (i for i in first if box[i][0] < box[i][1])
    i = next(wide, max(range(len(box)), key=lambda i: box[i][1] - box[i][0]))
    lo, hi = box[i]
    middle = (lo + hi) // 2
    parts = [(at, at) for at in range(lo, hi + 1)] if hi - lo < FEW else [(lo, middle), (middle + 1, hi)]
    return [(*box[:i], part, *box[i + 1 :]) for part in parts]


def split_order(box: Box, first: Sequence[int]) -> list[int]:
    """In which order parameters come to be fixed: those with one value, those that are fixed first, the widest."""
    return sorted(
        range(len(box)),
        key=lambda i: (box[i][0] < box[i][1], first.index(i) if i in first else len(first), box[i][0] - box[i][1]),
    )


def is_linear(box: Box, first: Sequence[int]) -> bool:
    """Everything that makes questions hard is fixed in the box."""
    return all(box[i][0] == box[i][1] for i in first)


def _hard_pairs(constraints: Sequence[Constraint], bits: dict[str, int]) -> set[Pair]:
    sharing, masks, pairs = Sharing(), dict[int, int](), set[Pair]()
    for root in [sharing.shared(c.expression) for c in constraints]:
        for node in walk(root):
            if id(node) in masks:
                continue
            of = [masks[id(child)] for child in node.children]
            masks[id(node)] = _mask(node, of, bits)
            pairs |= _pairs(node, of)
    return {pair for pair in pairs if pair[0] and pair[1]}


def _mask(node: Expr, of: Sequence[int], bits: dict[str, int]) -> int:
    """The parameters on which the value depends, but for those that only choose between cases."""
    if isinstance(node, Name):
        return bits.get(node.name, 0)
    mask = 0
    for part in of[1:] if isinstance(node, If) else of:
        mask |= part
    return mask


def _pairs(node: Expr, of: Sequence[int]) -> set[Pair]:
    if isinstance(node, Binary) and node.op not in SUMS:
        if node.op == "*":
            return {(of[0], of[1])}
        return {(of[1], of[1])} if node.op in ("/", "//", "%") else {(of[0] | of[1], of[0] | of[1])}
    if isinstance(node, Call) and node.function == "ceildiv":
        return {(of[1], of[1])}
    return set()


def _cheapest(pairs: set[Pair], cost: Sequence[float]) -> int:
    """Bits of the cheapest set that has one side of every pair; where there are too many sets, one after the other of
    what settles most pairs."""
    tied = [i for i in range(len(cost)) if any((a | b) >> i & 1 for a, b in pairs)]
    if 1 << len(tied) <= MOST_SUBSETS:
        sets = [sum(1 << i for i in some) for n in range(len(tied) + 1) for some in combinations(tied, n)]
        fit = [some for some in sets if not _left(pairs, some)]
        return min(fit, key=lambda some: sum(cost[i] for i in tied if some >> i & 1))
    chosen = 0
    while _left(pairs, chosen):
        free = [i for i in tied if not chosen >> i & 1]
        chosen |= 1 << min(free, key=lambda i: (_left(pairs, chosen | 1 << i), cost[i]))
    return chosen


def _left(pairs: set[Pair], chosen: int) -> int:
    return sum(bool(a & ~chosen) and bool(b & ~chosen) for a, b in pairs)
