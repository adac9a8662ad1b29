"""Whole numbers that are affine in loop indices: offset + sum of stride * index."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Affine:
    """`strides` by index, sorted, without zeros."""

    strides: tuple[tuple[str, int], ...]
    offset: int

    @classmethod
    def of(cls, index: str) -> Affine:
        return cls(((index, 1),), 0)

    def plus(self, other: Affine) -> Affine:
        sums = dict(self.strides)
        for index, stride in other.strides:
            sums[index] = sums.get(index, 0) + stride
        return Affine(tuple(sorted((i, s) for i, s in sums.items() if s)), self.offset + other.offset)

    def scaled(self, factor: int) -> Affine:
        if factor == 0:
            return Affine((), 0)
        return Affine(tuple((i, s * factor) for i, s in self.strides), self.offset * factor)

    def combined(self, operator: str, other: Affine) -> Affine | None:
        """The result of a C operator on whole numbers; None where that is not affine."""
        if operator == "+":
            return self.plus(other)
        if operator == "-":
            return self.plus(other.scaled(-1))
        if operator == "*" and not other.strides:
            return self.scaled(other.offset)
        if operator == "*" and not self.strides:
            return other.scaled(self.offset)
        if operator == "<<" and not other.strides and 0 <= other.offset < 31:
            return self.scaled(1 << other.offset)
        if self.strides or other.strides:
            return None
        a, b = self.offset, other.offset
        match operator:
            case "/" if b:
                quotient = abs(a) // abs(b)  # C rounds towards zero
                return Affine((), quotient if (a < 0) == (b < 0) else -quotient)
            case "%" if b:
                return Affine((), abs(a) % abs(b) * (-1 if a < 0 else 1))
        return None
