"""Samples that say too little are doubted, others are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tunepass.evaluators.harness.witness import COLD_S, DELAY_S, FACTOR, Ordered, Witness
from tunepass.evaluators.measure.timing import Sample, counted, summarise

TRUE, LIE = Ordered(2e-3, 1.99e-3), Ordered(2e-3, 1.8e-3)


@pytest.mark.parametrize(
    "witness,median_s,doubted",
    [
        (Witness((TRUE, TRUE, LIE)), 1e-6, False),
        (Witness((TRUE, LIE, LIE)), 1e-6, True),
        (Witness((Ordered(1.0, 1.0 / FACTOR),)), 1.0, False),
        (Witness((Ordered(1.0, 0.99 / FACTOR),)), 1.0, True),
        (Witness((Ordered(DELAY_S, 0.0),)), 1e-9, False),
        (Witness((Ordered(1.5e-3, 1e-3),), empty_s=0.5e-3), 1e-6, False),
        (Witness((Ordered(1.25e-3, 1e-3, share=0.5),), empty_s=0.5e-3), 1e-6, False),
        (Witness((Ordered(1.5e-3, 1e-3, share=0.5),), empty_s=0.5e-3), 1e-6, True),
        (Witness((replace(LIE, interruptions=2),)), 1e-6, 2 * COLD_S < 0.2e-3 - DELAY_S),
        (Witness(()), 1e-9, False),
        (Witness((Ordered(1.0, 1.0),), refilled_s=3.9), 1.0, False),
        (Witness((Ordered(1.0, 1.0),), refilled_s=4.1), 1.0, True),
    ],
)
def test_doubts(witness: Witness, median_s: float, doubted: bool) -> None:
    assert bool(witness.doubts(median_s)) is doubted


def numbered(*orders: Ordered) -> Witness:
    return Witness(tuple(replace(each, samples=range(k, k + 1)) for k, each in enumerate(orders)))


def test_who_marks_true_samples_as_disturbed_is_seen_all_the_same() -> None:
    samples = [Sample(0.1, 0, 1e-5)] * 3 + [Sample(1.0, 1, 1e-5)] * 7
    seen = numbered(*[Ordered(1.0, 0.1)] * 3, *[Ordered(1.0, 1.0)] * 7)
    assert not seen.doubts(0.1)
    assert seen.of(counted(samples)).doubts(summarise(samples).median_s)


def test_a_machine_that_changes_its_speed_is_no_cheat() -> None:
    """Three of ten samples were taken while it was fast, and only those count."""
    samples = [Sample(1.0, 0, 1e-5)] * 3 + [Sample(1.5, 0, 1.5e-5)] * 7
    seen = numbered(*(Ordered(sample.seconds, sample.seconds) for sample in samples))
    assert summarise(samples).median_s == 1.0
    assert not seen.of(counted(samples)).doubts(1.0)
