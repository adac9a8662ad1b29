"""Dependences between iterations of a loop, and their distances.

A store of iteration i and a load of iteration i + k are of one address when, in each dimension,
    c k = (offset of the store - offset of the load) + what loops inside the loop add to either
has a solution; c is the elements that one iteration moves the address by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.nest import Nest, Placed
from tunepass.ir.hls import HlsLoop, HlsSubscript


@dataclass(frozen=True, slots=True)
class Carried:
    """`store` feeds `load`, `distance` iterations of the loop later."""

    store: Placed
    load: Placed
    distance: int


def carried(nest: Nest, loop: HlsLoop) -> tuple[Carried, ...]:
    """The flow dependences that the loop carries, through arrays and through scalars that live on."""
    placed = nest.placed(loop)
    stores = nest.stores(loop)
    loads = [p for p in placed if p.operation.name == "load"]
    dependences = []
    for store in stores:
        array = store.operation.array
        assert array is not None
        if array in loop.independent or private(nest, loop, array):
            continue
        for load in loads:
            if load.operation.array == array:
                distance = _distance(nest, loop, store, load)
                if distance is not None:
                    dependences.append(Carried(store, load, distance))
    return tuple(dependences)


def private(nest: Nest, loop: HlsLoop, array: str) -> bool:
    """Does each iteration write the scalar before it reads it?"""
    if nest.kernel.array(array).dims:
        return False
    first = next((p for p in nest.placed(loop) if p.operation.array == array), None)
    return first is not None and first.operation.name == "store" and not first.operation.guarded


def parallel(nest: Nest, loop: HlsLoop) -> bool:
    """May iterations run side by side? Not if one needs another's result, or two write one place."""
    if carried(nest, loop):
        return False
    placed = nest.placed(loop)
    outer = {around.name for around in (*nest.around[loop.name], loop)}
    stores = [p for p in nest.stores(loop) if p.operation.array not in loop.independent]
    for store in stores:
        array = store.operation.array
        assert array is not None
        if any(_indices(p, outer) != _indices(store, outer) for p in placed if p.operation.array == array):
            return False  # tools do not tell such accesses apart
        if not private(nest, loop, array) and _distance(nest, loop, store, store) is not None:
            return False
    return True


def _indices(placed: Placed, outer: set[str]) -> tuple[frozenset[str], ...]:
    """Loops among `outer` that index each dimension."""
    return tuple(
        frozenset(name for name, _ in subscript.terms if name in outer) for subscript in placed.operation.subscripts
    )


def _distance(nest: Nest, loop: HlsLoop, store: Placed, load: Placed) -> int | None:
    least, most = 1, float("inf")
    inside = {inner.name: inner for inner in nest.inside(loop)}
    for left, right in zip(store.operation.subscripts, load.operation.subscripts):
        if not (left.affine and right.affine):
            continue
        low, high, step = _gap(nest, loop, inside, left, right)
        if step == 0:
            if low > 0 or high < 0:
                return None
            continue
        if step < 0:
            low, high, step = -high, -low, -step
        least = max(least, math.ceil(low / step)) if low > -math.inf else least
        most = min(most, math.floor(high / step)) if high < math.inf else most
    trip = value(nest.most(loop))
    return least if least <= most and (trip is None or least < trip) else None


def _gap(
    nest: Nest, loop: HlsLoop, inside: dict[str, HlsLoop], store: HlsSubscript, load: HlsSubscript
) -> tuple[float, float, float]:
    """(low, high) of the right-hand side of the equation above, and c; unbounded where it is not known."""
    here, there = _coefficient(store, loop.name), _coefficient(load, loop.name)
    offset = value(alg.sub(store.offset, load.offset))
    outer = {name for name, _ in (*store.terms, *load.terms)} - inside.keys() - {loop.name}
    same = all(_coefficient(store, name) == _coefficient(load, name) for name in outer)
    if here != there or here is None or offset is None or not same:
        return -math.inf, math.inf, here or there or 0
    low = high = float(offset)
    for inner in inside.values():
        for subscript, sign in ((store, 1), (load, -1)):
            reach = _reach(nest, inner, subscript, sign)
            low, high = low + min(0.0, reach), high + max(0.0, reach)
    return low, high, here


def _reach(nest: Nest, inner: HlsLoop, subscript: HlsSubscript, sign: int) -> float:
    coefficient = _coefficient(subscript, inner.name)
    if coefficient == 0:
        return 0.0
    trip = value(nest.most(inner))
    return math.inf if coefficient is None or trip is None else sign * coefficient * (trip - 1)


def _coefficient(subscript: HlsSubscript, loop: str) -> float | None:
    """None where it is no number."""
    return next((value(step) for name, step in subscript.terms if name == loop), 0)


def value(e: Expr) -> float | None:
    number = alg.number(e)
    return None if number is None else float(number)
