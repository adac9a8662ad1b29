"""Could a program have been as fast as its samples say? What the clock of the parent makes of it.

    o_k   seconds from order number k to its answer, with waits for a core left out
    s_k   seconds of the calls of this order, as the program says
    e     seconds of an order that does all but call
    m     median of the samples, seconds a call
    i_k   how often the core was taken away during order k
    r     seconds of a call all of whose inputs are new

Samples say too little where the median over k of o_k - e - FACTOR s_k - COLD_S i_k is above a share of e and the delay
of an answer. Also where r > 4 m + slack: the samples, in which few inputs changed, are no computation of all results.

Each sample is taken in one of these orders, and an order that is looked at is like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

FACTOR = 1.02  # reading the clocks, what the change of inputs does to caches
EMPTY_SHARE = 0.15  # by which what is done beside calls may take longer where calls are made
DELAY_S = 25e-6  # by which an answer may be later than that to an order without calls
COLD_S = 100e-6  # by which a core that others had meanwhile is slower outside the calls
REFILLED_FACTOR = 4.0  # caches and branch predictors have to get used to new inputs
SLACK_S = 300e-6  # of a single order and its answer


@dataclass(frozen=True, slots=True)
class Ordered:
    """Seconds of an order from outside, and of its calls as the program says; how long it is, of the usual ones; how
    often the core was taken away meanwhile."""

    outside_s: float
    inside_s: float
    share: float = 1.0
    interruptions: int = 0
    samples: range = range(0)  # their numbers


@dataclass(frozen=True, slots=True)
class Witness:
    """What was seen of all orders whose samples count, and seconds of a usual one without calls."""

    orders: tuple[Ordered, ...]
    empty_s: float = 0.0
    refilled_s: float = 0.0  # of a call all of whose inputs are new; 0 where there was none

    def of(self, samples: Sequence[int]) -> Witness:
        """What was seen of the orders in which these samples were taken: on a machine that changes its speed the fast
        ones may be few, and who marks true samples as disturbed is not believed the others."""
        numbers = frozenset(samples)
        return replace(self, orders=tuple(each for each in self.orders if not numbers.isdisjoint(each.samples)))

    @property
    def excess_s(self) -> float:
        """Seconds of an order that neither the samples nor what is done beside calls nor interruptions explain."""
        return median(
            each.outside_s - each.share * self.empty_s - FACTOR * each.inside_s - COLD_S * each.interruptions
            for each in self.orders
        )

    def doubts(self, median_s: float) -> str:
        """Why the samples, of which this is the median, cannot be true; empty where they can."""
        if self.refilled_s > REFILLED_FACTOR * median_s + SLACK_S:
            return (
                f"its samples say {1000 * median_s:.6g} ms a call, but seen from outside, with inputs all of which "
                f"are new, it takes {1000 * self.refilled_s:.6g} ms"
            )
        if not self.orders or self.excess_s <= EMPTY_SHARE * self.empty_s + DELAY_S:
            return ""
        inside, outside = (1000 * median(s) for s in zip(*((o.inside_s, o.outside_s) for o in self.orders)))
        return (
            f"its samples say {inside:.6g} ms of calls in an order, but seen from outside it takes {outside:.6g} ms, "
            f"{1000 * self.empty_s:.6g} ms of it without calls"
        )
