"""Evaluation of index expressions with NumPy: the expression multiplied out, product by product.

Each product is summed over its own index variables that are not the result's. Of a product with sparse factors only
the entries of one of them are visited.

| symbol | meaning |
|---|---|
| n | entries of the sparse factor that is visited |
| R | combinations of the index variables that it does not have |
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import TunepassError
from tunepass.ir.tensor import Access, Assignment, Binary, Negation, Number, TensorExpr, accesses
from tunepass.tensors.data.stored import Values

Ints = NDArray[np.int64]
AT_ONCE = 1 << 20  # elements of an intermediate array
MOST_AT_ONCE = 1 << 25  # where it cannot be divided


class NotComputed(TunepassError):
    """The expression is outside of what is computed here."""


@dataclass(frozen=True, slots=True, eq=False)
class SparseEntries:
    """Entries of a sparse tensor: entry e stands at `indices[:, e]`, (modes, n); values (n,). Others are zero."""

    indices: Ints
    values: Values


@dataclass(frozen=True, slots=True, eq=False)
class Some:
    """The coordinates of one index variable of the result for which it is computed, ascending."""

    variable: str
    coordinates: Ints


Operand = Values | SparseEntries  # dense ones by mode


@dataclass(frozen=True, slots=True)
class Product:
    """`coefficient` times the factors, over the divisors."""

    coefficient: int | float = 1
    factors: tuple[Access, ...] = ()
    divisors: tuple[TensorExpr, ...] = ()

    def variables(self) -> tuple[str, ...]:
        over = (access for divisor in self.divisors for access in accesses(divisor))
        return tuple(dict.fromkeys(v for access in (*self.factors, *over) for v in access.index))


def products(expression: TensorExpr) -> tuple[Product, ...]:
    """The products whose sum the expression is."""
    match expression:
        case Access():
            return (Product(factors=(expression,)),)
        case Number(value):
            return (Product(value),)
        case Negation(operand):
            return tuple(replace(p, coefficient=-p.coefficient) for p in products(operand))
        case Binary("+", left, right):
            return products(left) + products(right)
        case Binary("-", left, right):
            return products(left) + products(Negation(right))
        case Binary("*", left, right):
            return tuple(_multiplied(one, other) for one in products(left) for other in products(right))
        case Binary(_, left, right):
            return tuple(replace(p, divisors=(*p.divisors, right)) for p in products(left))
    raise NotComputed(f"no expression: {expression!r}")


def _multiplied(one: Product, other: Product) -> Product:
    return Product(one.coefficient * other.coefficient, one.factors + other.factors, one.divisors + other.divisors)


def work(assignment: Assignment, operands: Mapping[str, Operand], extents: Mapping[str, int]) -> int:
    """Multiplications that `evaluate` makes."""
    total = 0
    for product in products(assignment.right):
        driver = _driver(product, operands)
        bound = set(driver.index) if driver else set()
        visited = _entries(operands, driver).values.size if driver else 1
        total += visited * math.prod(extents[v] for v in product.variables() if v not in bound)
    return total


def evaluate(
    assignment: Assignment,
    operands: Mapping[str, Operand],
    extents: Mapping[str, int],
    start: Operand,
    some: Some | None = None,
) -> Values:
    """The result, shaped as `start`, which it is added to; of a sparse one the values of its entries. With `some` it is
    right at those coordinates alone. Raises NotComputed."""
    values = np.array(start.values if isinstance(start, SparseEntries) else start)
    flat = values.reshape(-1)
    sizes = [extents[v] for v in assignment.left.index]
    stored = _Numbered.of(start, sizes) if isinstance(start, SparseEntries) else None
    for product in products(assignment.right):
        driver = _driver(product, operands)
        for keys, added in _parts(_Visit(assignment.left.index, product, driver, operands, extents, some)):
            if stored is not None:
                places, there = stored.find(keys)
                keys, added = places[there], added[there]
            np.add.at(flat, keys, added.astype(flat.dtype))
    return values


@dataclass(frozen=True, slots=True)
class _Visit:
    left: tuple[str, ...]
    product: Product
    driver: Access | None
    operands: Mapping[str, Operand]
    extents: Mapping[str, int]
    some: Some | None

    def coordinates_of(self, variable: str) -> Ints:
        if self.some is not None and variable == self.some.variable:
            return self.some.coordinates
        return np.arange(self.extents[variable])


def _parts(visit: _Visit) -> Iterator[tuple[Ints, Values]]:
    """Flat indices of the result and what is added there, a piece of the entries at a time."""
    bound, values = _bound_entries(visit)  # each (n,)
    used = visit.product.variables()
    rest = [v for v in dict.fromkeys((*visit.left, *used)) if v not in bound]
    axes = {v: k for k, v in enumerate(rest)}
    grid = {v: _along(visit.coordinates_of(v), k + 1, len(rest) + 1) for v, k in axes.items()}
    shape = tuple(g.size for g in grid.values())
    if math.prod(shape) > MOST_AT_ONCE:
        raise NotComputed(f"{', '.join(rest)} have {math.prod(shape):,} combinations")
    step = max(1, AT_ONCE // max(1, math.prod(shape)))
    for first in range(0, values.size, step):
        part = slice(first, first + step)
        at = {v: _along(c[part], 0, len(rest) + 1) for v, c in bound.items()} | grid
        whole = (values[part].size, *shape)
        computed = np.broadcast_to(_computed(visit, at, _along(values[part], 0, len(rest) + 1)), whole)
        summed = tuple(axes[v] + 1 for v in rest if v not in visit.left)
        keys = _numbers([at[v] for v in visit.left], [visit.extents[v] for v in visit.left])
        extents = tuple(1 if k in summed else extent for k, extent in enumerate(whole))
        yield np.broadcast_to(keys, extents).reshape(-1), computed.sum(axis=summed, keepdims=True).reshape(-1)


def _bound_entries(visit: _Visit) -> tuple[dict[str, Ints], Values]:
    """Coordinates by variable and values of the visited factor's entries; of none, one entry that is 1."""
    if visit.driver is None:
        return {}, np.ones(1, np.int64)
    entries = _entries(visit.operands, visit.driver)
    bound: dict[str, Ints] = {}
    mask = np.ones(entries.values.size, bool)
    for variable, index in zip(visit.driver.index, entries.indices):
        mask &= index == bound.setdefault(variable, index)
    if visit.some is not None and visit.some.variable in bound:
        mask &= np.isin(bound[visit.some.variable], visit.some.coordinates)
    return {v: c[mask].astype(np.int64) for v, c in bound.items()}, entries.values[mask]


def _computed(visit: _Visit, at: Mapping[str, Ints], values: Values) -> Values:
    """The product at these coordinates; `values` are those of the visited factor."""
    product: Values = values * np.asarray(visit.product.coefficient)
    skipped = False
    for access in visit.product.factors:
        if access is visit.driver and not skipped:
            skipped = True
        else:
            product = product * _looked_up(visit, access, at)
    for divisor in visit.product.divisors:
        product = _divided(product, _value(visit, divisor, at))
    return product


def _value(visit: _Visit, expression: TensorExpr, at: Mapping[str, Ints]) -> Values:
    """A divisor, element by element."""
    match expression:
        case Access():
            return _looked_up(visit, expression, at)
        case Number(value):
            return np.asarray(value)
        case Negation(operand):
            return -_value(visit, operand, at)
        case Binary(operator, left, right):
            one, other = _value(visit, left, at), _value(visit, right, at)
            match operator:
                case "+":
                    return one + other
                case "-":
                    return one - other
                case "*":
                    return one * other
            return _divided(one, other)
    raise NotComputed(f"no expression: {expression!r}")


def _divided(one: Values, other: Values) -> Values:
    """As C divides: whole numbers towards zero."""
    if one.dtype.kind == "i" and other.dtype.kind == "i":
        quotient = np.abs(one) // np.abs(other)
        return np.where((one < 0) != (other < 0), -quotient, quotient)
    return np.asarray(one / other, np.float64)


def _looked_up(visit: _Visit, access: Access, at: Mapping[str, Ints]) -> Values:
    operand = visit.operands[access.tensor]
    if not isinstance(operand, SparseEntries):
        return operand[tuple(at[v] for v in access.index)]
    sizes = [visit.extents[v] for v in access.index]
    if not operand.values.size:
        return np.zeros((), operand.values.dtype)
    places, there = _Numbered.of(operand, sizes).find(_numbers([at[v] for v in access.index], sizes))
    return np.where(there, operand.values[places], 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Numbered:
    """Entries sorted by one number each; `order` says which they are."""

    numbers: Ints
    order: Ints

    @classmethod
    def of(cls, entries: SparseEntries, sizes: Sequence[int]) -> _Numbered:
        if math.prod(sizes) >= 2**62:
            raise NotComputed("the coordinates are too many to be numbered")
        numbers = _numbers(list(entries.indices.astype(np.int64)), sizes)
        order = np.argsort(numbers, kind="stable")
        return cls(numbers[order], order)

    def find(self, keys: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """For each number an entry, and whether it is that number's."""
        if not self.numbers.size:
            return np.zeros(keys.shape, np.int64), np.zeros(keys.shape, bool)
        near = np.minimum(np.searchsorted(self.numbers, keys), self.numbers.size - 1)
        return self.order[near], self.numbers[near] == keys


def _numbers(indices: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    numbers = np.zeros((), np.int64)
    for index, size in zip(indices, sizes):
        numbers = numbers * size + index
    return numbers


def _along(values: Values, axis: int, axes: int) -> NDArray[np.int64]:
    return values.reshape([-1 if k == axis else 1 for k in range(axes)])  # type: ignore[return-value]


def _driver(product: Product, operands: Mapping[str, Operand]) -> Access | None:
    """The sparse factor with the fewest entries."""
    sparse = [access for access in product.factors if isinstance(operands[access.tensor], SparseEntries)]
    return min(sparse, key=lambda access: _entries(operands, access).values.size, default=None)


def _entries(operands: Mapping[str, Operand], access: Access) -> SparseEntries:
    entries = operands[access.tensor]
    assert isinstance(entries, SparseEntries)
    return entries
