"""Could a program have been as fast as its samples say? What the clock of the parent makes of it.

    m     median of the samples, seconds a call
    w_i   seconds a call of the i-th batch that the parent timed, from its order to the answer
    w     the least of the w_i; where these are the samples themselves, what a quarter of them is below
    r     seconds of a call all of whose inputs are new

Samples say too little where w > factor m + slack: a call cannot take longer, time and again, than most calls do. Also
where r > 4 m + slack: the samples, in which few inputs changed, are no computation of all results.

The last call of a batch is looked at, and the program does not know which that is: none can be left out. One batch
that is quick enough does, in any measurement of the same program: on a busy machine most of them lose a time slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

BATCH_FACTOR = 1.4  # of averages over a batch, in which interruptions and the change of inputs count
SINGLE_FACTOR = 1.1
REFILLED_FACTOR = 4.0  # caches and branch predictors have to get used to new inputs
SLACK_S = 300e-6  # of an order and its answer


@dataclass(frozen=True, slots=True)
class Witness:
    """`batches` are seconds a call, of batches of `calls` calls."""

    batches: tuple[float, ...]
    calls: int = 1
    empty_s: float = 0.0  # of a batch that went by without calls
    single: bool = False  # these are the samples themselves
    refilled_s: float = 0.0  # of a call all of whose inputs are new; 0 where there was none

    @property
    def least_s(self) -> float:
        ordered = sorted(self.batches)
        return ordered[len(ordered) // 4 if self.single else 0]

    def and_later(self, seconds: Sequence[float]) -> Witness:
        """With further batches, which took `seconds`."""
        more = tuple(max(0.0, took - self.empty_s) / self.calls for took in seconds)
        return replace(self, batches=self.batches + more)

    def of(self, samples: Sequence[int]) -> Witness:
        """What was seen of these samples, where it was them that were seen: on a machine that changes its speed the
        fast ones may be few, and say nothing of the others."""
        return replace(self, batches=tuple(self.batches[i] for i in samples)) if self.single else self

    def doubts(self, median_s: float, earlier: Sequence[Witness] = ()) -> str:
        """Why the samples, of which this is the median, cannot be true; empty where they can. `earlier`: what was seen
        in other measurements of the same program."""
        if self.refilled_s > REFILLED_FACTOR * median_s + SLACK_S:
            return (
                f"its samples say {1000 * median_s:.6g} ms a call, but seen from outside, with inputs all of which "
                f"are new, it takes {1000 * self.refilled_s:.6g} ms"
            )
        if any(seen.confirms(median_s) for seen in (self, *(each for each in earlier if not each.single))):
            return ""
        return (
            f"its samples say {1000 * median_s:.6g} ms a call, but seen from outside a call takes "
            f"{1000 * self.least_s:.6g} ms at least"
        )

    def confirms(self, median_s: float) -> bool:
        factor = SINGLE_FACTOR if self.single else BATCH_FACTOR
        return not self.batches or self.least_s <= factor * median_s + SLACK_S / self.calls
