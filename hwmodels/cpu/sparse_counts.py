"""How often sparse loops iterate, and how many values of each index variable they run through.

| symbol | meaning |
|---|---|
| box | the loops at some positions: from q on inwards, which run during one iteration of what is outside, or up to q |
| L | values of a variable during one execution of all its loops: an extent, or the length of a compressed segment |

Segments have many lengths. Counts are the mean over their distribution, so that a tile of 8 for segments of length 2 is
seen to be short: for a split by f, E[ceil(L / f)] outer iterations and E[min(L, f)] values of the inner loop. Levels
below one another multiply: their nodes over their parents are the means of their lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.cpu.sparse_loops import NO, YES, FusedInto, Parts, Renamed, SparseLoops
from tunepass.ir.tensor import LevelStatistics, TensorKernel, accesses

BINS = 6  # lengths that a distribution is told by
LEAST = 1e-3  # values of a segment on average, so that ratios of counts are defined for a tensor without any


@dataclass(frozen=True, slots=True)
class Segments:
    """A variable that a compressed level gives: `before` are the variables of the levels before, `parents` how many
    segments there are, `nodes` all their values, `spread` the mean distance of neighbours, `lengths` theirs
    with the share of each."""

    tensor: str
    before: tuple[str, ...]
    parents: float
    nodes: float
    spread: float
    lengths: tuple[tuple[float, float], ...]

    @property
    def longest(self) -> float:
        return max(length for length, _ in self.lengths)

    @property
    def variation(self) -> float:
        """Standard deviation over mean of the lengths."""
        square = sum(length * length * share for length, share in self.lengths)
        return float(max(0.0, square * (self.parents / self.nodes) ** 2 - 1) ** 0.5)

    @property
    def unlike(self) -> float:
        """The probability that two segments have different lengths."""
        return 1 - sum(share * share for _, share in self.lengths)


@dataclass(frozen=True, slots=True)
class VariableRange:
    """The values of an index variable: of `extent` possible ones, `lengths` at a time, each with its share."""

    extent: float
    lengths: tuple[tuple[float, float], ...]
    segments: Segments | None = None

    @property
    def mean(self) -> float:
        return sum(length * share for length, share in self.lengths)


def ranges(body: TensorKernel, names: tuple[str, ...]) -> dict[str, VariableRange] | None:
    """Range of every index variable; None if the statistics lack it."""
    by_variable: dict[str, VariableRange] = {}
    known = {s.tensor: s.levels for s in body.statistics}
    extents: dict[str, float] = {name: float(extent) for name, extent in body.extents}
    for access in accesses(body.assignment.right):
        tensor = body.tensor(access.tensor)
        stored = [access.index[mode] for mode in tensor.format.order]
        parents = 1.0
        for place, level in enumerate(known.get(access.tensor, ())):
            name = stored[place]
            extents.setdefault(name, float(level.extent))
            if tensor.format.levels[place] == "compressed" and name not in by_variable:
                nodes = max(float(level.nodes), LEAST * parents)
                shares = _shares(level, nodes / parents)
                before = tuple(stored[:place])
                segments = Segments(access.tensor, before, parents, nodes, max(1.0, level.spread), shares)
                by_variable[name] = VariableRange(float(level.extent), _binned(shares, nodes / parents), segments)
            parents = max(1.0, float(level.nodes))
    for name in names:
        if name not in by_variable:
            if name not in extents:
                return None
            extent = max(1.0, extents[name])
            by_variable[name] = VariableRange(extent, ((extent, 1.0),))
    return by_variable


def _shares(level: LevelStatistics, mean: float) -> tuple[tuple[float, float], ...]:
    """The lengths of a level's segments, each with its share of them."""
    counted = [(length, number) for length, number in level.lengths if number > 0]
    total = sum(number for _, number in counted)
    if not level.nodes or not total:
        return ((mean, 1.0),)
    return tuple((length, number / total) for length, number in counted)


def _binned(shares: tuple[tuple[float, float], ...], mean: float) -> tuple[tuple[float, float], ...]:
    """At most BINS of them, each of about as many nodes and segments as the others."""
    bins: dict[int, tuple[float, float]] = {}
    passed = 0.0
    for length, share in shares:
        weight = 0.5 * share * (1 + length / mean)
        place = min(BINS - 1, int(BINS * (passed + 0.5 * weight)))
        passed += weight
        weighted_sum, together = bins.get(place, (0.0, 0.0))
        bins[place] = (weighted_sum + length * share, together + share)
    return tuple((weighted_sum / together, together) for weighted_sum, together in bins.values())


@dataclass(frozen=True, slots=True)
class PositionBox:
    """The loops at the positions from `first` to `last`."""

    loops: SparseLoops
    first: int
    last: int

    def of(self, name: str, inside: Expr) -> Expr:
        """`inside` where the box has the loop, else 1."""
        if self.first >= self.loops.depth:
            return alg.lift(1.0)
        if self.last < self.loops.depth - 1:
            inside = alg.where(self.loops.from_on(name, self.last + 1), 1.0, inside)
        return alg.where(self.loops.from_on(name, self.first), inside, 1.0)

    def has_any(self, names: Sequence[str]) -> Expr:
        """Is one of the loops in the box?"""
        if self.first >= self.loops.depth:
            return NO
        places = [self.loops.positions[name] for name in names]
        if self.first > 0:
            return alg.compare(alg.maximum(*places), ">=", self.first)
        return YES if self.last >= self.loops.depth - 1 else alg.compare(alg.minimum(*places), "<=", self.last)


class Counts:
    """Iterations and coverage of boxes."""

    def __init__(self, loops: SparseLoops, all_ranges: Mapping[str, VariableRange]):
        self.loops, self.ranges = loops, all_ranges
        self.inside = [PositionBox(loops, q, loops.depth - 1) for q in range(loops.depth)] + [
            PositionBox(loops, loops.depth, -1)
        ]
        self.outside = [PositionBox(loops, 0, q) for q in range(loops.depth)]
        self.nominal: dict[str, Expr] = {}  # the mean length of each variable
        for name in loops.roots:
            self._nominal(name)
        self._covered: dict[tuple[str, int], Expr] = {}
        self.runs = [self.iterations(box) for box in self.outside]  # how often the loop at a position begins its body
        self.within = [self.iterations(box) for box in self.inside]  # iterations of a position's loops, once

    def entries(self, position: int) -> Expr:
        """How often the loop at a position is begun."""
        return self.runs[position - 1] if position else alg.lift(1.0)

    def run_at(self, position: Expr) -> Expr:
        """Iterations at a position that is an expression; once before all loops."""
        inside = self.loops.at(position, self.runs)
        return alg.where(alg.compare(position, "<", 0), 1.0, inside)

    def trips(self, position: int) -> Expr:
        """Mean iterations of the loop at a position, each time it is begun."""
        return alg.div(self.runs[position], self.entries(position))

    def iterations(self, box: PositionBox) -> Expr:
        counts = [self._over(name, partial(self._count, name, box)) for name in self.loops.roots]
        fused = sorted({d.fused for d in self.loops.derived.values() if isinstance(d, FusedInto)})
        return alg.mul(1.0, *counts, *(self._count(name, box, self.nominal[name]) for name in fused))

    def covered(self, root: str, position: int) -> Expr:
        """Values of the variable that the loops from `position` on run through, each segment by itself."""
        key = (root, position)
        if key not in self._covered:
            box = self.inside[position]
            self._covered[key] = self._over(root, partial(self._values, root, box))
        return self._covered[key]

    def spanned(self, names: tuple[str, ...], position: int) -> Expr:
        """How far apart the first and the last of them lie, in positions: a box without the inner loop of a split goes
        by steps of its factor."""
        return alg.mul(1.0, *(self._over(name, partial(self._span, name, self.inside[position])) for name in names))

    def nodes(self, names: tuple[str, ...], position: int) -> Expr:
        """Positions of a level that are run through, `names` being its variable and those of the levels before."""
        return alg.mul(1.0, *(self.covered(name, position) for name in names))

    def _over(self, root: str, of: Callable[[Expr], Expr]) -> Expr:
        """The mean over the lengths of the variable's segments."""
        lengths = self.ranges[root].lengths
        return alg.add(*(alg.mul(share, of(alg.lift(length))) for length, share in lengths))

    def _nominal(self, name: str) -> None:
        """Downwards from a root; a fused variable comes after both that it is made of."""
        fused_parts = [v for v, d in self.loops.derived.items() if isinstance(d, FusedInto) and d.fused == name]
        if not all(v in self.nominal for v in fused_parts):
            return
        if fused_parts:
            self.nominal[name] = alg.mul(1.0, *(self.nominal[v] for v in fused_parts))
        elif name in self.ranges:
            self.nominal[name] = alg.lift(self.ranges[name].mean)
        match self.loops.derived.get(name):
            case Parts(outer, inner) as parts:
                self.nominal[outer], self.nominal[inner] = _parts(parts, self.nominal[name])
                self._nominal(outer)
                self._nominal(inner)
            case Renamed(to):
                self.nominal[to] = self.nominal[name]
                self._nominal(to)
            case FusedInto(fused):
                self._nominal(fused)
            case _:
                pass

    def by_coordinate(self, name: str) -> bool:
        """Is a compressed level's variable split as if it were dense?"""
        segmented = name in self.ranges and self.ranges[name].segments is not None
        return segmented and not self.loops.by_position(name)

    def _count(self, name: str, box: PositionBox, length: Expr) -> Expr:
        """Iterations of the variable's loops in the box; what is fused counts as the fused loop's."""
        if self.by_coordinate(name):
            return self._searched(name, box, length)
        match self.loops.derived.get(name):
            case Parts(outer, inner) as parts:
                first, second = _parts(parts, length)
                steps, within = self._count(outer, box, first), self._count(inner, box, second)
                extra = (
                    1.0 if self.loops.is_loop(inner) else alg.maximum(1.0, alg.div(within, second))
                )  # that do nothing
                both = alg.mul(extra, alg.minimum(length, alg.mul(steps, alg.div(within, extra))))
                if parts.divided:
                    return both
                alone = self._count(
                    inner, box, parts.factor
                )  # the inner loop outside of the outer one does not end early
                return alg.where(box.has_any(self.loops.leaves(outer)), both, alone)
            case Renamed(to):
                return self._count(to, box, length)
            case FusedInto():
                return alg.lift(1.0)
            case _:
                return box.of(name, length)

    def _searched(self, name: str, box: PositionBox, length: Expr) -> Expr:
        """The loops of a coordinate that is split are dense but for the last one, which looks at the positions that the
        parts of more weight leave."""
        weights = self.weights(name, alg.lift(self.ranges[name].extent))
        last = self.loops.deepest((name,))
        counts: list[Expr] = []
        left = length
        for loop, extent in weights:
            is_last = alg.compare(self.loops.positions[loop], "==", last)
            counts.append(box.of(loop, alg.where(is_last, left, extent)))
            left = alg.div(left, extent)
        return alg.mul(1.0, *counts)

    def weights(self, name: str, length: Expr) -> list[tuple[str, Expr]]:
        """The loops of a variable by falling weight, with their extents."""
        match self.loops.derived.get(name):
            case Parts(outer, inner) as parts:
                first, second = _parts(parts, length)
                return [*self.weights(outer, first), *self.weights(inner, second)]
            case Renamed(to):
                return self.weights(to, length)
            case _:
                return [(name, length)]

    def _values(self, name: str, box: PositionBox, length: Expr) -> Expr:
        """Distinct values that the box runs through."""
        if self.by_coordinate(name):
            extents = self.weights(name, alg.lift(self.ranges[name].extent))
            shares = [alg.div(box.of(loop, extent), extent) for loop, extent in extents]
            return alg.maximum(alg.minimum(1.0, length), alg.mul(length, *shares))
        match self.loops.derived.get(name):
            case Parts(outer, inner) as parts:
                first, second = _parts(parts, length)
                return alg.minimum(length, alg.mul(self._values(outer, box, first), self._values(inner, box, second)))
            case Renamed(to):
                return self._values(to, box, length)
            case FusedInto(fused, outer):
                every = self._values(fused, box, self.nominal[fused])
                if not outer:
                    return alg.maximum(alg.minimum(1.0, length), alg.minimum(length, every))
                beside = alg.div(self.nominal[fused], self.nominal[name])
                return alg.maximum(1.0, alg.minimum(length, alg.div(every, beside)))
            case _:
                return box.of(name, length)

    def _span(self, name: str, box: PositionBox, length: Expr) -> Expr:
        match self.loops.derived.get(name):
            case Parts(outer, inner) as parts:
                inside = self._span(inner, box, _parts(parts, length)[1])
                return alg.where(box.has_any(self.loops.leaves(outer)), length, inside)
            case Renamed(to):
                return self._span(to, box, length)
            case FusedInto():
                return self._values(name, box, length)
            case _:
                return box.of(name, length)


def _parts(parts: Parts, length: Expr) -> tuple[Expr, Expr]:
    """The lengths of the outer and the inner part."""
    steps, size = alg.ceildiv(length, parts.factor), alg.minimum(parts.factor, length)
    return (size, steps) if parts.divided else (steps, size)
