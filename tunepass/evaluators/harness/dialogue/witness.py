"""Could a program have been as fast as its samples say? What the clock of the parent makes of it.

    o_k   seconds from order number k to its answer, with waits for a core left out
    n_k   calls of this order
    m_k   median of its samples, seconds a call: of those that count, or of all where that is less
    e_k   seconds of an order of this length that does all but call; at most as many as around the source
    q     the value below which two fifths of all (o_k - e_k) / n_k lie: on a busy machine others take longer
    x_k   min(o_k - e_k, n_k q) - n_k m_k, seconds that the samples do not explain
    l_k   slack: a share of n_k m_k and of e_k and the delay of an answer, together at most a larger share of n_k m_k;
          and what x is around the source
    r_j   seconds of a call all of whose inputs are new, in order j of such calls, after order k(j); waits left out too
    v     slack of r: a share of it, or what such a call of the source takes longer than others

Where x_k > l_k, the samples of this order count as longer by min(x_k, 2 (x_k - l_k)) / n_k: from twice the slack on,
the parent's clock counts alone. So samples that say too little gain no more than the slack, and a machine that is busy
accuses nobody. By the same rule, with x_j = r_j - m_k(j), all samples count as longer by the factor
1 + min(x_j, 2 (x_j - v)) / m_k(j), which two fifths of the orders j undercut, where that is more than 1: calls of which
few inputs changed may have been no computation of all results. Where new inputs make the source's calls more than twice
as long, such as by branches that are not predicted, the factor is r_j / m_k(j) for all programs, without slack.
Where inputs are filled within the order, the slack of
r_j has a larger share of what is done beside the calls, as filling takes longer than a short call. A program is accused
only where three quarters of all orders take far longer than all of its samples together, or calls with new inputs far
longer than others.

Each sample is taken in one of these orders, and an order that is looked at is like any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from tunepass.evaluators.harness.dialogue.overheads import Overheads
from tunepass.evaluators.measure.timing import Sample, counted

CALL_SHARE = 0.02  # interrupts, what calls do to the caches of what is done beside them
OVERHEAD_SHARE = 0.05  # of what is done beside calls: the machine's speed changes
NEW_OVERHEAD_SHARE = 1.0  # the same of calls with new inputs: filling them takes longer than a short call
MOST_SHARE = 0.045  # of calls, of all these together
UNEXPLAINED_MARGIN = 1.25  # times what calls of the source do to the caches of what is done beside them
DELAY_S = 5e-6  # by which an answer may be later than that to an order without calls
NEW_SHARE = 0.03  # of a call all of whose inputs are new
NEW_MARGIN = 1.25  # times what such a call of the source takes longer
FAR_CALL_SHARE, FAR_EMPTY_SHARE, FAR_S = 0.25, 0.5, 100e-6  # slack beyond which a program is accused
REFILLED_FACTOR = 4.0  # caches and branch predictors have to get used to new inputs
SLACK_S = 300e-6  # of a single order and its answer
LOW = 0.4  # share of the orders that are seen to take less than what counts as usual


def low(values: Iterable[float]) -> float:
    """The value below which two fifths of them lie: what disturbs an order makes it longer."""
    ordered = sorted(values)
    return ordered[int(LOW * (len(ordered) - 1))]


@dataclass(frozen=True, slots=True)
class Ordered:
    """Seconds of an order from outside, its calls, the numbers of its samples, its share of a usual order, and seconds
    of what is done beside so many calls around the source."""

    outside_s: float
    calls: int
    samples: range
    share: float = 1.0
    overhead_s: float = math.inf


@dataclass(frozen=True, slots=True)
class NewInputs:
    """An order of calls all of whose inputs are new, its samples, and seconds of such an order without calls. It came
    after order number `after`, when the machine was as fast. `pooled`: each call had arrays of its own,
    which were filled before the order."""

    after: int
    order: Ordered
    samples: tuple[Sample, ...]
    empty_s: float
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class Witness:
    """All orders by the parent's clock, and seconds of a usual one without calls. `unread`: why the program's memory
    could not be read from outside. `restless`: it worked while it was told nothing and others were measured."""

    orders: tuple[Ordered, ...]
    empty_s: float = 0.0
    overheads: Overheads | None = None
    new_inputs: tuple[NewInputs, ...] = ()
    unread: str = field(default="", compare=False)
    restless: bool = field(default=False, compare=False)

    def corrected(self, samples: Sequence[Sample]) -> list[Sample]:
        """With the seconds that the parent's clock adds."""
        result = self._explained(samples)
        factor = self.new_factor(result)
        return [replace(each, seconds=factor * each.seconds) for each in result] if factor > 1 else result

    def new_factor(self, samples: Sequence[Sample], *, whole: bool = True) -> float:
        """How many times a call takes longer with inputs that are all new, as far as that counts; at least 1. Not
        `whole`: beyond the slack, whatever they take longer with the source."""
        longer_s = self.overheads.new_inputs_s if self.overheads else 0.0
        all_of_it = whole and self.overheads is not None and self.overheads.depends_on_new_inputs
        factors = []
        for new in self.new_inputs:
            call_s = median(samples[i].seconds for i in self.orders[new.after].samples)
            new_s = self._new_s(new)
            if all_of_it:
                factors.append(new_s / call_s)
                continue
            over_s = new_s - max(NEW_SHARE * new_s, NEW_MARGIN * longer_s) - call_s
            factors.append(1 + (min(new_s - call_s, 2 * over_s) if whole else over_s) / call_s)
        return max(1.0, low(factors)) if factors else 1.0

    def _new_s(self, new: NewInputs) -> float:
        """Seconds of a call with new inputs, by the clock that says more."""
        seen = Witness((new.order,), median(each.empty_s for each in self.new_inputs), self.overheads)
        call_s, overhead_s = median(sample.seconds for sample in new.samples), seen._overhead_s(new.order)
        share = OVERHEAD_SHARE if new.pooled else NEW_OVERHEAD_SHARE
        slack_s = CALL_SHARE * new.order.calls * call_s + share * overhead_s + DELAY_S
        return call_s * seen._factor(new.order, call_s, seen._seen_s(new.order), slack_s, self._usual_s(new.pooled))

    def _explained(self, samples: Sequence[Sample]) -> list[Sample]:
        result, numbers = list(samples), frozenset(counted(samples))
        usual_s = low(self._seen_s(order) for order in self.orders) if self.orders else 0.0
        for order in self.orders:
            of_order = [samples[i].seconds for i in order.samples]
            which = [samples[i].seconds for i in order.samples if i in numbers]
            seen_s = min(usual_s, self._seen_s(order))
            call_s = min(median(of_order), median(which or of_order))
            factor = self._factor(order, call_s, seen_s, self._slack_s(order, call_s), self._usual_s())
            for i in order.samples:
                result[i] = replace(samples[i], seconds=factor * samples[i].seconds)
        return result

    def _seen_s(self, order: Ordered) -> float:
        """Seconds of a call, from outside."""
        return (order.outside_s - self._overhead_s(order)) / order.calls

    def _slack_s(self, order: Ordered, call_s: float) -> float:
        claimed_s = order.calls * call_s
        slack_s = CALL_SHARE * claimed_s + OVERHEAD_SHARE * self._overhead_s(order) + DELAY_S
        return min(slack_s, MOST_SHARE * claimed_s)

    def _usual_s(self, pooled: bool = False) -> float:
        """Seconds that a call may take beyond its own: somewhat more than those of the source do."""
        if self.overheads is None:
            return 0.0
        return UNEXPLAINED_MARGIN * (self.overheads.pooled_rest_s if pooled else self.overheads.unexplained_s)

    def _factor(self, order: Ordered, call_s: float, seen_s: float, slack_s: float, usual_s: float) -> float:
        claimed_s = order.calls * call_s
        unexplained_s = order.calls * seen_s - claimed_s
        over_s = unexplained_s - slack_s - order.calls * usual_s
        return 1 + max(0.0, min(unexplained_s, 2 * over_s)) / claimed_s

    def _overhead_s(self, order: Ordered) -> float:
        return min(order.share * self.empty_s, order.overhead_s)

    def doubts(self, samples: Sequence[Sample]) -> str:
        """Why the samples cannot be true; empty where they can."""
        call_s = median(samples[i].seconds for i in counted(samples))
        if (self.new_factor(samples, whole=False) - 1) * call_s > (REFILLED_FACTOR - 1) * call_s + SLACK_S:
            new_s = median(self._new_s(new) for new in self.new_inputs)
            return (
                f"its samples say {1000 * call_s:.6g} ms a call, but seen from outside, with inputs all of which "
                f"are new, it takes {1000 * new_s:.6g} ms"
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
        empty_s = order.share * self.empty_s  # the program's own: the source's was perhaps taken on a faster machine
        return order.outside_s - (1 + FAR_EMPTY_SHARE) * empty_s - (1 + FAR_CALL_SHARE) * claimed_s
