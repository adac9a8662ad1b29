"""Samples to a median, its interval, and the signs of interference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tunepass.evaluators.measure.timing import (
    MeasurePlan,
    ProcessorTimes,
    Sample,
    Timing,
    disturbed,
    far_behind,
    median,
    median_interval,
    processor_times,
    summarise,
)


def quiet(*seconds: float) -> list[Sample]:
    return [Sample(s, 0, 1e-5) for s in seconds]


def test_the_interval_of_the_median_holds_it_nineteen_times_of_twenty() -> None:
    rng = np.random.default_rng(0)
    for n in (9, 20, 51):
        intervals = [median_interval(list(rng.exponential(size=n))) for _ in range(1000)]
        held = sum(lo <= np.log(2) <= hi for lo, hi in intervals)
        assert 930 <= held <= 1000, n


def test_few_values_have_their_extremes_as_interval() -> None:
    assert median_interval([3.0]) == (3.0, 3.0) and median_interval([1.0, 2.0, 9.0]) == (1.0, 9.0)
    assert median([4.0, 1.0]) == 2.5


def test_samples_that_were_interfered_with_are_left_out() -> None:
    slow_machine = Sample(2.0, 0, 2e-5)
    timing = summarise([*quiet(1, 1.1, 0.9), Sample(5, 2, 1e-5), slow_machine])
    assert timing.median_s == 1 and timing.disturbed == 2 and timing.samples == (1, 1.1, 0.9)
    assert timing.calibration_s == 1e-5


def test_they_count_when_too_few_others_are_there() -> None:
    timing = summarise([Sample(1, 1, 1e-5), Sample(2, 1, 1e-5), Sample(3, 1, 1e-5), *quiet(9)])
    assert timing.median_s == 2.5 and timing.disturbed == 3


@pytest.mark.parametrize(
    "samples,stolen,repeat",
    [
        (quiet(1, 2, 3), 0.0, False),
        (quiet(1, 1, 1), 0.5, True),
        ([Sample(s, 1, 1e-5) for s in (1, 2, 3)], 0.0, True),
        ([Sample(s, 1, 1e-5) for s in (1, 1.01, 1.02)], 0.0, False),
        ([], 0.9, False),
    ],
)
def test_a_measurement_is_repeated_when_interference_shows(samples: list[Sample], stolen: float, repeat: bool) -> None:
    assert disturbed(samples, stolen) is repeat


def test_stolen_time_is_read_where_the_system_says_it(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  10 0 20 60 0 0 0 10 0 0\ncpu0 1 2\n")
    after = processor_times(stat)
    assert after == ProcessorTimes(100, 10) and after.stolen_share(ProcessorTimes(50, 5)) == 0.1
    assert processor_times(tmp_path / "none") == ProcessorTimes(0, 0) and after.stolen_share(after) == 0


def test_the_plan_for_a_candidate_and_for_the_finalists() -> None:
    plan = MeasurePlan(budget_s=0.8, warmup_s=0.1)
    best = summarise([Sample(0.002, 0, 1e-5)])
    assert plan.sampling().cutoff_s == 0 and plan.sampling(best).cutoff_s == pytest.approx(0.003)
    assert plan.again.budget_s == 0.2 and plan.again.retries == 0


def sampled(*seconds: float, interruptions: int = 0, calibration_s: float = 1e-5) -> list[Sample]:
    return [Sample(each, interruptions, calibration_s) for each in seconds]


class TestAPlanForSamples:
    plan = MeasurePlan(budget_s=1.0, precision=0.01, least=5, most=60, probe=2).sampling(summarise(sampled(0.001)))

    def test_who_is_slower_than_the_cutoff_is_cut_after_a_probe(self) -> None:
        slow, slower = 0.0016, 0.003
        assert not self.plan.is_cut(sampled(slow)) and self.plan.is_cut(sampled(slow, slow))
        assert not self.plan.is_cut(sampled(slow, slow, 0.0014)), "one of them was fast enough"
        assert not self.plan.is_cut(sampled(*[slow] * 7, interruptions=1))
        assert self.plan.is_cut(sampled(*[slow] * 8, interruptions=1))
        assert self.plan.is_cut(sampled(slower, slower, interruptions=1)), "no interruption explains that"
        assert not self.plan.is_cut(sampled(slow, slow, calibration_s=1.2e-5)), "the machine is slower by as much"

    def test_who_leads_is_measured_to_the_precision(self) -> None:
        assert not self.plan.is_enough(sampled(*[0.001] * 4), 0.1) and self.plan.is_enough(sampled(*[0.001] * 5), 0.1)
        wide = sampled(*[0.001, 0.0011] * 10)
        assert not self.plan.is_enough(wide, 0.1) and self.plan.is_enough(wide, 1.0)

    def test_who_is_behind_need_not_be_known_as_well(self) -> None:
        behind = sampled(0.0013, 0.0014)
        assert self.plan.is_enough(behind, 0.1) and not self.plan.is_enough(sampled(0.00102, 0.00103), 0.1)
        assert not self.plan.is_enough(sampled(0.0013, 0.0014, interruptions=1), 0.1), "no probe without interruptions"

    def test_there_is_an_end(self) -> None:
        assert self.plan.is_enough(sampled(*[0.001, 0.0011] * 30), 0.1)
        assert not self.plan.is_enough(sampled(0.001, 0.0011), 3.9) and self.plan.is_enough(sampled(0.001), 4.0)


def test_who_is_far_behind_is_not_worth_a_second_measurement() -> None:
    def timing(seconds: float, calibration_s: float) -> Timing:
        return summarise([Sample(seconds, 0, calibration_s)] * 3)

    best = timing(1.0, 1e-3)
    assert far_behind(timing(1.3, 1e-3), best) and not far_behind(timing(1.2, 1e-3), best)
    assert not far_behind(timing(1.3, 1.2e-3), best)  # the machine is slower by as much


class TestAShortSearch:
    def test_measures_each_trial_for_less_and_no_less_well_in_its_rounds(self) -> None:
        plan = MeasurePlan()
        short = plan.within(30.0)
        assert short.budget_s == pytest.approx(0.2) and short.warmup_s == pytest.approx(0.04)
        assert short.retries == 0
        assert (short.least, short.most, short.cutoff_factor) == (plan.least, plan.most, plan.cutoff_factor)

    def test_a_long_one_or_one_without_an_end_measures_as_planned(self) -> None:
        plan = MeasurePlan()
        assert plan.within(3600.0) == plan and plan.within(None) == plan
