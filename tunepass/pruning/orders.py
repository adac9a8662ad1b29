"""In which order a diagram best binds its parameters, where that decides whether it can be built at all.

A chain of layers, each as wide as the next one's input, is best bound in the order in which it is written: a sum so far
and one width are all that later layers need. The order for general constraints may tear such a chain apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tunepass.expr.nodes import Compare, Expr
from tunepass.space.feasible.diagram.compile import TooLarge
from tunepass.space.feasible.diagram.compiled import CompiledConstraints, listed_group
from tunepass.space.feasible.diagram.terms import Term, Terms
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.parameter import Parameter


def ordered_group(parameters: Sequence[Parameter], expressions: Sequence[Expr], node_limit: int) -> DiagramGroup:
    """The diagram of finite `parameters` under `expressions` over them. Raises TooLarge."""
    compiled = CompiledConstraints(parameters, expressions)
    if len(compiled.listed) < len(parameters):
        raise TooLarge
    return listed_group(compiled, node_limit, best_order(compiled))


def best_order(compiled: CompiledConstraints, *, rounded: bool = False) -> list[int]:
    """The order for general constraints, or the one in which parameters are written where that has fewer nodes, as far
    as sizes tell; `rounded`: where sums are rounded, and do not count."""
    written = [i for i in range(len(compiled.variables)) if i in compiled.domains]
    return min(compiled.order(), written, key=lambda order: _nodes(compiled, order, rounded))


def sum_so_far(terms: Terms, c: Term, bound: int) -> tuple[Term | None, int]:
    """The part that is bound of a condition `sum <= number`, and 1; -1 for `>=`, and where it is taken away."""
    e = c.expr
    if c.kind != "apply" or not isinstance(e, Compare) or len(e.ops) != 1 or e.ops[0] not in ("<", "<=", ">", ">="):
        return None, 0
    left, right = c.children
    turned = 1 if e.ops[0] in ("<", "<=") else -1
    whole, turned = (left, turned) if not right.mask else (right, -turned)
    if whole.kind != "sum" or (left.mask and right.mask):
        return None, 0
    split = terms.split(whole, bound)
    return split.part, split.sign * turned


def _nodes(compiled: CompiledConstraints, order: Sequence[int], rounded: bool) -> float:
    """About how many nodes there are at most: the product, layer by layer, of the numbers of values to remember."""
    bits = {number: math.log2(max(1, len(compiled.domains[number].index))) for number in order}
    bound, total = 0, 0.0
    for number in order:
        bound |= 1 << number
        needed = {t: None for c in compiled.joint if c.mask & ~bound for t in compiled.terms.frontier(c, bound)}
        alone = {t.mask for t in needed if not t.mask & (t.mask - 1)}
        sums = {sum_so_far(compiled.terms, c, bound)[0] for c in compiled.joint} if rounded else set()
        layer = sum(bits[mask.bit_length() - 1] for mask in alone)
        for t in needed:
            if t.mask not in alone and t not in sums:
                combined = sum(bits[i] for i in order if t.mask >> i & 1)
                layer += min(combined, math.log2(float(t.range.hi - t.range.lo) + 2))
        total += 2.0 ** min(layer, 200.0)
    return total
