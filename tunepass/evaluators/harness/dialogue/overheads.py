"""Time of the harness beside the calls, measured around the untouched source, whose program nobody doubts.

A candidate shares its process with the harness, so it may slow down what is done beside calls where none are made. What
is subtracted of an order's time is therefore bounded by the same work around the untouched source.

| symbol  | field         | meaning                                                                          |
|---------|---------------|----------------------------------------------------------------------------------|
| a       | order_s       | seconds of an order without calls                                                |
| b       | call_s        | of what is done beside each call                                                 |
| g       | sample_s      | of each sample                                                                   |
| f       | fresh_s       | of drawing all inputs of a call anew; with a pool, all that is done beside it    |
| p       | pooled_s      | a of an order with a pool; None: there is none                                   |
| d       | filling_s     | CPU time of filling the inputs of a call of a pool                               |
| u       | pooled_rest_s | x of calls with a pool                                                           |
| x       | unexplained_s | that a call takes, seen from outside, beyond its own time, b and g               |
| n       | new_inputs_s  | that a call takes longer with inputs that are all new                            |
| m       | usual_s       | of a call of which few inputs changed; 0: not known                              |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from statistics import median

from tunepass.evaluators.harness.dialogue.conversation import Called, Conversation
from tunepass.evaluators.harness.dialogue.report import Layout

REPEATS = 5
ENOUGH_S = 1e-3  # of an order that tells what is done beside a call
MOST_CALLS = 256
FILLING_MARGIN = 1.1  # times the source's CPU time of filling
LONG_FILLING_MARGIN = 2.0  # the same of a call that takes long: large arrays, and the machine's speed changes
NEW_INPUTS_SHARE = 1.0  # of a call of the source, beyond which calls with new inputs decide
AFTER_S = 50e-6  # of CPU time, before it goes to sleep
SLOW_S = 0.05  # of a call, of which no more than one is made


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheads:
    """See the table above. `readable`: the program's memory can be read from outside; `why_not` says why it cannot.
    `layout` is where its results lie. `awake`: its threads do not go to sleep between orders."""

    order_s: float
    call_s: float
    sample_s: float
    fresh_s: float
    pooled_s: float | None = None
    pooled_rest_s: float = 0.0
    filling_s: float = 0.0
    unexplained_s: float = 0.0
    new_inputs_s: float = 0.0
    usual_s: float = 0.0
    awake: bool = False
    why_not: str = ""
    layout: Layout | None = None

    @property
    def depends_on_new_inputs(self) -> bool:
        """Do calls of the source take so much longer with new inputs that all are judged by these?"""
        return self.new_inputs_s > NEW_INPUTS_SHARE * self.usual_s > 0

    @property
    def readable(self) -> bool:
        return not self.why_not

    def overhead_s(self, calls: int, samples: int, *, fresh: bool = False) -> float:
        """Seconds of an order without its calls: a + b calls + g samples + f calls; with a pool p + f calls."""
        if fresh and self.pooled_s is not None:
            return self.pooled_s + calls * self.fresh_s
        return self.order_s + calls * (self.call_s + (self.fresh_s if fresh else 0.0)) + samples * self.sample_s

    def pooled_calls_s(self, called: Called, calls: int, margin: float = FILLING_MARGIN) -> float:
        """Seconds of an order with a pool. Work while inputs are filled, beyond `margin` times the source's filling,
        and work after the answer count as the calls'. The number of threads does not divide it: some may only sleep.
        The work of threads that stay awake is left out where the source's stay awake, too."""
        if called.awake and self.awake:
            return called.seconds
        remaining_s = called.worked_s - margin * calls * self.filling_s - AFTER_S
        return called.seconds + max(0.0, remaining_s) if called.cores > 1 else max(called.seconds, remaining_s)


def measure_overheads(talk: Conversation, random: Random, known: Overheads | None = None) -> Overheads:
    """Measure a program that is ready; times that need new inputs come from `known`, if given, and that which is
    unexplained is the least of all."""

    def without_calls_s(count: int, group: int, *, fresh: bool = False) -> float:
        def once() -> float:
            return talk.calls(count, random.getrandbits(64), group=group, fresh=fresh, real=False).seconds

        first = once()
        return first if first > SLOW_S else median([first, *(once() for _ in range(REPEATS - 1))])

    def enough(per_call_s: float) -> int:
        return max(1, min(MOST_CALLS, talk.log_slots or MOST_CALLS, int(ENOUGH_S / max(per_call_s, 1e-7))))

    one_s, two_s = without_calls_s(1, 1), without_calls_s(2, 2)
    many = enough(two_s - one_s)
    call_s, sample_s = one_s, 0.0
    if many > 1:
        together_s = without_calls_s(many, many)
        call_s = max(0.0, together_s - one_s) / (many - 1)
        sample_s = max(0.0, without_calls_s(many, 1) - together_s) / (many - 1)
    overheads = Overheads(
        order_s=max(0.0, one_s - call_s - sample_s),
        call_s=call_s,
        sample_s=sample_s,
        fresh_s=known.fresh_s if known else 0.0,
        pooled_s=known.pooled_s if known else None,
        pooled_rest_s=known.pooled_rest_s if known else 0.0,
        filling_s=known.filling_s if known else 0.0,
        awake=known.awake if known else False,
        unexplained_s=0.0,
        new_inputs_s=known.new_inputs_s if known else 0.0,
        usual_s=known.usual_s if known else 0.0,
        why_not=talk.unread,
        layout=talk.report.layout,
    )
    if known is not None:
        x_s = known.unexplained_s and min(known.unexplained_s, _of_calls(talk, random, overheads, fresh=False)[0])
        return replace(overheads, unexplained_s=x_s)
    if talk.pool_sets:
        overheads = _with_pool(talk, random, overheads)
    else:
        filled = enough(without_calls_s(1, 1, fresh=True))
        fresh_s = max(0.0, without_calls_s(filled, filled, fresh=True) - overheads.overhead_s(filled, 1)) / filled
        overheads = replace(overheads, fresh_s=fresh_s)
    x_s, n_s, u_s, usual_s = _of_calls(talk, random, overheads, fresh=True)
    return replace(overheads, unexplained_s=x_s, new_inputs_s=n_s, pooled_rest_s=u_s, usual_s=usual_s)


def _with_pool(talk: Conversation, random: Random, overheads: Overheads) -> Overheads:
    sets = talk.pool_sets
    one, all_sets = (
        [talk.pooled_calls(count, random.getrandbits(64), real=False) for _ in range(REPEATS)] for count in (1, sets)
    )
    one_s = median(called.seconds for called in one)
    fresh_s = max(0.0, median(called.seconds for called in all_sets) - one_s) / max(1, sets - 1)
    filling_s = median(called.worked_s / (called.cores if called.awake else 1) for called in all_sets) / sets
    return replace(
        overheads,
        fresh_s=fresh_s,
        pooled_s=max(0.0, one_s - fresh_s),
        filling_s=filling_s,
        awake=any(called.awake for called in all_sets),
    )


def _of_calls(talk: Conversation, random: Random, overheads: Overheads, *, fresh: bool) -> tuple[float, ...]:
    """x and, if calls with `fresh` inputs are made, n, u and m: the least of a few orders, which nothing disturbed.
    With a pool the last but one: an order of it is short, and what disturbs the source's disturbs others' too."""
    first = talk.calls(1, random.getrandbits(64)).samples[0].seconds
    count = max(1, min(MOST_CALLS, talk.log_slots or 1, int(ENOUGH_S / max(first, 1e-7))))
    plain: list[float] = []
    renewed: list[float] = []
    unexplained: list[float] = []
    rest: list[float] = []
    sets = min(count, talk.pool_sets)
    for _ in range(1 if first > SLOW_S else REPEATS):
        called = talk.calls(count, random.getrandbits(64), group=1)
        plain.append(median(sample.seconds for sample in called.samples))
        unexplained.append((called.seconds - overheads.overhead_s(count, count)) / count - plain[-1])
        if fresh and sets:
            called = talk.pooled_calls(sets, random.getrandbits(64))
            renewed.append(called.samples[0].seconds)
            rest.append(overheads.pooled_calls_s(called, sets) - overheads.overhead_s(sets, 1, fresh=True))
            rest[-1] = rest[-1] / sets - renewed[-1]
        elif fresh:
            called = talk.calls(count, random.getrandbits(64), group=1, fresh=True)
            renewed.append(median(sample.seconds for sample in called.samples))
    renewed_s, rest_s = (_last_but_one(renewed), _last_but_one(rest)) if sets else (min(renewed, default=0.0), 0.0)
    return max(0.0, min(unexplained)), max(0.0, renewed_s - min(plain)), max(0.0, rest_s), min(plain)


def _last_but_one(values: list[float]) -> float:
    return sorted(values)[-2:][0] if values else 0.0
