"""The order in which a diagram binds its variables: the one whose frontiers are estimated narrowest.

The frontier depends on which variables are bound, not on their order, so partial orders that bind the same set are
alike and a beam over sets finds the best order, or nearly.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tunepass.expr import nodes
from tunepass.space.feasible.diagram.terms import Term, Terms

BEAM = 12
MANY = 60  # units: with more of them, each next one is the one that leaves the fewest constraints open


def choose(
    terms: Terms, constraints: Sequence[Term], units: Sequence[tuple[int, ...]], sizes: Mapping[int, int]
) -> list[int]:
    """Variables in order. `units` are variables that stay together, such as the positions of a permutation."""
    if len(units) > MANY:
        return [v for u in _fewest_open([c.mask for c in constraints], units) for v in units[u]]
    estimate = _Estimate(terms, constraints, sizes)
    steps = [(u, sum(1 << v for v in unit), _fan(unit, sizes)) for u, unit in enumerate(units)]
    beam: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
    for _ in units:
        extended: dict[int, tuple[float, tuple[int, ...]]] = {}
        for bound, (cost, order) in beam.items():
            layer_nodes = estimate.nodes(bound)
            for u, mask, fan in steps:
                if bound & mask:
                    continue
                total = cost + layer_nodes * fan
                so_far = extended.get(bound | mask)
                if so_far is None or total < so_far[0]:
                    extended[bound | mask] = (total, (*order, u))
        if len(extended) > BEAM:
            cheapest = heapq.nsmallest(BEAM, ((cost + estimate.nodes(b), b) for b, (cost, _) in extended.items()))
            extended = {b: extended[b] for _, b in cheapest}
        beam = extended
    _, order = min(beam.values())
    return [v for u in order for v in units[u]]


def _fewest_open(constraints: Sequence[int], units: Sequence[tuple[int, ...]]) -> list[int]:
    """Units in order: next is the one after which the fewest constraints (masks of variables) are begun and not ended,
    the first one of equals."""
    left = {u: sum(1 << v for v in unit) for u, unit in enumerate(units)}
    reading = {u: [c for c in constraints if c & mask] for u, mask in left.items()}
    order, bound = list[int](), 0
    while left:
        before = bound

        def opened(u: int, before: int = before) -> int:
            after = before | left[u]
            return sum(bool(c & ~after) - bool(c & before) for c in reading[u])

        order.append(min(left, key=opened))
        bound |= left.pop(order[-1])
    return order


def _fan(unit: tuple[int, ...], sizes: Mapping[int, int]) -> float:
    """The pairs that a unit makes of one node: of a permutation, all subsets of its items."""
    k = len(unit)
    return float(sizes[unit[0]]) if k == 1 else k * 2.0 ** (k - 1)


class _Part(NamedTuple):
    """A frontier term as the estimate sees it; `serial` tells terms apart, and sorts after `width`."""

    width: int  # how many variables
    serial: int
    mask: int
    variable: bool
    values: float


class _Estimate:
    """How many nodes a set of bound variables leaves: the values of its frontier, were they independent."""

    def __init__(self, terms: Terms, constraints: Sequence[Term], sizes: Mapping[int, int]):
        self.terms, self.sizes = terms, sizes
        self._known: dict[Term, _Part] = {}
        self._nodes: dict[int, float] = {}
        self._parts: list[tuple[Term, dict[int, tuple[_Part, ...]]]] = [(c, {}) for c in constraints]

    def nodes(self, bound: int) -> float:
        estimate = self._nodes.get(bound)
        if estimate is None:
            frontier: set[_Part] = set()
            for c, parts in self._parts:
                inside = c.mask & bound
                if inside and inside != c.mask:
                    if inside not in parts:
                        parts[inside] = tuple(self._part(t) for t in self.terms.frontier(c, inside))
                    frontier.update(parts[inside])
            estimate, covered = 1.0, 0
            for part in sorted(frontier):
                if part.variable or part.mask & ~covered:
                    estimate *= part.values
                    covered |= part.mask if part.variable else 0
            self._nodes[bound] = estimate
        return estimate

    def _part(self, t: Term) -> _Part:
        part = self._known.get(t)
        if part is None:
            part = _Part(t.mask.bit_count(), len(self._known), t.mask, t.kind == "variable", self._values(t))
            self._known[t] = part
        return part

    def _values(self, t: Term) -> float:
        """An estimate of how many values a term takes: products of sizes grow slower where values collide."""
        sizes = [self.sizes[i] for i in range(t.mask.bit_length()) if t.mask >> i & 1]
        product = float(math.prod(sizes))
        if len(sizes) > 1:
            product **= 0.8
        if isinstance(t.type, nodes.RealType):
            return product
        return max(1.0, min(product, float(t.range.hi) - float(t.range.lo) + 1))
