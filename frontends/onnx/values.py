"""What a value of an ONNX model is while the model is followed: a tensor of the graph, or a constant."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.values import TensorValue
from tunepass.graphs.values import product
from tunepass.ir.graph import Shape

Written = tuple[int | None, ...]
"""A shape as the file has it, before anything varies; None: a size with a name."""


@dataclass(frozen=True, slots=True)
class Constant:
    """An initializer, or what is computed of such and of shapes. `items` are its numbers, in C order, where they are
    known: expressions over the parameters. `root` is the initializer that it is a view of; `weight`: of its weights."""

    root: str
    dims: Shape
    items: tuple[Expr, ...] | None = None
    element: str = "int64"
    weight: bool = False

    @property
    def real(self) -> bool:
        return "float" in self.element

    def shaped(self, dims: Shape) -> Constant:
        return replace(self, dims=dims)


Held = TensorValue | Constant


def known(items: Sequence[Expr | int], dims: Shape | None = None, element: str = "int64") -> Constant:
    """Numbers that were computed: a vector, unless `dims` says otherwise."""
    lifted = tuple(algebra.lift(item) for item in items)
    return Constant("", (algebra.lift(len(lifted)),) if dims is None else dims, lifted, element)


def written(shape: Shape) -> Written:
    sizes = (algebra.number(size) for size in shape)
    return tuple(None if size is None else int(size) for size in sizes)


def count(shape: Shape) -> int | None:
    """How many elements there are, where no parameter decides."""
    number = algebra.number(product(shape))
    return None if number is None else int(number)


def fitted(shape: Shape, before: Written, now: Shape) -> Shape:
    """The shape of a constant that is broadcast with a tensor whose shape was `before` in the file and is `now`: sizes
    that were the tensor's still are."""
    offset = len(now) - len(shape)
    found = []
    for axis, size in enumerate(shape):
        at = axis + offset
        same = at >= 0 and before[at] is not None and before[at] != 1 and algebra.number(size) == before[at]
        found.append(now[at] if same else size)
    return tuple(found)


PRIMES = (1_000_003, 1_000_033, 1_000_037, 1_000_039, 1_000_081, 1_000_099, 1_000_117, 1_000_121)
"""Stand for the sizes that have names, so that they can be told in products."""


def regrouped(target: Sequence[Expr], copied: Collection[int], before: Written, now: Shape) -> tuple[Expr, ...] | None:
    """The target of a reshape where the input's shape was `before` in the file and is `now`: runs of sizes of the input
    become runs of sizes of the target, and where a run's product changed one size takes the change. `copied` are the
    places whose size is the input's. None where the target's numbers are no such runs."""
    if sum(size is None for size in before) > len(PRIMES):
        return None
    primes = iter(PRIMES)
    old = [next(primes) if size is None else size for size in before]
    sizes = []
    for k, size in enumerate(target):
        number = algebra.number(size)
        if number is None and k not in copied:
            return None
        sizes.append(old[k] if k in copied else int(number or 0))
    total, open_at = math.prod(old), sizes.index(-1) if sizes.count(-1) == 1 else None
    if open_at is not None:
        rest = -math.prod(sizes)
        if rest <= 0 or total % rest:
            return None
        sizes[open_at] = total // rest
    if math.prod(sizes) != total or total == 0 or min(sizes, default=1) < 1:
        return None
    found: list[Expr] = []
    for first, last in _runs(old, sizes):
        (i0, j0), (i, j) = first, last
        at = open_at - j0 if open_at is not None and j0 <= open_at < j else None
        part = _run(sizes[j0:j], old[i0:i], list(now[i0:i]), at)
        if part is None:
            return None
        found += part
    return tuple(found)


def _runs(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """The shortest runs of both, from place to place, whose products are equal; those of all are."""
    i = j = 0
    while i < len(old) or j < len(new):
        begin, left, right = (i, j), 1, 1
        while (i, j) == begin or left != right or (i == begin[0] and i < len(old)) or (j == begin[1] and j < len(new)):
            if i < len(old) and (left <= right or j >= len(new)) and not (left == right and i > begin[0]):
                left, i = left * old[i], i + 1
            else:
                right, j = right * new[j], j + 1
        yield begin, (i, j)


def _run(sizes: list[int], old: list[int], now: list[Expr], open_at: int | None) -> list[Expr] | None:
    if not sizes:
        return []
    if sizes == old:
        return now
    if all(algebra.number(size) == number for size, number in zip(now, old)):
        return [algebra.lift(size) for size in sizes]
    named = [k for k, size in enumerate(sizes) if any(size % prime == 0 for prime in PRIMES)]
    if len(named) > 1:
        return None
    at = named[0] if named else len(sizes) - 1 if open_at is None else open_at
    whole, others = product(now), math.prod(size for k, size in enumerate(sizes) if k != at)
    rest = algebra.floordiv(whole, others) if others > 1 else whole
    return [algebra.lift(size) if k != at else rest for k, size in enumerate(sizes)]
