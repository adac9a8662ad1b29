"""Dialogues with a harness: compute for given inputs, count, be timed.

The inputs that decide whether a result is right have seeds of their own (`variants`), which only the parent knows. It
names one here and there, among others of which nobody knows the results, so that no call can be told from one that is
looked at. Each is used once in a run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from statistics import median

from tunepass.evaluators.harness.compare import Output
from tunepass.evaluators.harness.conversation import Conversation, Order
from tunepass.evaluators.harness.report import ForgedReport, Report
from tunepass.evaluators.harness.witness import SLACK_S, Witness
from tunepass.evaluators.measure.timing import Sample
from tunepass.evaluators.measure.turns import Party
from tunepass.study.outcome import Failed

SLOW_S = 0.05  # of a call: it is ordered once before it is timed
BATCH_S = 1e-3  # that a batch of calls lasts: longer ones lose a time slice where the machine is busy
MOST_CALLS = 1 << 20
LOOKED_AT = ((0, 2), (3, 7), (8, 24), (25, 80))  # in each of these ranges of samples, one that is looked at
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

    def positions(self) -> dict[int, int]:
        """Variant of each sample."""
        return dict(zip((self.random.randint(*bounds) for bounds in LOOKED_AT), self._left, strict=False))

    def look(self, talk: Conversation, variant: int) -> None:
        """Raises Refused where the last call computed wrong results for that variant."""
        failure = self.judge(variant, talk.show())
        if failure is not None:
            raise Refused(failure)


def be_checked(talk: Conversation, calls: int, nonce: int) -> tuple[list[tuple[Outputs, ...]], list[float]]:
    """The program calls by itself: what each call of each case computed, and the CPU time of each case."""
    talk.hear("finished")
    talk.note_start()
    talk.check_arrays()
    outputs = talk.outputs(calls)
    talk.finish(nonce)
    return outputs, [after - before for before, after in pairwise(talk.case_starts)]


def compute(talk: Conversation, variants: Sequence[int], filling: int, seed: int, nonce: int) -> Mapping[int, Outputs]:
    """Outputs of the untouched source for each variant; `seed` fills the inputs otherwise."""
    talk.hear("ready")
    results: dict[int, Outputs] = {}
    for variant in variants:
        talk.order(Order.POISON)
        talk.calls(1, variant)
        results[variant] = talk.show()
    _fill_and_call(talk, filling)
    results[filling] = talk.show()
    talk.order(Order.FILL, 0, seed)
    _end(talk, nonce)
    return results


def be_counted(talk: Conversation, calls: int, variant: int, nonce: int) -> Outputs:
    """`calls` calls, no two with the same inputs: what the last one computed for `variant`."""
    talk.hear("ready")
    talk.check_arrays()
    talk.order(Order.POISON)
    talk.calls(calls, variant)
    outputs = talk.show()
    _end(talk, nonce)
    return outputs


def be_timed(talk: Conversation, ask: Questions) -> tuple[Report, Witness]:
    """The samples that the program takes by itself, and what the parent's clock says."""
    talk.hear("ready")
    talk.check_arrays()
    witness, first_s = _batches(talk, ask)
    singles = _samples(talk, ask, ask.positions())
    if not singles:
        talk.order(Order.POISON)
        if first_s > SLOW_S:  # the first call alone was slow, and says nothing of the samples
            witness = _seen(talk, ask, talk.calls(1, ask.fresh()))
        else:
            witness = witness.and_later(_looked_at(talk, ask, witness.calls))
    refilled_s = _refilled(talk, ask, first_s)
    _end(talk, ask.fresh())
    if (singles and len(singles) != len(talk.report.samples)) or not talk.report.samples:
        raise ForgedReport(f"it reported {len(talk.report.samples)} samples and took {len(singles)}")
    seen = Witness(tuple(singles), single=True) if singles else witness
    return talk.report, replace(seen, refilled_s=refilled_s)


def be_timed_in_turns(
    talk: Conversation, ask: Questions, party: Party, slices: int, patience_s: float
) -> tuple[list[list[Sample]], Witness]:
    """As `be_timed`, but a slice of the samples at each turn of the `party`, after one for the first calls. Who does
    not answer for `patience_s` has no further turn, so that the others live to have theirs."""
    talk.socket.settimeout(patience_s)
    try:
        talk.hear("ready")
        talk.check_arrays()
        with party.floor():
            witness, first_s = _batches(talk, ask)
        turn_samples, singles = [], []
        for _ in range(slices):
            with party.floor():
                samples, seconds = _slice(talk, ask, witness.calls if first_s <= SLOW_S else 0)
                turn_samples.append(samples)
                singles += seconds
        with party.floor():
            refilled_s = _refilled(talk, ask, first_s)
            _end(talk, ask.fresh())
    finally:
        party.leave()
    seen = Witness(tuple(singles), single=True) if len(singles) == len(talk.report.samples) else witness
    return turn_samples, replace(seen, refilled_s=refilled_s)


def _slice(talk: Conversation, ask: Questions, warming: int) -> tuple[list[Sample], list[float]]:
    """Samples, and seconds of each where they are timed from here. Others had the caches meanwhile: it begins with
    `warming` calls."""
    if warming:
        talk.calls(warming, ask.fresh())
    before, variant = len(talk.report.samples), ask.variant()
    seconds = _samples(talk, ask, {} if variant is None else {ask.random.randint(*LOOKED_AT[0]): variant})
    if variant is not None and not seconds:
        talk.order(Order.POISON)
        talk.calls(1, variant)
        ask.look(talk, variant)
    samples = talk.report.samples[before:]
    if not samples or (seconds and len(seconds) != len(samples)):
        raise ForgedReport(f"it reported {len(samples)} samples and took {len(seconds)}")
    return samples, seconds


def _refilled(talk: Conversation, ask: Questions, first_s: float) -> float:
    """Where the first call took much longer than the samples say, seconds of a call with inputs that are all new; else
    0. A kernel that set something up in its first call shows that it is done with it, one that only redoes what depends
    on changed inputs shows what it takes to compute all."""
    samples = [sample.seconds for sample in talk.report.samples]
    if not samples or first_s <= 2 * median(samples) + SLACK_S:
        return 0.0
    took = _fill_and_call(talk, ask.filling)
    ask.look(talk, ask.filling)
    talk.order(Order.FILL, 0, ask.seed)
    return took


def _fill_and_call(talk: Conversation, filling: int) -> float:
    talk.order(Order.FILL, 0, filling)
    talk.order(Order.POISON)
    return talk.calls(1, filling)


def _batches(talk: Conversation, ask: Questions) -> tuple[Witness, float]:
    """Batches long enough to be timed from here, and seconds of the first call. They warm the program up as well."""
    talk.order(Order.POISON)
    first_s = talk.calls(1, ask.fresh())
    if first_s > SLOW_S:
        return Witness((first_s,)), first_s
    return _seen(talk, ask, min(first_s, talk.calls(1, ask.fresh()))), first_s


def _seen(talk: Conversation, ask: Questions, call_s: float) -> Witness:
    """What batches take, where a call takes some `call_s`."""
    count, took = _long_enough(talk, ask, call_s)
    talk.order(Order.RENEW)
    empty_s = talk.order(Order.NO_CALLS, count, ask.fresh())[1]
    return Witness((), count, empty_s).and_later(_looked_at(talk, ask, count) or [took])


def _long_enough(talk: Conversation, ask: Questions, took: float) -> tuple[int, float]:
    """How many calls last, and seconds of so many. What seemed to may have lost a time slice: it has to twice."""
    count = 1
    while True:
        while took < BATCH_S and count < MOST_CALLS:
            count = min(MOST_CALLS, count * min(16, math.ceil(1.5 * BATCH_S / max(took, 1e-6))))
            took = talk.calls(count, ask.fresh())
        again = talk.calls(count, ask.fresh())
        if again > BATCH_S / 2 or count == MOST_CALLS:
            return count, min(took, again)
        took = again


def _looked_at(talk: Conversation, ask: Questions, count: int) -> list[float]:
    """Seconds of batches of which the last call is looked at, as far as there are variants left, two at most."""
    seconds = []
    for variant in (ask.variant(), ask.variant()):
        if variant is not None:
            seconds.append(talk.calls(count, variant))
            ask.look(talk, variant)
    return seconds


def _samples(talk: Conversation, ask: Questions, looked_at: Mapping[int, int]) -> list[float]:
    """Seconds of each sample, where the program lets them be timed from here one by one; none otherwise. `looked_at`:
    the variants of samples that are looked at, by number."""
    singles: list[float] = []
    event, _ = talk.order(Order.GO, 1, ask.fresh(), until=("next", "timed"))
    while event == "next":
        variant = looked_at.get(len(singles))
        _, took = talk.order(Order.GO, 0, ask.fresh() if variant is None else variant, until=("took",))
        singles.append(took)
        if variant is not None:
            ask.look(talk, variant)
        event, _ = talk.order(Order.GO, until=("next", "timed"))
    return singles


def _end(talk: Conversation, nonce: int) -> None:
    talk.order(Order.GO, until=("finished",))
    talk.finish(nonce)
