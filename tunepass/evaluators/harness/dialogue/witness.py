"""Could a program have been as fast as its samples say? What the clock of the parent makes of it.

    o_k   seconds from order number k to its answer, with waits for a core left out
    n_k   calls of this order
    m_k   median of its samples, seconds a call: of those that count, or of all where that is less
    e_k   seconds of an order of this length that does all but call
    x_k   o_k - e_k - n_k m_k, seconds that the samples do not explain
    l_k   slack: a share of n_k m_k, of what e_k is longer, and the delay of an answer
    r     seconds of a call all of whose inputs are new

Where x_k > l_k, the samples of this order count as longer by min(x_k, 2 (x_k - l_k)) / n_k: from twice the slack on,
the parent's clock counts alone. So samples that say too little gain no more than the slack, and a machine that is busy
accuses nobody. A program is accused only where three quarters of all orders take far longer than all of its samples
together. Also where r > 4 m + slack: the samples, in which few inputs changed, are no computation of all results.

Each sample is taken in one of these orders, and an order that is looked at is like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from tunepass.evaluators.measure.timing import Sample, counted

CALL_SHARE = 0.04  # interrupts, what calls do to the caches of what is done beside them
EMPTY_SHARE = 0.1  # of what is done beside calls, where that takes longer than the calls
LARGE_SHARE = 1.0  # the same of large outputs, in any case: restoring them misses caches only where calls are made
DELAY_S = 10e-6  # by which an answer may be later than that to an order without calls
FAR_CALL_SHARE, FAR_EMPTY_SHARE, FAR_S = 0.25, 0.5, 100e-6  # slack beyond which a program is accused
REFILLED_FACTOR = 4.0  # caches and branch predictors have to get used to new inputs
SLACK_S = 300e-6  # of a single order and its answer


def slow_refilled(refilled_s: float, call_s: float) -> bool:
    return refilled_s > REFILLED_FACTOR * call_s + SLACK_S


@dataclass(frozen=True, slots=True)
class Ordered:
    """Seconds of an order from outside, its calls, the numbers of its samples, and its share of a usual order."""

    outside_s: float
    calls: int
    samples: range
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Witness:
    """All orders by the parent's clock, and seconds of a usual one without calls."""

    orders: tuple[Ordered, ...]
    empty_s: float = 0.0
    large: bool = False  # outputs
    refilled_s: float = 0.0  # of a call all of whose inputs are new; 0 where there was none

    def corrected(self, samples: Sequence[Sample]) -> list[Sample]:
        """With the seconds that the parent's clock adds."""
        result, numbers = list(samples), frozenset(counted(samples))
        for order in self.orders:
            of_order = [samples[i].seconds for i in order.samples]
            which = [samples[i].seconds for i in order.samples if i in numbers]
            factor = self._factor(order, min(median(of_order), median(which or of_order)))
            for i in order.samples:
                result[i] = replace(samples[i], seconds=factor * samples[i].seconds)
        return result

    def _factor(self, order: Ordered, call_s: float) -> float:
        claimed_s, empty_s = order.calls * call_s, order.share * self.empty_s
        unexplained_s = order.outside_s - empty_s - claimed_s
        longer_s = empty_s if self.large else max(0.0, empty_s - claimed_s)
        share = LARGE_SHARE if self.large else EMPTY_SHARE
        over_s = unexplained_s - CALL_SHARE * claimed_s - share * longer_s - DELAY_S
        return 1 + max(0.0, min(unexplained_s, 2 * over_s)) / claimed_s

    def doubts(self, samples: Sequence[Sample]) -> str:
        """Why the samples cannot be true; empty where they can."""
        call_s = median(samples[i].seconds for i in counted(samples))
        if slow_refilled(self.refilled_s, call_s):
            return (
                f"its samples say {1000 * call_s:.6g} ms a call, but seen from outside, with inputs all of which "
                f"are new, it takes {1000 * self.refilled_s:.6g} ms"
            )
        far = [(self._far_s(order, claimed), claimed, order.outside_s) for order, claimed in self._claimed(samples)]
        if not far or sorted(far)[len(far) // 4][0] <= FAR_S:
            return ""
        inside, outside = (1000 * median(seconds) for seconds in list(zip(*far))[1:])
        return (
            f"its samples say {inside:.6g} ms of calls in an order, but seen from outside it takes {outside:.6g} ms, "
            f"{1000 * self.empty_s:.6g} ms of it without calls"
        )

    def _claimed(self, samples: Sequence[Sample]) -> list[tuple[Ordered, float]]:
        """Seconds of all calls of each order, as its samples have it, waits included."""
        return [
            (order, order.calls * sum(samples[i].seconds for i in order.samples) / len(order.samples))
            for order in self.orders
        ]

    def _far_s(self, order: Ordered, claimed_s: float) -> float:
        empty_s = order.share * self.empty_s
        return order.outside_s - (1 + FAR_EMPTY_SHARE) * empty_s - (1 + FAR_CALL_SHARE) * claimed_s
