"""Variants of one kernel for several sizes: the values of its scalar arguments that it is called with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tunepass.expr.algebra import substitute
from tunepass.expr.nodes import Expr
from tunepass.ir.kernel import Kernel
from tunepass.space.constraint import Constraint

Size = tuple[tuple[str, int | float], ...]  # values of scalars, by name

FAR = 4  # times: what is farther than this from every size that was tuned has the default configuration


def size_text(size: Size) -> str:
    """`n=256, m=64`."""
    return ", ".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in size)


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedVariants:
    """`variants` are scheduled kernels; the last is the default configuration. `numbers` says which of them each of
    `sizes` has, `conditions` where each of them may be used: over the scalars, True: everywhere."""

    variants: tuple[Kernel, ...]
    sizes: tuple[Size, ...]
    numbers: tuple[int, ...]
    conditions: tuple[Expr, ...]

    @property
    def default(self) -> int:
        return len(self.variants) - 1


def nearest_number(variants: SizedVariants, size: Size) -> int:
    """The variant for any size, its condition left aside: that of the nearest of the tuned sizes, by the sum of the
    squared log2 of the ratios; the first of two as near. What a dispatcher's C text computes too."""
    values = [float(value) for _, value in size]
    if any(value <= 0 for value in values):
        return variants.default
    best, number = float("inf"), variants.default
    for tuned, index in zip(variants.sizes, variants.numbers):
        steps = [binary_log(value) - binary_log(float(known)) for value, (_, known) in zip(values, tuned)]
        distance = sum(step * step for step in steps)
        if distance < best and all(abs(step) <= binary_log(FAR) for step in steps):
            best, number = distance, index
    return number


def binary_log(value: float) -> float:
    """log2 of a positive number, straight between powers of two: the same in C, without a library."""
    whole = 0
    while value >= 2:
        value, whole = value / 2, whole + 1
    while value < 1:
        value, whole = value * 2, whole - 1
    return whole + (value - 1)


def constraints_at(constraints: Sequence[Constraint], scalars: Mapping[str, Expr]) -> tuple[Constraint, ...]:
    """The constraints with these values in the place of the sizes that they name."""
    return tuple(
        c if c.written is None else replace(c, expression=substitute(c.written, dict(scalars))) for c in constraints
    )


def common_names(sizes: Sequence[Size]) -> tuple[str, ...]:
    """The scalars that the sizes are made of: the same for each of them."""
    return tuple(name for name, _ in sizes[0]) if sizes else ()
