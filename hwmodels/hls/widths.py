"""Designs whose types have widths that are parameters: priced once for each combination, and told as one.

The widths of sums and products follow from those of what goes in, by the rules of ap_int.h and ap_fixed.h, so what a
function is made of is read anew for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import INTEGER, Expr, Name
from tunepass.hwmodels.base import Costs, EstimatePart
from tunepass.ir.hls import HlsKernel, HlsVariant

Values = tuple[tuple[str, int], ...]
Cases = Sequence[tuple[Values, Expr]]


def by_width(kernel: HlsKernel, price: Callable[[HlsKernel], Costs]) -> Costs:
    """The costs of the kernel, of all its variants where it has some."""
    if not kernel.variants:
        return price(kernel)
    return joined(kernel.variants, [price(variant.body) for variant in kernel.variants])


def joined(variants: Sequence[HlsVariant], costs: Sequence[Costs]) -> Costs:
    """One answer for all variants; tables of parts only where all have the same parts."""
    first = costs[0]

    def of(pick: Callable[[Costs], Expr]) -> Expr:
        return choice([(variant.values, pick(cost)) for variant, cost in zip(variants, costs)])

    return Costs(
        values={name: of(lambda c, name=name: c.values[name]) for name in first.values},  # type: ignore[misc]
        units=first.units,
        fits=of(lambda c: c.fits),
        limits=first.limits,
        timing=_parts(variants, [c.timing for c in costs]),
        areas=_parts(variants, [c.areas for c in costs]),
        name=first.name,
        within_fit=of(lambda c: c.within_fit),
        expected=first.expected,
        effort=of(lambda c: c.effort),
    )


def choice(cases: Cases) -> Expr:
    """The expression of the case whose values the parameters have; all combinations are there, in order."""
    expressions = [e for _, e in cases]
    if all(e == expressions[0] for e in expressions):
        return expressions[0]
    (name, _), *_ = cases[0][0]
    by_value: dict[int, list[tuple[Values, Expr]]] = {}
    for ((_, value), *rest), e in cases:
        by_value.setdefault(value, []).append((tuple(rest), e))
    return _by_halves(Name(name, INTEGER), [(value, choice(inner)) for value, inner in sorted(by_value.items())])


def _by_halves(x: Expr, rows: Sequence[tuple[int, Expr]]) -> Expr:
    if all(e == rows[0][1] for _, e in rows):
        return rows[0][1]
    half = len(rows) // 2
    return alg.where(alg.compare(x, "<", rows[half][0]), _by_halves(x, rows[:half]), _by_halves(x, rows[half:]))


def _parts(variants: Sequence[HlsVariant], parts: Sequence[tuple[EstimatePart, ...]]) -> tuple[EstimatePart, ...]:
    if len({tuple(_form(p) for p in of_one) for of_one in parts}) > 1:
        return ()
    return tuple(_part(variants, same) for same in zip(*parts))


def _form(part: EstimatePart) -> tuple[object, ...]:
    shares = part.times is None, part.overlap is None, part.combine
    return part.label, part.depth, tuple(part.values), *shares


def _part(variants: Sequence[HlsVariant], same: Sequence[EstimatePart]) -> EstimatePart:
    first = same[0]

    def of(column: Sequence[Expr | None]) -> Expr | None:
        present = [(variant.values, e) for variant, e in zip(variants, column) if e is not None]
        return choice(present) if present else None

    values: Mapping[str, Expr] = {
        name: choice([(v.values, p.values[name]) for v, p in zip(variants, same)]) for name in first.values
    }
    return EstimatePart(
        first.label, first.depth, values, first.span, of([p.times for p in same]), of([p.overlap for p in same]),
        first.combine,
    )  # fmt: skip
