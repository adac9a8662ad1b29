"""Contraction of the ranges of parameters to those that constraints leave, for many boxes at once.

The bounds of every node go forward from the names to the constraint, which must be true; the ranges that its value
then allows go backward to the names (HC4-revise: Benhamou, Goualard, Granvilliers and Puget 1999, "Revising hull and
box consistency"). A name that a constraint has once comes out with its exact range, up to a slack; others with an outer
one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tunepass.expr import nodes
from tunepass.expr.numpy_eval import evaluate_within
from tunepass.space.columns import Columns, Mask
from tunepass.space.feasible.diagram.terms import conjuncts
from tunepass.space.feasible.ranges import bounds as ranges
from tunepass.space.feasible.ranges.bounds import HUGE, TermRange
from tunepass.space.feasible.ranges.inverse_ranges import Bounds, child_ranges
from tunepass.space.parameter import NumericParameter, Parameter
from tunepass.space.prior import Floats

Ranges = dict[str, TermRange]
TINY = 1e-9  # by which an end may miss a whole number


class Contraction:
    """Constraints over the names in `ranged`; the parts of them that read only other names are `known` beforehand."""

    def __init__(self, expressions: Sequence[nodes.Expr], ranged: Collection[str]):
        self._fixed: dict[int, nodes.Expr] = {}  # the largest subexpressions that read no name in `ranged`
        self._orders: list[list[nodes.Expr]] = []  # of each condition the nodes, children first
        for condition in (part for e in expressions for part in conjuncts(e)):
            reads: dict[int, bool] = {}
            order = list(nodes.walk(condition))
            for node in order:
                is_ranged = isinstance(node, nodes.Name) and node.name in ranged
                reads[id(node)] = is_ranged or any(reads[id(child)] for child in node.children)
            reading = [node for node in order if reads[id(node)]]
            for node in reading:
                for child in node.children:
                    if not reads[id(child)]:
                        self._fixed[id(child)] = child
            if reading:
                self._orders.append(reading)

    @property
    def nodes(self) -> int:
        """How many nodes a contraction visits."""
        return sum(map(len, self._orders))

    def known(self, prefix: Columns, n: int) -> dict[int, Floats]:
        """Values (n,) of the parts that read no ranged name, from columns of the other parameters; NaN: undefined. A
        part that reads a name without a column is left out."""
        values: dict[int, Floats] = {}
        for key, e in self._fixed.items():
            if isinstance(e.type, nodes.CategoryType | nodes.OrderType) or not nodes.free_names(e) <= prefix.keys():
                continue
            evaluated = evaluate_within(e, prefix, n)
            values[key] = np.where(evaluated.defined, evaluated.values.astype(np.float64), np.nan)
        return values

    def contract(self, box: Ranges, known: Mapping[int, Floats], n: int, rounds: int = 1) -> Mask:
        """Narrow the ranges in `box`, arrays (n,), to what the constraints leave; True (n,) where something may be
        left."""
        possible = np.ones(n, dtype=bool)
        for _ in range(rounds):
            for order in self._orders:
                possible &= _revise(order, box, known)
        return possible


def _revise(order: Sequence[nodes.Expr], box: Ranges, known: Mapping[int, Floats]) -> Mask:
    """Contract by one condition, the last node of `order`."""
    forward: dict[int, TermRange] = {}
    for node in order:
        parts = [forward[id(c)] if id(c) in forward else _of_fixed(c, known) for c in node.children]
        if isinstance(node, nodes.Name):
            forward[id(node)] = box[node.name]
        else:
            forward[id(node)] = ranges.apply(node, parts)
    root = order[-1]
    possible = np.greater(forward[id(root)].hi, 0)
    want: dict[int, Bounds] = {id(root): (1.0, 1.0)}
    for node in reversed(order):
        if id(node) not in want:
            continue
        bounds, required = forward[id(node)], want[id(node)]
        lo, hi = np.maximum(required[0], bounds.lo), np.minimum(required[1], bounds.hi)
        possible = np.logical_and(possible, np.less_equal(lo, hi))
        if isinstance(node, nodes.Name):
            box[node.name] = _rounded(node.type, lo, hi)
            continue
        parts = [forward[id(c)] if id(c) in forward else _of_fixed(c, known) for c in node.children]
        for child, allowed in zip(node.children, child_ranges(node, (lo, hi), parts)):
            if allowed is not None and id(child) in forward:
                before = want.get(id(child), (-HUGE, HUGE))
                want[id(child)] = np.maximum(before[0], allowed[0]), np.minimum(before[1], allowed[1])
    return possible


def _of_fixed(e: nodes.Expr, known: Mapping[int, Floats]) -> TermRange:
    values = known.get(id(e))
    if values is None:
        return ranges.constant(e.value) if isinstance(e, nodes.Constant) else ranges.unknown(e.type)
    undefined = np.isnan(values)
    if not undefined.any():
        return TermRange(np.clip(values, -HUGE, HUGE), np.clip(values, -HUGE, HUGE), False)
    lo, hi = np.where(undefined, -HUGE, values), np.where(undefined, HUGE, values)
    return TermRange(lo, hi, True)


def _rounded(type_: nodes.Type, lo: Floats, hi: Floats) -> TermRange:
    if isinstance(type_, nodes.IntegerType):
        return TermRange(np.ceil(lo - TINY), np.floor(hi + TINY), False)
    return TermRange(lo, hi, False)


def whole_ranges(parameters: Sequence[NumericParameter]) -> Ranges:
    """The ranges, arrays (1,), of all values of the parameters."""
    box: Ranges = {}
    for p in parameters:
        lo, hi = p.ends()
        box[p.name] = TermRange(np.full(1, max(lo, -HUGE)), np.full(1, min(hi, HUGE)), False)
    return box


def contradictory(parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr]) -> bool:
    """Do the ranges alone prove that nothing meets all conditions?"""
    ranged = [p for p in parameters if isinstance(p, NumericParameter)]
    box = whole_ranges(ranged)
    contraction = Contraction(expressions, list(box))
    return not contraction.contract(box, contraction.known({}, 1), 1, rounds=3)[0]
