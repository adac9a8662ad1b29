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
from tunepass.evaluators.harness.dialogue.conversation import ASLEEP_S, SPIN_S, Called, Conversation, Order
from tunepass.evaluators.harness.dialogue.overheads import FILLING_MARGIN, LONG_FILLING_MARGIN, Overheads
from tunepass.evaluators.harness.dialogue.report import ForgedReport
from tunepass.evaluators.harness.dialogue.witness import NewInputs, Ordered, Witness, low
from tunepass.evaluators.measure.timing import Sample, SamplingPlan
from tunepass.study.outcome import Failed

SLOW_S = 0.05  # of a call: it warms itself up
ORDER_S = 2e-3  # that an order lasts: longer ones lose a time slice where the machine is busy
SHORT_S = 5e-5  # that a sample lasts, of as many calls as that takes
MAKING_S = 2e-2  # of a sample, that what is done between its calls may take
MOST_CALLS = 1 << 20  # of an order
MOST_IN_SAMPLE = 1000
STEADY = 0.02  # by which the medians of two orders differ at most
LOOKED_AT = (  # in each, one order, as far as there are known results
    *((0, 1), (2, 3), (4, 7), (8, 12), (13, 20), (21, 32), (33, 50), (51, 80)),
    *((81, 128), (129, 204), (205, 326), (327, 520)),
)
FEWEST_COMPARED, FEWEST_ORDERS = 2, 6
LOOK_AT_FIRST = 0.5  # probability that the first call is looked at
FEWEST_EMPTY, MOST_EMPTY = 3, 9  # orders without calls
NEW_ORDERS = ((0, 1), (2, 4))  # after one of these each an order of calls all of whose inputs are new
NEW_ORDER_S = 1e-3  # that it lasts
FEWEST_NEW, MOST_NEW = 2, 6
LONG_S = 5e-3  # of a call, of which one with new inputs is made, and no further one unless it seems to be slower
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
    inputs are filled anew, `seed` the one with which they are filled otherwise. `overheads` are those around the
    source, if they are known."""

    random: Random
    variants: Sequence[int]
    judge: Judge
    filling: int
    seed: int
    overheads: Overheads | None = None
    _left: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._left = self.random.sample(list(self.variants), len(self.variants))

    def fresh(self) -> int:
        return self.random.getrandbits(64)

    def variant(self) -> int | None:
        """One that was not used in this run; None where all were."""
        return self._left.pop() if self._left else None

    def positions(self) -> frozenset[int]:
        """Numbers of the orders that are looked at: where there are few variants, late ones as well as early ones."""
        some = self.random.sample(LOOKED_AT, min(len(LOOKED_AT), len(self._left)))
        return frozenset(self.random.randint(*bounds) for bounds in some)

    def renewals(self) -> frozenset[int]:
        """Numbers of the orders after which all inputs are new in one."""
        return frozenset(self.random.randint(*bounds) for bounds in NEW_ORDERS)

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
    compared: int = 0
    _count: int = 0  # samples
    _orders: list[Ordered] = field(default_factory=list)
    _empty: list[float] = field(default_factory=list)
    _new: list[NewInputs] = field(default_factory=list)
    _new_empty: list[float] = field(default_factory=list)
    _new_size: int = 1  # calls of an order with new inputs
    _new_look: int = 0  # the number of the one that is looked at

    def begin(self) -> None:
        """The first calls, until they are steady."""
        if self.talk.unread and self.ask.overheads is not None and self.ask.overheads.readable:
            raise ForgedReport(f"{self.talk.unread}, while that of the untouched source can")
        layout = self.ask.overheads.layout if self.ask.overheads else None
        if layout is not None and layout != self.talk.report.layout:
            raise ForgedReport("it says that its results lie otherwise than those of the untouched source")
        look = len(self.ask.variants) > FEWEST_COMPARED and self.ask.random.random() < LOOK_AT_FIRST
        self.first_s = self._call(1, self.ask.variant() if look else None).seconds
        if self.first_s <= SLOW_S:
            started = time.monotonic()
            self._size(self._long_enough())
            if self._warm_up(started).seconds < ORDER_S / 2 and self.groups * self.group < self.most_calls:
                self._size(self._long_enough())  # the first calls were slower than others
        self._measure_nothing()
        self._new_look = self.ask.random.randrange(FEWEST_NEW)

    def samples(self, look_at: Iterable[int], renew_at: Iterable[int] = ()) -> tuple[list[Sample], bool]:
        """As many as the plan wants, and whether it is cut. `look_at`: numbers of orders, from 0. After those in
        `renew_at` there is one with new inputs."""
        samples: list[Sample] = []
        started, looking, renewing, number = time.monotonic(), frozenset(look_at), frozenset(renew_at), 0
        while True:
            samples += self._order(min(self.groups, self.plan.most - len(samples)), number in looking)
            if self.plan.is_cut(samples):
                return samples, True
            if number in renewing:
                paused = time.monotonic()
                self.renew_inputs(samples[-1].seconds)
                started += time.monotonic() - paused
            number += 1
            if self.plan.is_enough(samples, time.monotonic() - started):
                return samples, False

    def in_a_slice(self) -> int:
        """The number of an order, any of those that are made until the plan has enough samples."""
        last = self._orders[-1].outside_s if self._orders else ORDER_S
        by_samples, in_time = -(-self.plan.most // self.groups), 1 + int(self.plan.budget_s / last)
        return self.ask.random.randrange(max(1, min(by_samples, in_time)))

    def further(self, samples: Sequence[Sample]) -> list[Sample]:
        """Samples of as many more orders as are needed to say something of them, and to have looked at some. Where
        calls with new inputs seem to be slower than others, there are more: the machine may have been busy."""
        orders = FEWEST_ORDERS if self.groups * self.group > 1 else 0
        more = max(FEWEST_COMPARED - self.compared, orders - len(self._orders))
        added = [sample for _ in range(more) for sample in self._order(self.groups, self.compared < FEWEST_COMPARED)]
        return [*added, *self.confirm_new_inputs([*samples, *added])]

    def confirm_new_inputs(self, samples: Sequence[Sample]) -> list[Sample]:
        """Samples of further orders, each before one with new inputs, until there are enough of the latter."""
        added: list[Sample] = []
        fewest = 1 if samples[-1].seconds > LONG_S else FEWEST_NEW
        while len(self._new) < fewest or (
            len(self._new) < MOST_NEW and self.witness().new_factor([*samples, *added]) > 1
        ):
            if self._new and samples[-1].seconds > LONG_S:
                self._call(1, None)  # inputs were filled anew: what of them is remembered is not
            added += self._order(self.groups, False)
            self.renew_inputs(added[-1].seconds, again=True)
        return added

    def warm(self) -> None:
        """An order whose samples do not count: others had the caches meanwhile."""
        if self.first_s <= SLOW_S:
            self._call(self.groups * self.group, None)

    def witness(self) -> Witness:
        while len(self._empty) < FEWEST_EMPTY:
            self._measure_nothing()
        orders, new, talk = tuple(self._orders), tuple(self._new), self.talk
        return Witness(orders, low(self._empty), self.ask.overheads, new, talk.unread, talk.restless)

    def renew_inputs(self, call_s: float, *, again: bool = False) -> None:
        """An order of calls all of whose inputs are new, after one in which a call took `call_s`; one of all these is
        looked at. Calls that take long have a second one only if it is wanted `again`. The first call of a program is
        no substitute: its inputs were there before the program said that it was ready."""
        if call_s > LONG_S and self._new and not again:
            return
        sets = self.talk.pool_sets
        if sets and not self._new_empty:
            self._new_size = max(1, min(sets, int(NEW_ORDER_S / call_s)))
        elif not self._new_empty:
            self._new_size = 1
            empty_s = self._with_new_inputs(0, real=False).seconds
            self._new_size = max(1, min(self.most_calls, int(NEW_ORDER_S / (empty_s + call_s))))
        self._new_empty.append(self._with_new_inputs(0, real=False).seconds)
        look = len(self._new) == (0 if call_s > LONG_S else self._new_look)
        called = self._with_new_inputs(self.ask.random.randint(1, self._new_size) if look else 0)
        if look:
            self.ask.compare(self.ask.filling, called.outputs)
        overheads, size = self.ask.overheads, self._new_size
        overhead_s = overheads.overhead_s(size, size, fresh=True) if overheads else math.inf
        margin = LONG_FILLING_MARGIN if call_s > LONG_S else FILLING_MARGIN
        seconds = overheads.pooled_calls_s(called, size, margin) if overheads and sets else called.seconds
        ordered = Ordered(seconds, size, range(len(called.samples)), 1.0, overhead_s)
        empty_s = self._new_empty[-1]
        self._new.append(NewInputs(len(self._orders) - 1, ordered, called.samples, empty_s, pooled=sets > 0))
        self.talk.order(Order.FILL, 0, self.ask.seed)
        if call_s <= LONG_S:
            self.warm()

    def _with_new_inputs(self, at: int, *, real: bool = True) -> Called:
        seed = self.ask.filling if at else self.ask.fresh()
        if self.talk.pool_sets:
            overheads = self.ask.overheads  # of the source, whose threads may stay awake
            patience_s = SPIN_S if overheads and overheads.awake else ASLEEP_S
            return self.talk.pooled_calls(self._new_size, seed, at=at, real=real, patience_s=patience_s)
        return self.talk.calls(self._new_size, seed, group=1, fresh=True, at=at, real=real)

    @property
    def most_calls(self) -> int:
        """The longest order: the outputs of each of its calls can be read."""
        return min(MOST_CALLS, self.talk.log_slots or 1)

    def _long_enough(self) -> tuple[int, Called]:
        """How many calls last for an order, and those. What seemed to may have lost a time slice: it has to twice."""
        count = 1
        called = self.talk.calls(1, self.ask.fresh())
        while True:
            while called.seconds < ORDER_S and count < self.most_calls:
                count = min(self.most_calls, count * min(16, math.ceil(1.5 * ORDER_S / max(called.seconds, 1e-6))))
                called = self.talk.calls(count, self.ask.fresh())
            again = self.talk.calls(count, self.ask.fresh())
            if again.seconds > ORDER_S / 2 or count == self.most_calls:
                return count, min(called, again, key=lambda each: each.seconds)
            called = again

    def _size(self, lasting: tuple[int, Called]) -> None:
        count, called = lasting
        call_s, whole_s = called.samples[0].seconds, called.seconds / count
        self.group = 1 if call_s > SHORT_S else min(MOST_IN_SAMPLE, int(SHORT_S / call_s) + 1)
        between_s = max(0.0, whole_s - call_s)
        if self.group * between_s > MAKING_S:
            self.group = max(1, int(MAKING_S / between_s))
        self.group = min(self.group, self.most_calls)
        self.groups = max(1, min(round(ORDER_S / (whole_s * self.group)), self.most_calls // self.group))

    def _warm_up(self, started: float) -> Called:
        """Until the calls are steady; the last of its orders."""
        plan, last = self.plan, math.inf
        while True:
            called = self._call(self.groups * self.group, None)
            now = median(sample.seconds for sample in called.samples)
            spent = time.monotonic() - started
            steady = abs(now - last) <= STEADY * last and spent > plan.warmup_s / 10
            if steady or spent >= plan.warmup_s or (plan.cutoff_s and now > plan.cutoff_s):
                return called
            last = now

    def _order(self, groups: int, look: bool) -> tuple[Sample, ...]:
        variant = self.ask.variant() if look else None
        count = groups * self.group
        called = self._call(count, variant)
        numbers = range(self._count, self._count + groups)
        self._count += groups
        if len(self._empty) < MOST_EMPTY and len(self._orders) % 2:  # among the orders: the machine's speed may change
            self._measure_nothing()
        overhead_s = self.ask.overheads.overhead_s(count, groups) if self.ask.overheads else math.inf
        self._orders.append(Ordered(called.seconds, count, numbers, groups / self.groups, overhead_s))
        return called.samples

    def _call(self, count: int, variant: int | None) -> Called:
        """With one call of known results, if a variant is given."""
        at = 0 if variant is None else self.ask.random.randint(1, count)
        seed = self.ask.fresh() if variant is None else variant
        called = self.talk.calls(count, seed, group=self.group, at=at)
        if variant is not None:
            self.compared += 1
            self.ask.compare(variant, called.outputs)
        return called

    def _measure_nothing(self) -> None:
        count = self.groups * self.group
        self._empty.append(self.talk.calls(count, self.ask.fresh(), group=self.group, real=False).seconds)
