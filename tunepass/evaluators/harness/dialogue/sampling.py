"""Samples of a program that calls as it is ordered: how many calls in an order and in a sample, which are looked at.

Every call is made in an order of the same form: those that warm the program up, those that are timed and those whose
outputs are compared. The program is told how many calls to make and what their inputs are, not what for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median

from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.harness.dialogue.conversation import MOST_WRITES, Called, Conversation
from tunepass.evaluators.harness.dialogue.witness import Ordered, Witness
from tunepass.evaluators.measure.timing import Sample, SamplingPlan
from tunepass.study.outcome import Failed

SLOW_S = 0.05  # of a call: it warms itself up
ORDER_S = 2e-3  # that an order lasts: longer ones lose a time slice where the machine is busy
SHORT_S = 5e-5  # that a sample lasts, of as many calls as that takes
MAKING_S = 2e-2  # of a sample, that what is done between its calls may take
MOST_CALLS = 1 << 20  # of an order
MOST_IN_SAMPLE = 1000
STEADY = 0.02  # by which the medians of two orders differ at most
SMALL = 1 << 16  # bytes of outputs, which are written in the middle of an order without much ado
USUAL_WRITES = 1.5  # calls of an order whose outputs are written, of small ones
LARGE = 1 << 18  # bytes of outputs, which calls drive out of the nearer caches
LOOKED_AT = ((0, 1), (2, 3), (4, 7), (8, 12), (13, 20), (21, 32), (33, 50), (51, 80))  # in each, one order
FEWEST_COMPARED, FEWEST_ORDERS = 2, 6
FEWEST_EMPTY, MOST_EMPTY = 3, 9  # orders without calls
Outputs = tuple[Output, ...]
Judge = Callable[[int, Outputs], Failed | None]  # variant, what a call computed for it


class Refused(Exception):
    """The run need not go on: the failure is known."""

    def __init__(self, failure: Failed):
        super().__init__(failure.log)
        self.failure = failure


@dataclass(slots=True)
class Questions:
    """`variants` are the seeds whose results are known; `judge` compares. `filling` is the one of them with which all
    inputs are filled anew, `seed` the one with which they are filled otherwise."""

    random: Random
    variants: Sequence[int]
    judge: Judge
    filling: int
    seed: int
    _left: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._left = self.random.sample(list(self.variants), len(self.variants))

    def fresh(self) -> int:
        return self.random.getrandbits(64)

    def variant(self) -> int | None:
        """One that was not used in this run; None where all were."""
        return self._left.pop() if self._left else None

    def positions(self) -> frozenset[int]:
        """Numbers of the orders that are looked at, as long as there are variants."""
        return frozenset(self.random.randint(*bounds) for bounds in LOOKED_AT)

    def compare(self, variant: int, outputs: Outputs) -> None:
        """Raises Refused where a call computed wrong results for that variant."""
        failure = self.judge(variant, outputs)
        if failure is not None:
            raise Refused(failure)


@dataclass(slots=True)
class Sampler:
    """Orders calls of one program, which has said that it is ready."""

    talk: Conversation
    ask: Questions
    plan: SamplingPlan
    group: int = 1  # calls of a sample
    groups: int = 1  # samples of an order
    first_s: float = 0.0  # of the first call, from outside
    bytes: int = 0  # of outputs
    compared: int = 0
    _count: int = 0  # samples
    _orders: list[Ordered] = field(default_factory=list)
    _empty: list[float] = field(default_factory=list)

    def begin(self) -> None:
        """The first calls, until they are steady."""
        self.bytes = sum(shape.bytes for shape in self.talk.report.arrays)
        self.first_s = self.talk.calls(1, self.ask.fresh()).seconds
        if self.first_s <= SLOW_S:
            started = time.monotonic()
            self._size(self._long_enough())
            self._warm_up(started)
        self._measure_nothing()

    def samples(self, look_at: Iterable[int]) -> tuple[list[Sample], bool]:
        """As many as the plan wants, and whether it is cut. `look_at`: numbers of orders, from 0."""
        samples: list[Sample] = []
        started, looking, number = time.monotonic(), frozenset(look_at), 0
        while True:
            samples += self._order(min(self.groups, self.plan.most - len(samples)), number in looking)
            number += 1
            if self.plan.is_cut(samples):
                return samples, True
            if self.plan.is_enough(samples, time.monotonic() - started):
                return samples, False

    def further(self) -> list[Sample]:
        """Samples of as many more orders as are needed to say something of them, and to have looked at some."""
        orders = FEWEST_ORDERS if self.groups * self.group > 1 else 0
        more = max(FEWEST_COMPARED - self.compared, orders - len(self._orders))
        return [sample for _ in range(more) for sample in self._order(self.groups, self.compared < FEWEST_COMPARED)]

    def warm(self) -> None:
        """An order whose samples do not count: others had the caches meanwhile."""
        if self.first_s <= SLOW_S:
            self._call(self.groups * self.group, None)

    @property
    def small(self) -> bool:
        return self.bytes <= SMALL

    def witness(self, refilled_s: float) -> Witness:
        while len(self._empty) < FEWEST_EMPTY:
            self._measure_nothing()
        return Witness(tuple(self._orders), median(self._empty), self.bytes > LARGE, refilled_s)

    def _long_enough(self) -> tuple[int, Called]:
        """How many calls last for an order, and those. What seemed to may have lost a time slice: it has to twice."""
        count = 1
        called = self.talk.calls(1, self.ask.fresh())
        while True:
            while called.seconds < ORDER_S and count < MOST_CALLS:
                count = min(MOST_CALLS, count * min(16, math.ceil(1.5 * ORDER_S / max(called.seconds, 1e-6))))
                called = self.talk.calls(count, self.ask.fresh())
            again = self.talk.calls(count, self.ask.fresh())
            if again.seconds > ORDER_S / 2 or count == MOST_CALLS:
                return count, min(called, again, key=lambda each: each.seconds)
            called = again

    def _size(self, lasting: tuple[int, Called]) -> None:
        count, called = lasting
        call_s, whole_s = called.samples[0].seconds, called.seconds / count
        self.group = 1 if call_s > SHORT_S else min(MOST_IN_SAMPLE, int(SHORT_S / call_s) + 1)
        between_s = max(0.0, whole_s - call_s)
        if self.group * between_s > MAKING_S:
            self.group = max(1, int(MAKING_S / between_s))
        self.groups = max(1, round(ORDER_S / (whole_s * self.group)))

    def _warm_up(self, started: float) -> None:
        plan, last = self.plan, math.inf
        while True:
            now = median(sample.seconds for sample in self._call(self.groups * self.group, None).samples)
            spent = time.monotonic() - started
            steady = abs(now - last) <= STEADY * last and spent > plan.warmup_s / 10
            if steady or spent >= plan.warmup_s or (plan.cutoff_s and now > plan.cutoff_s):
                return
            last = now

    def _order(self, groups: int, look: bool) -> tuple[Sample, ...]:
        if groups > 1 and not self.small:  # which call is the last is nobody's to know
            groups = self.ask.random.randint((groups + 1) // 2, groups)
        variant = self.ask.variant() if look else None
        count = groups * self.group
        called = self._call(count, variant)
        numbers = range(self._count, self._count + groups)
        self._count += groups
        if len(self._empty) < MOST_EMPTY and len(self._orders) % 2:  # among the orders: the machine's speed may change
            self._measure_nothing()
        self._orders.append(Ordered(called.seconds, count, numbers, groups / self.groups))
        return called.samples

    def _call(self, count: int, variant: int | None) -> Called:
        """With one call of known results, if a variant is given."""
        at, writes = self.draw_writes(count)
        marked = self.ask.fresh() if variant is None else variant
        called = self.talk.calls(count, self.ask.fresh(), group=self.group, at=at, marked=marked, writes=writes)
        if variant is not None:
            self.compared += 1
            outputs = self.talk.outputs(len(writes))[0][writes.index(at)] if at in writes else self.talk.show()
            self.ask.compare(variant, outputs)
        return called

    def draw_writes(self, count: int) -> tuple[int, tuple[int, ...]]:
        """The call that may be looked at, and those before the last one whose outputs are written. Of small outputs
        each call's are as likely to be, however many were before: a file that grew tells nothing of the calls to come.
        """
        if not self.small:
            return count, ()
        random, numbers, number = self.ask.random, set[int](), 0.0
        while (number := number + random.expovariate(USUAL_WRITES / count)) < count and len(numbers) < MOST_WRITES:
            numbers.add(1 + int(number))
        drawn = sorted(numbers) or [random.randint(1, count)]
        return random.choice(drawn), tuple(each for each in drawn if each < count)

    def _measure_nothing(self) -> None:
        count = self.groups * self.group
        at, writes = self.draw_writes(count)
        self._empty.append(self.talk.nothing(count, self.ask.fresh(), group=self.group, at=at, writes=writes))
