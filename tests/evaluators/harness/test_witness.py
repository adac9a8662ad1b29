"""Are samples believed that the parent's clock does not bear out?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tunepass.evaluators.harness.dialogue.dialogues import Timed
from tunepass.evaluators.harness.dialogue.overheads import Overheads
from tunepass.evaluators.harness.dialogue.witness import (
    CALL_SHARE,
    DELAY_S,
    FAR_S,
    NEW_SHARE,
    NewInputs,
    Ordered,
    Witness,
)
from tunepass.evaluators.measure.timing import Sample, counted, summarise


def taken(*seconds: float, interruptions: int = 0) -> list[Sample]:
    return [Sample(each, interruptions, 1e-5) for each in seconds]


def alone(*outside_s: float, empty_s: float = 0.0, share: float = 1.0, overhead_s: float = math.inf) -> Witness:
    """Of orders of one call."""
    orders = tuple(Ordered(each, 1, range(k, k + 1), share, overhead_s) for k, each in enumerate(outside_s))
    return Witness(orders, empty_s)


def seconds_of(witness: Witness, samples: Sequence[Sample]) -> list[float]:
    return [sample.seconds for sample in witness.corrected(samples)]


@pytest.mark.parametrize(
    "witness,said,counting",
    [
        (alone(1.0), 1.0, 1.0),
        (alone(0.5), 1.0, 1.0),  # of an order that lost the core, or that others helped with
        (alone(1.0), 0.99 / (1 + CALL_SHARE), 1.0 * 0.99 / (1 + CALL_SHARE) + 2 * 0.01),
        (alone(1.0), 0.9 / (1 + CALL_SHARE), 1.0),  # from twice the slack on
        (alone(1.0), 1e-9, 1.0),
        (alone(1.0), 1 / (1 + CALL_SHARE), 1 / (1 + CALL_SHARE)),
        (alone(DELAY_S), 1e-9, DELAY_S),
        (alone(1.5, empty_s=0.5), 1.0, 1.0),
        (alone(1.25, empty_s=0.5, share=0.5), 1.0, 1.0),
        (alone(1.5, empty_s=0.5, share=0.5), 1.0, 1.25),
        (alone(1.7, empty_s=0.5), 1.0, 1.2),
        (alone(1.7, empty_s=0.7), 1.0, 1.0),
        (alone(1.7, empty_s=0.7, overhead_s=0.1), 1.0, 1.6),  # around the source it takes less
    ],
)
def test_the_seconds_that_count(witness: Witness, said: float, counting: float) -> None:
    (seconds,) = seconds_of(witness, taken(said))
    assert seconds == pytest.approx(counting, abs=3 * DELAY_S if counting > 1e-3 else 0)


@pytest.mark.parametrize("call_s,beside_s", [(2e-3, 0.0), (1e-6, 2e-6), (10e-6, 1e-6)])
@pytest.mark.parametrize("slower_beside", [1.0, 1.05, 2.0])
def test_no_lie_gains_more_than_the_slack(call_s: float, beside_s: float, slower_beside: float) -> None:
    """Of an order of 2 ms; where no calls are made, a program may be slow."""
    count = round(2e-3 / (call_s + beside_s))
    outside_s = count * (call_s + beside_s)
    order = Ordered(outside_s, count, range(1), 1.0, count * beside_s)
    for lie in range(1, 100):
        (seconds,) = seconds_of(Witness((order,), slower_beside * count * beside_s), taken(call_s * lie / 100))
        assert seconds >= call_s / 1.05


def test_most_samples_of_an_order_have_to_be_true() -> None:
    samples = taken(*[0.1] * 6, *[1.0] * 4, 1.4)
    assert summarise(samples).median_s == 0.1
    seen = Witness((Ordered(6.0, 11, range(11)),))
    assert summarise(seen.corrected(samples)).median_s > 0.5


def test_who_marks_true_samples_as_disturbed_gains_nothing() -> None:
    false, true = taken(*[0.1] * 3), taken(*[1.0] * 7, interruptions=1)
    within = Witness((Ordered(7.3, 10, range(10)),))
    assert summarise(false + true).median_s == 0.1
    assert summarise(within.corrected(false + true)).median_s == pytest.approx(0.73)
    among = alone(*[1.0] * 10)
    assert summarise(among.corrected(false + true)).median_s == pytest.approx(1.0)


def test_a_machine_that_changes_its_speed_is_no_cheat() -> None:
    """Three of ten samples were taken while it was fast, and only those count."""
    samples = [Sample(1.0, 0, 1e-5)] * 3 + [Sample(1.5, 0, 1.5e-5)] * 7
    seen = alone(*(sample.seconds for sample in samples))
    assert seen.corrected(samples) == samples and len(counted(samples)) == 3
    assert not seen.doubts(samples)


def test_orders_that_others_disturb_raise_nothing() -> None:
    """Six of ten orders take longer outside the calls, which say what they say in the others."""
    samples = taken(*[1.0] * 10)
    assert alone(*[1.0] * 4, *[1.6] * 6).corrected(samples) == samples
    assert summarise(alone(*[1.0] * 3, *[1.6] * 7).corrected(samples)).median_s == pytest.approx(1.6)


def test_who_says_less_in_some_orders_alone_gains_nothing_in_them() -> None:
    samples = taken(*[1.0] * 6, *[0.5] * 4)
    assert seconds_of(alone(*[1.0] * 10), samples) == pytest.approx([1.0] * 10)


def test_an_order_is_never_said_to_take_longer_than_it_was_seen_to() -> None:
    assert seconds_of(alone(1.5, 1.5, 1.5, 0.9), taken(1.0, 1.0, 1.0, 0.8)) == pytest.approx([1.5, 1.5, 1.5, 0.9])


def test_a_busy_machine_accuses_nobody() -> None:
    """Half of the orders take far longer than the samples say; or all do, and one sample of each says so."""
    assert not alone(1.0, 9.0, 1.0, 9.0).doubts(taken(*[1.0] * 4))
    orders = tuple(Ordered(12.0, 3, range(3 * k, 3 * k + 3)) for k in range(4))
    assert not Witness(orders).doubts(taken(*[1.0, 10.0, 1.0] * 4))


def test_who_says_far_less_than_nearly_all_orders_take_is_accused() -> None:
    assert "seen from outside it takes" in alone(1.0, 1.0, 1.0, 1.0).doubts(taken(*[0.7] * 4))
    assert not alone(1.0, 1.0, 1.0, 1.0).doubts(taken(*[0.85] * 4)), "that is only corrected"
    assert not alone(FAR_S).doubts(taken(1e-9)) and alone(1.1 * FAR_S).doubts(taken(1e-9))
    assert not Witness(()).doubts(taken(1e-9))


def test_a_machine_that_became_slower_since_the_source_ran_accuses_nobody() -> None:
    """The orders without calls are as slow as those with calls; the samples are corrected all the same."""
    seen = alone(*[2.1] * 4, empty_s=1.9, overhead_s=1.0)
    assert not seen.doubts(taken(*[0.17] * 4))
    assert seconds_of(seen, taken(*[0.17] * 4)) == pytest.approx([1.1] * 4)


def renewed(*new_s: float) -> Witness:
    """After orders of a call of one second, calls that take as long with new inputs."""
    return replace(
        alone(*[1.0] * len(new_s)),
        new_inputs=tuple(
            NewInputs(k, Ordered(each, 1, range(1)), tuple(taken(each)), 0.0) for k, each in enumerate(new_s)
        ),
    )


@pytest.mark.parametrize(
    "new_s,counting",
    [
        ((1.03, 1.03), 1.0),
        ((1.05, 1.05), 1 + 2 * (0.05 - NEW_SHARE * 1.05)),
        ((5.0, 1.0), 1.0),
        ((2.0, 2.5), 2.0),  # from twice the slack on, all of it
        ((9.0, 2.0, 2.0, 1.0), 2.0),
        ((1.0,) * 6, 1.0),
    ],
)
def test_calls_with_new_inputs_count_where_they_are_slower(new_s: tuple[float, ...], counting: float) -> None:
    seconds = seconds_of(renewed(*new_s), taken(*[1.0] * len(new_s)))
    assert seconds == pytest.approx([counting] * len(new_s))


def test_what_new_inputs_cost_the_source_is_allowed() -> None:
    source = Overheads(order_s=0.0, call_s=0.0, sample_s=0.0, fresh_s=0.0, new_inputs_s=0.8)
    assert seconds_of(replace(renewed(2.0, 2.0), overheads=source), taken(1.0, 1.0)) == [1.0, 1.0]


@pytest.mark.parametrize("longer_s,counting", [(0.9, 1.0), (1.1, 1.5)])
def test_calls_with_new_inputs_decide_where_those_of_the_source_take_twice_as_long(
    longer_s: float, counting: float
) -> None:
    source = Overheads(order_s=0.0, call_s=0.0, sample_s=0.0, fresh_s=0.0, new_inputs_s=longer_s, usual_s=1.0)
    seen = replace(renewed(1.5, 1.5), overheads=source)
    assert seconds_of(seen, taken(1.0, 1.0)) == pytest.approx([counting] * 2)
    assert not seen.doubts(taken(1.0, 1.0))


@pytest.mark.parametrize("beyond,factor", [(0.9, 1.0), (1.3, 1 + 6), (5.0, 1 + 50)])
def test_what_filling_inputs_takes_may_double_on_a_busy_machine(beyond: float, factor: float) -> None:
    """Short calls, beside which filling takes ten times as long."""
    order = Ordered(1e-3 * (1.1 + beyond), 100, range(1), 1.0, 1e-3)
    seen = replace(alone(1e-6), new_inputs=(NewInputs(0, order, tuple(taken(1e-6)), 1e-3),))
    assert seen.new_factor(taken(1e-6)) == pytest.approx(factor, rel=0.03)


def test_calls_beside_which_nothing_is_done_leave_little_slack() -> None:
    """With arrays of their own, whose inputs were filled before the order."""
    order = Ordered(1.5e-3, 100, range(1), 1.0, 1e-3)  # half a millisecond of it calls
    new = NewInputs(0, order, tuple(taken(1e-6)), 1e-3)
    seen = replace(alone(1e-6), new_inputs=(new,))
    assert seen.new_factor(taken(1e-6)) == 1.0  # filling may have taken twice as long
    pooled = replace(seen, new_inputs=(replace(new, pooled=True),))
    assert pooled.new_factor(taken(1e-6)) == pytest.approx(5.0, rel=0.03)


@pytest.mark.parametrize("new_s,doubted", [(4.1, False), (4.3, True)])
def test_who_is_far_slower_with_new_inputs_is_accused(new_s: float, doubted: bool) -> None:
    assert bool(renewed(new_s, new_s).doubts(taken(1.0, 1.0))) is doubted


def test_the_larger_clock_makes_the_timing_and_says_so() -> None:
    samples = tuple(taken(*[0.9] * 4))
    timing = Timed(samples, False, alone(*[1.0] * 4)).timing
    assert timing.median_s == pytest.approx(1.0) and timing.unexplained == pytest.approx(1 / 0.9 - 1)
    assert timing.unclear and not Timed(samples, False, alone(*[0.91] * 4)).timing.unclear
