"""Arrays of one dimension whose subscripts count rows: `A[i * n + j]` read as `A[i][j]` with rows of `n`.

Taken so only if every subscript of the array in the scop has that form and stays within its row: proven from the loops,
or under a condition on parameters that code then checks. Where nothing is written, elements may have several names. See
Grosser, Ramanujam, Pouchet, Sadayappan, Pop, "Optimistic Delinearization of Parametrically Sized Arrays" (ICS 2015).
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from tunepass.frontends.c.scops.numbers.affine import isl_text
from tunepass.frontends.c.scops.numbers.affine_values import Affine
from tunepass.frontends.c.scops.numbers.polynomials import (
    Polynomial,
    Product,
    affine_of,
    degree,
    divided,
    positive,
    primitive,
)
from tunepass.frontends.c.scops.statements.raw import RawStatement, Subscript

Stride = tuple[tuple[Product, int], ...]
"""A polynomial, sorted; one element is `(((), 1),)`."""
TRIES = 6
ELEMENT: Stride = (((), 1),)
RowUse = tuple[RawStatement, Subscript]


class Facts(Protocol):
    """What is known of the instances of statements."""

    def holds(self, raw: RawStatement, condition: str) -> bool:
        """Does a condition (isl's text) hold at every instance?"""

    def implied_by(self, raw: RawStatement, condition: str) -> str | None:
        """A condition on parameters (isl's text) under which it holds at every instance; None where none is plain."""


@dataclass(frozen=True, slots=True)
class ArrayLayout:
    """`strides` of the dimensions, outermost first, the last 1; `extents` of all but the first. `written`: elements
    must not have several names, which is so under `conditions` (isl's texts)."""

    strides: tuple[Stride, ...]
    extents: tuple[Affine, ...]
    parameters: frozenset[str]
    facts: Facts
    written: bool
    conditions: tuple[str, ...] = ()

    def values(self, raw: RawStatement, subscript: Subscript) -> tuple[Affine, ...] | None:
        """The subscript of each dimension; None where it may leave its row."""
        rows = self.rows(subscript)
        placed = self.within(raw, rows) if rows is not None else None
        return placed[0] if placed and set(placed[1]) <= set(self.conditions) else None

    def rows(self, subscript: Subscript) -> list[Affine] | None:
        """The subscript of each dimension, which may leave its row; None where it has other strides."""
        parts = _parts(subscript.polynomial, self.parameters)
        if parts is None:
            return None
        values = [Affine((), 0)] * len(self.strides)
        for index, factor in parts.items():
            rest: Polynomial = factor
            for dimension, stride in enumerate(self.strides):
                quotient, rest = divided(rest, dict(stride)) if stride != ELEMENT else (rest, {})
                value = affine_of(quotient)
                if value is None or (index and value.strides):
                    return None
                values[dimension] = values[dimension].plus(Affine.of(index).scaled(value.offset) if index else value)
        return values

    def within(self, raw: RawStatement, values: list[Affine]) -> tuple[tuple[Affine, ...], list[str]] | None:
        """The values with each in its row, innermost first, which may take a row from the dimension outside; with the
        conditions under which they are in it."""
        conditions: list[str] = []
        for dimension in range(len(values) - 1, 0, -1):
            row = self.extents[dimension - 1]
            shifted = [(n, isl_text(values[dimension].plus(row.scaled(n)))) for n in (0, 1, -1)]
            inside = [(n, f"0 <= {value} < {isl_text(row)}") for n, value in shifted]
            rows = next((n for n, condition in inside if self.facts.holds(raw, condition)), None)
            if rows is None and self.written:
                needed = self.facts.implied_by(raw, inside[0][1])
                if needed is None:
                    return None
                conditions.append(needed)
            if rows:
                values[dimension] = values[dimension].plus(row.scaled(rows))
                values[dimension - 1] = values[dimension - 1].plus(Affine((), -rows))
        return tuple(values), conditions


def layout_of(uses: Sequence[RowUse], parameters: frozenset[str], facts: Facts, written: bool) -> ArrayLayout | None:
    """The one layout that all `uses` of an array have, best without conditions."""
    found: ArrayLayout | None = None
    for strides in _strides(uses, parameters):
        extents = [_row_length(outer, inner) for outer, inner in itertools.pairwise(strides)]
        if not extents or None in extents:
            continue
        layout = ArrayLayout(strides, tuple(e for e in extents if e), parameters, facts, written)
        rows = [layout.rows(subscript) for _, subscript in uses]
        if None in rows:
            continue
        placed = [layout.within(raw, row) for (raw, _), row in zip(uses, rows) if row is not None]
        conditions = [c for each in placed if each is not None for c in each[1]]
        if None not in placed and not conditions:
            return layout
        if None not in placed and found is None:
            found = replace(layout, conditions=tuple(dict.fromkeys(conditions)))
    return found


def _strides(uses: Sequence[RowUse], parameters: frozenset[str]) -> Iterator[tuple[Stride, ...]]:
    """Strides to try, one of each degree: those of most indices first."""
    counts: Counter[Stride] = Counter()
    for _, subscript in uses:
        parts = _parts(subscript.polynomial, parameters)
        if parts is None:
            return
        counts.update(_sorted(positive(factor)) for index, factor in parts.items() if index)
    by_degree: defaultdict[int, dict[Stride, None]] = defaultdict(dict)
    for stride, _ in counts.most_common():
        by_degree[degree(dict(stride))][stride] = None
    for strides in by_degree.values():
        strides.update(dict.fromkeys(_sorted(primitive(dict(s))) for s in list(strides)))
    choices = [by_degree[d] for d in sorted(by_degree, reverse=True) if d]
    for chosen in itertools.islice(itertools.product(*choices), TRIES):
        yield (*chosen, ELEMENT)


def _sorted(p: Polynomial) -> Stride:
    return tuple(sorted(p.items()))


def _parts(p: Polynomial | None, parameters: frozenset[str]) -> dict[str, dict[Product, int]] | None:
    """The factor of each index, a polynomial in parameters, and of no index; None where indices are multiplied."""
    found: defaultdict[str, dict[Product, int]] = defaultdict(dict)
    for product, factor in (p or {}).items():
        indices = [name for name in product if name not in parameters]
        if len(indices) > 1:
            return None
        found[indices[0] if indices else ""][tuple(n for n in product if n in parameters)] = factor
    return None if p is None else dict(found)


def _row_length(outer: Stride, inner: Stride) -> Affine | None:
    """How many elements of `inner` one of `outer` has; None where that is no affine number of them."""
    quotient, remainder = divided(dict(outer), dict(inner))
    return None if remainder or not degree(quotient) else affine_of(quotient)
