"""A count from below and from above, where a diagram would have too many nodes.

Layer by layer as the diagram is built, with the number of ways that lead to each node in place of its arcs. Where nodes
become too many, the sums so far of conditions `sum <= bound` are rounded, so that nodes fall together: downward for the
count from above, as smaller sums leave more, upward for the one from below. All else that later layers need is kept as
it is. Ways are doubles; what they round off is taken into the gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import SpaceError
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.pruning.base import Count, Remaining
from tunepass.pruning.orders import best_order, sum_so_far
from tunepass.space.columns import Columns, Indices, Mask, length
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.diagram.compile import DiagramBuilder, TooLarge
from tunepass.space.feasible.diagram.compiled import CompiledConstraints
from tunepass.space.feasible.diagram.diagram import dedupe
from tunepass.space.feasible.diagram.rows import Rows, stacked
from tunepass.space.feasible.diagram.terms import Term
from tunepass.space.parameter import Parameter

Floats = NDArray[np.float64]
MOST_ROWS = 100_000  # nodes of one layer
PAIRS = 1 << 22  # of a node and a value, at once
SLACK = 1e-9  # more than doubles round off in sums of ways
UPWARD, DOWNWARD = 1, -1


@dataclass(frozen=True, slots=True)
class BoundedGroup:
    """Parameters that conditions tie together: how many assignments there are about, and the values that may occur."""

    parameters: tuple[Parameter, ...]
    count: Count
    values: Mapping[str, Mask]


def bounded_group(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], most_rows: int = MOST_ROWS
) -> BoundedGroup:
    """Raises TooLarge where no condition has a sum that can be rounded, or where that does not help."""
    compiled = CompiledConstraints(parameters, [c.expression for c in constraints])
    if len(compiled.listed) < len(parameters) or any(not p.is_scalar for p in parameters):
        raise TooLarge
    low, _ = _Ways(compiled, UPWARD, most_rows).counted()
    high, values = _Ways(compiled, DOWNWARD, most_rows).counted()
    count = Count(int(np.floor(low * (1 - SLACK))), int(np.ceil(high * (1 + SLACK))))
    return BoundedGroup(tuple(parameters), count, values)


class _Ways:
    """`direction` is that in which sums with an upper bound are rounded."""

    def __init__(self, compiled: CompiledConstraints, direction: int, most_rows: int):
        self.compiled, self.direction, self.most_rows = compiled, direction, most_rows
        order = best_order(compiled, rounded=True)
        self.builder = DiagramBuilder(compiled.terms, compiled.joint, order, compiled.domains, most_rows)

    def counted(self) -> tuple[float, dict[str, Mask]]:
        """The number of ways to the end, and the values on them as far as is known before."""
        rows, ways, before = Rows(1), np.ones(1), 0
        values: dict[str, Mask] = {}
        for depth, number in enumerate(self.builder.order):
            last = depth + 1 == len(self.builder.order)
            domain, seen = self.builder.domains[number], np.zeros(self.builder.domains[number].width, np.bool_)
            parts: list[tuple[Rows, Floats]] = []
            for block, share in self._blocks(rows, ways, len(domain.index)):
                with np.errstate(divide="ignore", invalid="ignore"):
                    source, value, following = self.builder.expand(block, number, before, last=last)
                seen[domain.index[value]] = True
                parts.append(self._merged(following, share[source], before | 1 << number))
            values[self.compiled.variables[number].parameter] = seen
            before |= 1 << number
            rows, ways = _joined(parts)
            rows, ways = self._merged(rows, ways, before)
        return float(ways.sum()), values

    def _blocks(self, rows: Rows, ways: Floats, width: int) -> Iterator[tuple[Rows, Floats]]:
        step = max(1, PAIRS // max(1, width))
        for start in range(0, rows.n, step):
            index = np.arange(start, min(rows.n, start + step))
            yield rows.take(index), ways[index]

    def _merged(self, rows: Rows, ways: Floats, bound: int) -> tuple[Rows, Floats]:
        """Equal rows as one; where they are too many, with coarser and coarser sums."""
        rows, ways = _summed(rows, ways)
        if rows.n <= self.most_rows:
            return rows, ways
        sums = self._sums(rows, bound)
        if not sums:
            raise TooLarge
        ends = {t: (int(rows.terms[t][0].min()), int(rows.terms[t][0].max())) for t in sums}
        bins = float(self.most_rows)
        while rows.n > self.most_rows:
            if bins < 4:
                raise TooLarge
            bins /= 2
            for t, direction in sums.items():
                quantum = max(1, int((ends[t][1] - ends[t][0]) / bins))
                values = rows.terms[t][0].astype(np.int64)
                rounded = values // quantum if direction == DOWNWARD else -(-values // quantum)
                rows.terms[t] = (rounded * quantum, None)
            rows, ways = _summed(rows, ways)
        return rows, ways

    def _sums(self, rows: Rows, bound: int) -> dict[Term, int]:
        """The parts of sums that may be rounded, and in which direction."""
        terms, sums, fixed = self.builder.terms, dict[Term, int](), set[int]()
        for c in self.compiled.joint:
            if not (c.mask & bound and c.mask & ~bound):
                continue
            part, sign = sum_so_far(terms, c, bound)
            for t in terms.frontier(c, bound):
                known = t is part and t in rows.terms and rows.terms[t][1] is None
                if not known or sums.setdefault(t, sign) != sign:
                    fixed.add(id(t))
        return {t: sign * self.direction for t, sign in sums.items() if id(t) not in fixed}


def _summed(rows: Rows, ways: Floats) -> tuple[Rows, Floats]:
    if rows.n < 2:
        return rows, ways
    number, first = dedupe(rows.key())
    return rows.take(first), np.bincount(number, weights=ways, minlength=len(first)).astype(np.float64)


def _joined(parts: Sequence[tuple[Rows, Floats]]) -> tuple[Rows, Floats]:
    if not parts:
        return Rows(0), np.zeros(0)
    rows = parts[0][0] if len(parts) == 1 else stacked([rows for rows, _ in parts])
    return rows, np.concatenate([ways for _, ways in parts])


class Bounded(Remaining):
    """What is left, known only by its count. `columns` lists nothing; `contains` asks the conditions."""

    def __init__(
        self, parameters: Sequence[Parameter], constraints: Sequence[Constraint], groups: Sequence[BoundedGroup]
    ):
        self.parameters, self.groups = tuple(parameters), tuple(groups)
        self.constraints = tuple(constraints)
        tied = {p.name for group in groups for p in group.parameters}
        self.free = [p for p in parameters if p.name not in tied and p.size is not None]
        low = high = 1
        for p in self.free:
            low, high = low * (p.size or 1), high * (p.size or 1)
        for group in groups:
            low, high = low * group.count.low, high * group.count.high
        self.count = Count(low, high)

    def kept(self) -> Mapping[str, Mask]:
        masks = {p.name: np.ones(p.size or 0, np.bool_) for p in self.free if p.is_scalar}
        for group in self.groups:
            masks |= group.values
        return {p.name: masks[p.name] for p in self.parameters if p.name in masks}

    def rows(self, start: int, end: int) -> Columns:
        raise SpaceError("what is left is bounded, not known: it cannot be listed", hint="limit it further")

    def contains(self, columns: Columns) -> Mask:
        n = length(columns)
        inside = np.ones(n, np.bool_)
        for p in self.parameters:
            if p.size is not None:
                inside &= p.inside(columns[p.name])
        rows: Indices = np.flatnonzero(inside)
        if len(rows) and self.constraints:
            program = CompiledExpressions([c.expression for c in self.constraints])
            inside[rows] = program.satisfied({name: column[rows] for name, column in columns.items()}, len(rows))
        return inside
