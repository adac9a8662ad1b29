"""Terms of register estimates: amounts in a thread's code, as expressions or as numbers.

    demand  = base + max over regions of held            what must live at once
    wanted  = base + max over regions of (held + ahead)  with loads that may be issued early
    registers = min(most, max(demand, min(wanted, free(demand))))

`base` is of the whole function, `held` and `ahead` of each region: each is a sum of weights times terms. `free` is the
most registers that cost no occupancy beyond what `demand` costs: up to there ptxas issues loads early, further not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.gpu_thread import CodeRegion, ThreadCode

BASE = ("one", "arrays", "values", "pointers")
VALUES = 8  # named values that count; most of a long list do not live at once
HELD = (("hoisted_loads", 64), ("strided_loads", 32), ("shared_stores", 64))  # amounts, each up to a limit
AHEAD = (
    *(("global_load_words", 32), ("global_load_words", 256), ("shared_load_words", 32), ("shared_load_words", 256)),
    *(("arrays", 32), ("arrays", 256), ("strided_loads", 64), ("special", 16), ("global_loads", 32)),
)
AMOUNTS = tuple(dict.fromkeys(name for name, _ in (*HELD, *AHEAD)))


@dataclass(frozen=True, slots=True)
class RegisterTerms:
    """By the orders of BASE, HELD and AHEAD; `held` and `ahead` have a row a region."""

    base: tuple[Expr, ...]
    held: tuple[tuple[Expr, ...], ...]
    ahead: tuple[tuple[Expr, ...], ...]


def register_terms(kernel: GpuKernel, code: ThreadCode) -> RegisterTerms:
    """Of a kernel whose text was read. Where it has no local arrays, `accumulators` that are stated stand for them."""
    root, inside = _flattened(code.body)
    arrays = code.body.arrays
    if alg.number(arrays) == 0 and kernel.accumulators is not None:
        arrays = kernel.at(kernel.accumulators)
    regions = [*inside, {**root, "arrays": alg.lift(0)}]
    return RegisterTerms(
        base=(alg.lift(1), arrays, alg.minimum(code.body.values, VALUES), alg.lift(code.pointers // 2)),
        held=tuple(_limited(region, HELD) for region in regions),
        ahead=tuple(_limited(region, AHEAD) for region in regions),
    )


def _limited(amounts: dict[str, Expr], terms: Sequence[tuple[str, int]]) -> tuple[Expr, ...]:
    return tuple(alg.minimum(amounts[name], most) for name, most in terms)


def _flattened(region: CodeRegion) -> tuple[dict[str, Expr], list[dict[str, Expr]]]:
    """The amounts of all copies of the region, with those of loops in it that are unrolled whole; and of all regions in
    it, innermost first."""
    below: list[dict[str, Expr]] = []
    parts: list[tuple[Expr, dict[str, Expr]]] = []
    for loop in region.inside:
        amounts, further = _flattened(loop)
        below += [*further, amounts]
        parts.append((loop.whole, amounts))
    region_amounts: dict[str, Expr] = {name: getattr(region, name) for name in AMOUNTS}
    sums = {
        name: alg.add(region_amounts[name], *(alg.mul(whole, inner[name]) for whole, inner in parts))
        for name in AMOUNTS
    }
    return {name: alg.mul(region.copies, total) for name, total in sums.items()}, below
