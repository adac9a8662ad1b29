"""Sizes that constraints over scalars alone allow, in place of regular ones that they exclude."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tunepass.expr.numpy_ops import Mask
from tunepass.ir.c_kernel import Size

REMAINDERS = 16  # sizes that follow one another: the widest unrolled loops and vectors leave every remainder
SCANNED = 1 << 12  # sizes, the smallest and the largest, that constraints are tried at
LARGER = 16 * REMAINDERS  # numbers above the tuned ones that they are tried at


@dataclass(frozen=True, slots=True)
class AllowedSizes:
    """Sizes that constraints over scalars allow, by the largest scalar, in ascending order; `above` are larger ones
    than the tuned size, of which they may exclude some."""

    sizes: Mapping[int, Size]
    above: Sequence[Size]

    @classmethod
    def of(
        cls,
        free: Mapping[str, int],
        largest: int,
        at: Callable[[int], Size],
        called: Callable[[Sequence[Size]], Mask],
    ) -> AllowedSizes:
        """The regular ones, and such in which numbers that differ do so by a multiple of REMAINDERS."""
        ranks = {value: rank for rank, value in enumerate(sorted(set(free.values()), reverse=True))}

        def spaced(s: int) -> Size:
            by = {name: REMAINDERS * ranks[value] for name, value in free.items()}
            return tuple((n, max(1, min(value - REMAINDERS - by[n], s - by[n]))) for n, value in free.items())

        tried = [*range(1, min(largest, SCANNED) + 1), *range(max(SCANNED, largest - SCANNED) + 1, largest + 1)]
        first: dict[int, Size] = {}
        for sizes in ([at(s) for s in tried], [spaced(s) for s in tried]):
            for s, size, is_called in zip(tried, sizes, called(sizes)):
                if is_called:
                    first.setdefault(s, size)
        above: list[Size] = [tuple((name, value + by) for name, value in free.items()) for by in range(1, LARGER + 1)]
        return cls(dict(sorted(first.items())), above)

    def at(self, s: int) -> Size:
        """The largest one up to s, else the smallest."""
        known = list(self.sizes)
        return self.sizes[known[max(0, bisect_right(known, s) - 1)]]

    def some(self) -> list[int]:
        """The smallest and the largest."""
        known = list(self.sizes)
        return [*known[:REMAINDERS], *known[-REMAINDERS:]]

    def excluded(self, tuned: int) -> tuple[int, ...]:
        """Remainders that no size leaves."""
        left = {max(int(v) for _, v in size) % REMAINDERS for size in self.sizes.values()} | {tuned % REMAINDERS}
        return tuple(r for r in range(REMAINDERS) if r not in left)
