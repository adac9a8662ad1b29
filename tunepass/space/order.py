"""The order in which a diagram binds its variables: the one whose frontiers are estimated narrowest.

The frontier depends on which variables are bound, not on their order, so partial orders that bind the same set are
alike and a beam over sets finds the best order, or nearly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tunepass.space.terms import Term, Terms

BEAM = 12


def choose(
    terms: Terms, constraints: Sequence[Term], units: Sequence[tuple[int, ...]], sizes: Mapping[int, int]
) -> list[int]:
    """Variables in order. `units` are variables that stay together, such as the positions of a permutation."""
    estimate = _Estimate(terms, constraints, sizes)
    masks = [sum(1 << v for v in unit) for unit in units]
    beam: dict[int, tuple[float, tuple[int, ...]]] = {0: (0.0, ())}
    for _ in units:
        grown: dict[int, tuple[float, tuple[int, ...]]] = {}
        for bound, (cost, order) in beam.items():
            here = estimate.nodes(bound)
            for u, unit in enumerate(units):
                if bound & masks[u]:
                    continue
                total = cost + here * estimate.fan(unit)
                after = bound | masks[u]
                if after not in grown or total < grown[after][0]:
                    grown[after] = (total, (*order, u))
        if len(grown) > BEAM:
            kept = sorted(grown, key=lambda b: grown[b][0] + estimate.nodes(b))[:BEAM]
            grown = {b: grown[b] for b in kept}
        beam = grown
    _, order = min(beam.values())
    return [v for u in order for v in units[u]]


class _Estimate:
    """How many nodes a set of bound variables leaves: the values of its frontier, were they independent."""

    def __init__(self, terms: Terms, constraints: Sequence[Term], sizes: Mapping[int, int]):
        self.terms, self.constraints, self.sizes = terms, constraints, sizes
        self._values: dict[Term, float] = {}
        self._nodes: dict[int, float] = {}
        self._parts: list[dict[int, tuple[Term, ...]]] = [{} for _ in constraints]

    def fan(self, unit: tuple[int, ...]) -> float:
        k = len(unit)
        return float(self.sizes[unit[0]]) if k == 1 else k * 2.0 ** (k - 1)

    def nodes(self, bound: int) -> float:
        found = self._nodes.get(bound)
        if found is None:
            frontier: dict[Term, None] = {}
            for c, parts in zip(self.constraints, self._parts):
                inside = c.mask & bound
                if inside and inside != c.mask:
                    if inside not in parts:
                        parts[inside] = tuple(self.terms.frontier(c, inside))
                    frontier.update(dict.fromkeys(parts[inside]))
            found, covered = 1.0, 0
            for t in sorted(frontier, key=lambda t: bin(t.mask).count("1")):
                if t.kind == "variable" or t.mask & ~covered:
                    found *= self._distinct(t)
                    covered |= t.mask if t.kind == "variable" else 0
            self._nodes[bound] = found
        return found

    def _distinct(self, t: Term) -> float:
        """An estimate of how many values a term takes: products of sizes grow slower where values collide."""
        found = self._values.get(t)
        if found is None:
            sizes = [float(self.sizes[i]) for i in range(len(self.terms.variables)) if t.mask >> i & 1]
            found = float(np.prod(sizes)) if len(sizes) == 1 else float(np.prod(sizes)) ** 0.8
            span = float(t.range.hi) - float(t.range.lo) + 1
            if not _is_real(t):
                found = max(1.0, min(found, span))
            self._values[t] = found
        return found


def _is_real(t: Term) -> bool:
    return type(t.type).__name__ == "Real"
