"""Arrays of one dimension whose subscripts count rows: `A[i * n + j]` read as `A[i][j]` with rows of `n`.

Taken so only if every subscript of the array in the scop has that form and, proven, stays within its row. See Grosser,
Ramanujam, Pouchet, Sadayappan, Pop, "Optimistic Delinearization of Parametrically Sized Arrays" (ICS 2015).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tunepass.frontends.c.scops.affine import isl_text
from tunepass.frontends.c.scops.affine_values import Affine
from tunepass.frontends.c.scops.raw import RawStatement, Subscript

Holds = Callable[[RawStatement, str], bool]
"""Does a condition (isl's text) hold at every instance of a statement?"""
Product = tuple[str, ...]
"""Of parameters, sorted; `()` is 1."""
RowUse = tuple[RawStatement, Subscript]


@dataclass(frozen=True, slots=True)
class Layout:
    """`strides` of the dimensions, outermost first, the last 1; `extents` of all but the first."""

    strides: tuple[Product, ...]
    extents: tuple[str, ...]
    parameters: frozenset[str]
    holds: Holds

    def values(self, raw: RawStatement, subscript: Subscript) -> tuple[Affine, ...] | None:
        """The subscript of each dimension; None where it may leave its row."""
        terms = subscript.polynomial
        values = [Affine((), 0)] * len(self.strides)
        for product, factor in (terms or {}).items():
            indices, stride = _split(product, self.parameters)
            dimension = self.strides.index(stride) if stride in self.strides else None
            if dimension is None and not indices and len(stride) == 1:  # `+ n` where rows are of another length
                dimension, indices = len(self.strides) - 1, stride
            if dimension is None or len(indices) > 1:
                return None
            atom = Affine.of(indices[0]) if indices else Affine((), 1)
            values[dimension] = values[dimension].plus(atom.scaled(factor))
        return self._within(raw, values) if terms is not None else None

    def _within(self, raw: RawStatement, values: list[Affine]) -> tuple[Affine, ...] | None:
        """The values with each in its row, innermost first, which may take a row from the dimension outside."""
        for dimension in range(len(values) - 1, 0, -1):
            row = Affine.of(self.extents[dimension - 1])
            for rows in (0, 1, -1):
                shifted = values[dimension].plus(row.scaled(rows))
                if self.holds(raw, f"0 <= {isl_text(shifted)} < {isl_text(row)}"):
                    values[dimension] = shifted
                    values[dimension - 1] = values[dimension - 1].plus(Affine((), -rows))
                    break
            else:
                return None
        return tuple(values)


def layout_of(uses: Sequence[RowUse], parameters: frozenset[str], holds: Holds) -> Layout | None:
    """The one layout that all `uses` of an array have."""
    strides: set[Product] = {()}
    for _, subscript in uses:
        if subscript.polynomial is None:
            return None
        strides |= {s for p in subscript.polynomial for indices, s in [_split(p, parameters)] if indices}
    ordered = sorted(strides, key=len, reverse=True)
    extents = [_quotient(outer, inner) for outer, inner in itertools.pairwise(ordered)]
    if not extents or None in extents:
        return None
    layout = Layout(tuple(ordered), tuple(e for e in extents if e), parameters, holds)
    return layout if all(layout.values(*use) is not None for use in uses) else None


def _split(product: Product, parameters: frozenset[str]) -> tuple[Product, Product]:
    """Its indices and its parameters."""
    return tuple(n for n in product if n not in parameters), tuple(n for n in product if n in parameters)


def _quotient(outer: Product, inner: Product) -> str | None:
    """The one parameter that `outer` has more; None where it is not one."""
    more = Counter(outer)
    more.subtract(Counter(inner))
    rest = [name for name, count in more.items() if count]
    return rest[0] if len(rest) == 1 and more[rest[0]] == 1 else None
