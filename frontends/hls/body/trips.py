"""How often a loop runs whose count is affine in the iterations of the loops around it: in the mean, and at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.hls.body.linear import Linear

ITERATIONS = 100_000  # of loops around that are gone through one by one


@dataclass(frozen=True, slots=True)
class ActiveLoop:
    """A loop around what is read: its name in the kernel, its iterations in the mean and at most; `count` of them by
    the loops around, where that is affine."""

    name: str
    trip: Expr
    most: Expr
    count: Linear | None


def most_of(count: Linear, loops: Sequence[ActiveLoop]) -> Expr:
    """The largest value while the loops run."""
    most = {loop.name: loop.most for loop in loops}
    terms: list[Expr] = [count.offset]
    for name, e in count.terms:
        step = algebra.number(e)
        if step is not None and step <= 0:
            continue
        moved = algebra.mul(e, algebra.sub(most.get(name, algebra.lift(1)), 1))
        terms.append(moved if step is not None else algebra.maximum(moved, 0))
    return _positive(algebra.add(*terms))


def mean_of(count: Linear, loops: Sequence[ActiveLoop]) -> Expr:
    """The mean over all iterations of the loops around."""
    around = {loop.name: loop for loop in loops}
    if not count.terms:
        return _positive(count.offset)
    exact = _counted(count, [loop for loop in loops if loop.name in _needed(count, around)], around)
    if exact is not None:
        return algebra.lift(int(exact) if exact == int(exact) else exact)
    terms = [count.offset]
    for name, e in count.terms:
        trip = around[name].trip if name in around else algebra.lift(1)
        terms.append(algebra.div(algebra.mul(e, algebra.sub(trip, 1)), 2))
    return _positive(algebra.add(*terms))


def _positive(e: Expr) -> Expr:
    number = algebra.number(e)
    return e if number is None else algebra.lift(max(0, number))


def _needed(count: Linear, around: Mapping[str, ActiveLoop]) -> frozenset[str]:
    """The loops that it depends on, and those that these depend on."""
    needed, waiting = set[str](), list(count.loops)
    while waiting:
        name = waiting.pop()
        loop = around.get(name)
        if loop is None or name in needed:
            continue
        needed.add(name)
        waiting += loop.count.loops if loop.count is not None else ()
    return frozenset(needed)


def _counted(count: Linear, loops: Sequence[ActiveLoop], around: Mapping[str, ActiveLoop]) -> float | None:
    """Going through all iterations of the loops; None where their counts are no numbers, or too many."""
    known = [loop.count if loop.count is not None else Linear(loop.trip) for loop in loops]
    forms = [_numeric(linear) for linear in (*known, count)]
    if any(form is None for form in forms):
        return None
    product = 1.0
    for loop in loops:
        most = algebra.number(loop.most)
        product *= max(1.0, float(most)) if most is not None else ITERATIONS
    if product > ITERATIONS:
        return None
    at: dict[str, int] = {}

    def total(depth: int) -> tuple[float, int]:
        offset, terms = forms[depth]  # type: ignore[misc]
        value = max(0, offset + sum(k * at.get(name, 0) for name, k in terms))
        if depth == len(loops):
            return value, 1
        whole, times = 0.0, 0
        for iteration in range(int(value)):
            at[loops[depth].name] = iteration
            inside = total(depth + 1)
            whole, times = whole + inside[0], times + inside[1]
        return whole, times

    whole, times = total(0)
    return whole / times if times else 0.0


def _numeric(linear: Linear) -> tuple[float, tuple[tuple[str, float], ...]] | None:
    offset = algebra.number(linear.offset)
    terms = [(name, algebra.number(e)) for name, e in linear.terms]
    if offset is None or any(k is None for _, k in terms):
        return None
    return offset, tuple((name, k) for name, k in terms if k is not None)
