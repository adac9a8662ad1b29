"""Dialogues with a harness: compute for given inputs, count, be timed.

The inputs that decide whether a result is right have seeds of their own (`variants`), which only the parent knows. It
names one here and there, among others of which nobody knows the results, so that no call can be told from one that is
looked at. Each is used once in a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from tunepass.evaluators.harness.dialogue.conversation import Conversation, Order
from tunepass.evaluators.harness.dialogue.overheads import Overheads, measure_overheads
from tunepass.evaluators.harness.dialogue.sampling import SLOW_S, Outputs, Questions, Sampler
from tunepass.evaluators.harness.dialogue.witness import Witness
from tunepass.evaluators.measure.timing import Sample, SamplingPlan, Timing, summarise
from tunepass.evaluators.measure.turns import Party


@dataclass(frozen=True, slots=True)
class Timed:
    """Samples of a program, whether they were cut short, and what the parent's clock says."""

    samples: tuple[Sample, ...]
    cut: bool
    witness: Witness

    @property
    def timing(self) -> Timing:
        """As the parent's clock has it where the program says less."""
        timing = summarise(self.witness.corrected(self.samples))
        unexplained = timing.median_s / summarise(self.samples).median_s - 1
        return replace(timing, unexplained=unexplained, unread=self.witness.unread)


def be_checked(talk: Conversation, calls: int, nonce: int) -> tuple[list[tuple[Outputs, ...]], list[float]]:
    """The program calls by itself: what each call of each case computed, and the CPU time of each case."""
    talk.hear("finished")
    talk.note_start()
    talk.check_arrays()
    outputs = talk.outputs(calls)
    talk.finish(nonce)
    return outputs, [after - before for before, after in pairwise(talk.case_starts)]


@dataclass(frozen=True, slots=True)
class Computed:
    """Outputs of the untouched source by variant, and what is done beside its calls, if that was measured."""

    outputs: Mapping[int, Outputs]
    overheads: Overheads | None


def compute(
    talk: Conversation,
    variants: Sequence[int],
    filling: int,
    seed: int,
    nonce: int,
    *,
    measuring: bool,
    known: Overheads | None,
) -> Computed:
    """Outputs of the untouched source for each variant; `seed` fills the inputs otherwise. `measuring`: what is done
    beside its calls is measured as well, in part if the rest is `known`."""
    talk.hear("ready")
    overheads = measure_overheads(talk, Random(nonce), known) if measuring else None
    if measuring and not known:
        talk.order(Order.FILL, 0, seed)
    results: dict[int, Outputs] = {}
    for variant in variants:
        talk.plain_calls(1, variant)
        results[variant] = talk.show()
    talk.order(Order.FILL, 0, filling)
    talk.plain_calls(1, filling)
    results[filling] = talk.show()
    talk.order(Order.FILL, 0, seed)
    _end(talk, nonce)
    return Computed(results, overheads)


def be_counted(talk: Conversation, calls: int, variant: int, nonce: int) -> Outputs:
    """`calls` calls, no two with the same inputs: what the last one computed for `variant`."""
    talk.hear("ready")
    talk.check_arrays()
    talk.plain_calls(calls, variant)
    outputs = talk.show()
    _end(talk, nonce)
    return outputs


def be_timed(talk: Conversation, ask: Questions, plan: SamplingPlan) -> Timed:
    """The samples that the program takes as it is ordered."""
    talk.hear("ready")
    talk.check_arrays()
    sampler = Sampler(talk, ask, plan)
    sampler.begin()
    samples, cut = sampler.samples(ask.positions(), ask.renewals())
    if not cut:
        samples += (sampler.further if sampler.first_s <= SLOW_S else sampler.confirm_new_inputs)(samples)
    witness = sampler.witness()
    _end(talk, ask.fresh())
    return Timed(tuple(samples), cut, witness)


def be_timed_in_turns(
    talk: Conversation, ask: Questions, plan: SamplingPlan, party: Party, slices: int, patience_s: float
) -> tuple[list[list[Sample]], Witness]:
    """As `be_timed`, but a slice of the samples at each turn of the `party`, after one for the first calls. Who does
    not answer for `patience_s` has no further turn, so that the others live to have theirs. Who works while others have
    the floor is found out (`Witness.restless`)."""
    talk.socket.settimeout(patience_s)
    sampler = Sampler(talk, ask, plan)
    try:
        talk.hear("ready")
        talk.check_arrays()
        with party.floor():
            sampler.begin()
        turn_samples: list[list[Sample]] = []
        renewing = {ask.random.randrange(0, slices // 2), ask.random.randrange(slices // 2, slices)}
        for turn in range(slices):
            talk.rest()
            with party.floor():
                talk.wake()
                sampler.warm()
                turn_samples.append(sampler.samples({sampler.in_a_slice()})[0])
                if turn in renewing:
                    sampler.renew_inputs(turn_samples[-1][-1].seconds)
        talk.rest()
        with party.floor():
            talk.wake()
            turn_samples[-1] += sampler.further([sample for samples in turn_samples for sample in samples])
            witness = sampler.witness()
            _end(talk, ask.fresh())
    finally:
        party.leave()
    return turn_samples, witness


def _end(talk: Conversation, nonce: int) -> None:
    talk.order(Order.GO, until=("finished",))
    talk.finish(nonce)
