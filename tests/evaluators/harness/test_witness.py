"""Samples that say too little are doubted, others are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tunepass.evaluators.harness.witness import SLACK_S, Witness
from tunepass.evaluators.measure.timing import Sample, counted, summarise


@pytest.mark.parametrize(
    "witness,median_s,doubted",
    [
        (Witness((1.0, 1.1, 1.2, 1.05), single=True), 1.0, False),
        (Witness((1.2, 1.3, 1.2, 1.25), single=True), 1.0, True),
        (Witness((0.1, 1.3, 1.2, 1.25), single=True), 0.01, True),  # one fast call is not enough
        (Witness((1.3e-6, 1.35e-6), calls=10_000), 1.0e-6, False),
        (Witness((1.5e-6, 1.6e-6), calls=10_000), 1.0e-6, True),
        (Witness((9e-6, 1.3e-6, 9e-6), calls=10_000), 1.0e-6, False),  # two of them lost a time slice
        (Witness((SLACK_S / 2,), calls=1), 1e-9, False),
        (Witness(()), 1e-9, False),
        (Witness((1.0,), single=True, refilled_s=3.9), 1.0, False),
        (Witness((1.0,), single=True, refilled_s=4.1), 1.0, True),
    ],
)
def test_doubts(witness: Witness, median_s: float, doubted: bool) -> None:
    assert bool(witness.doubts(median_s)) is doubted


def test_what_goes_by_without_calls_is_left_out() -> None:
    assert Witness((), 4, 0.2).and_later([1.0, 0.6]).batches == pytest.approx((0.2, 0.1))
    assert Witness((0.3,), 4, 0.2).and_later([0.1]).batches == (0.3, 0.0)


def test_a_quick_batch_of_an_earlier_measurement_does() -> None:
    quick, slow, single = (Witness((w,), calls=10_000) for w in (1.1e-6, 3e-6, 1.1e-6))
    assert not slow.doubts(1e-6, [slow, quick])
    assert slow.doubts(1e-6, [slow, replace(single, single=True)]), "what is seen of samples is of these samples"
    assert replace(slow, refilled_s=0.1).doubts(1e-6, [quick])


def test_a_machine_that_changes_its_speed_is_no_cheat() -> None:
    """Three of ten samples were taken while it was fast, and only those count."""
    samples = [Sample(1.0, 0, 1e-5)] * 3 + [Sample(1.5, 0, 1.5e-5)] * 7
    seen = Witness(tuple(sample.seconds for sample in samples), single=True)
    median_s = summarise(samples).median_s
    assert median_s == 1.0
    assert not seen.of(counted(samples)).doubts(median_s)


def test_who_marks_true_samples_as_disturbed_is_seen_all_the_same() -> None:
    samples = [Sample(0.1, 0, 1e-5)] * 3 + [Sample(1.0, 1, 1e-5)] * 7
    seen = Witness((1.0,) * len(samples), single=True)
    assert seen.of(counted(samples)).doubts(summarise(samples).median_s)


def test_batches_are_no_samples() -> None:
    seen = Witness((1.0, 2.0), calls=8)
    assert seen.of([1]) == seen
