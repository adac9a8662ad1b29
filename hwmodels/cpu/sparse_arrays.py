"""The arrays of a tensor kernel, and the blocks of them that a box of loops touches.

| symbol | meaning |
|---|---|
| n | positions of a compressed level that the box runs through |
| w | how many coordinates they lie among: what a segment's neighbours span, and the way from one segment to the next |
| D | distinct coordinates: w (1 - exp(-n / w)), as n balls in w urns hit |

Positions, coordinates and values of a compressed level stand one after another, segment by segment. A dense operand
that is indexed with a coordinate is hit here and there: rows of whole blocks D times, and where a block holds several
coordinates the same holds for blocks in place of coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.cpu.sparse_counts import Counts
from tunepass.ir.tensor import Access, TensorKernel, accesses

ELEMENT_BYTE = {"double": 8, "float": 4, "int": 4, "long": 8}
POSITION_BYTE = 4  # of pos and crd


@dataclass(frozen=True, slots=True)
class Array:
    """`stored` are the variables of the levels up to the last compressed one, by whose positions the array is laid out,
    and `strides` the bytes by which each further variable moves it, largest first."""

    stored: tuple[str, ...]
    strides: tuple[tuple[str, float], ...]
    element_byte: int
    written: bool = False
    read: bool = True

    @property
    def variables(self) -> tuple[str, ...]:
        return (*self.stored, *(name for name, _ in self.strides))

    @property
    def unit(self) -> str | None:
        """The variable along which elements are neighbours."""
        return self.variables[-1] if self.variables else None


def operand_values(body: TensorKernel, counts: Counts) -> tuple[Array, ...]:
    """The values of each operand, once where it is used twice alike."""
    return tuple(_values(body, counts, access) for access in dict.fromkeys(_plain(accesses(body.assignment.right))))


def result_values(body: TensorKernel, counts: Counts) -> Array:
    return _values(body, counts, body.assignment.left, written=True)


def structure(body: TensorKernel) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """The coordinates and the positions of the operands' compressed levels."""
    coordinates: list[Array] = []
    positions: list[Array] = []
    for access in dict.fromkeys(_plain(accesses(body.assignment.right))):
        tensor = body.tensor(access.tensor)
        stored = tuple(access.index[mode] for mode in tensor.format.order)
        for place, level in enumerate(tensor.format.levels):
            if level == "compressed":
                coordinates.append(Array(stored[: place + 1], (), POSITION_BYTE))
                if place:
                    positions.append(Array(stored[:place], (), POSITION_BYTE))
    return tuple(coordinates), tuple(positions)


def _plain(all_accesses: Iterable[Access]) -> list[Access]:
    return [Access(access.tensor, access.index) for access in all_accesses]


def _values(body: TensorKernel, counts: Counts, access: Access, written: bool = False) -> Array:
    tensor = body.tensor(access.tensor)
    stored = [access.index[mode] for mode in tensor.format.order]
    size = ELEMENT_BYTE[tensor.element]
    compressed = [place for place, level in enumerate(tensor.format.levels) if level == "compressed"]
    first = compressed[-1] + 1 if compressed else 0
    strides: list[tuple[str, float]] = []
    stride = float(size)
    for name in reversed(stored[first:]):
        strides.append((name, stride))
        stride *= counts.ranges[name].extent
    return Array(tuple(stored[:first]), tuple(reversed(strides)), size, written, not written)


class Blocks:
    """Blocks of one size that the loops from a position on inwards touch."""

    def __init__(self, counts: Counts, block_byte: int):
        self.counts, self.block_byte = counts, block_byte

    def of(self, array: Array, position: int) -> Expr:
        if not array.strides:
            return self._stored(array, position) if array.stored else alg.lift(1.0)
        rows = [self.counts.nodes(array.stored, position)] if array.stored else []
        runs: list[Expr] = []
        for name, stride in array.strides:
            if stride >= self.block_byte:
                rows.append(self._distinct(name, position))
            elif self.counts.ranges[name].segments is not None:
                room = alg.maximum(1.0, alg.mul(stride / self.block_byte, self._window(name, position)))
                rows.append(_hit(room, self._hits(name, position)))
            else:
                runs.append(alg.mul(stride / self.block_byte, alg.sub(self.counts.covered(name, position), 1.0)))
        return alg.mul(1.0, *rows, alg.add(1.0, *runs))

    def _stored(self, array: Array, position: int) -> Expr:
        """Neighbours along the last level where its inner loop is in the box; one run where all its loops are."""
        *before, last = array.stored
        share = array.element_byte / self.block_byte
        nodes = self.counts.nodes(array.stored, position)
        parents = self.counts.nodes(tuple(before), position)
        unit = self.counts.loops.from_on(self.counts.loops.unit(last), position)
        runs = alg.add(parents, alg.mul(share, alg.sub(nodes, parents)))
        together = alg.add(1.0, alg.mul(share, nodes))
        each = alg.minimum(nodes, alg.where(unit, alg.minimum(runs, together), nodes))
        return alg.maximum(1.0, each)

    def _hits(self, name: str, position: int) -> Expr:
        """n of the notation."""
        segments = self.counts.ranges[name].segments
        assert segments is not None
        return self.counts.nodes((*segments.before, name), position)

    def _window(self, name: str, position: int) -> Expr:
        """w of the notation."""
        variable_range = self.counts.ranges[name]
        segments = variable_range.segments
        assert segments is not None
        span = alg.mul(segments.spread, self.counts.spanned((name,), position))
        passed = alg.sub(self.counts.spanned(segments.before, position), 1.0)
        drift = alg.mul(variable_range.extent / segments.parents, alg.maximum(0.0, passed))
        return alg.minimum(variable_range.extent, alg.maximum(1.0, alg.add(span, drift)))

    def _distinct(self, name: str, position: int) -> Expr:
        """D of the notation; of a dense variable simply its values."""
        if self.counts.ranges[name].segments is None:
            return self.counts.covered(name, position)
        return _hit(self._window(name, position), self._hits(name, position))


def _hit(urns: Expr, balls: Expr) -> Expr:
    empty = alg.apply("exp", alg.div(alg.mul(-1.0, balls), urns))
    return alg.maximum(alg.minimum(1.0, balls), alg.mul(urns, alg.sub(1.0, empty)))
