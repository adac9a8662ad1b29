"""From samples to a number: median, its interval, and whether the machine interfered.

The interval of the median comes from order statistics (no distribution assumed): with n samples sorted, the ranks
n/2 -+ 0.98 sqrt(n) hold the true median with about 95 % probability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

CALIBRATION_SLACK = 1.10  # a calibration loop slower than this times the fastest one marks a disturbed sample
STEAL_SHARE = 0.02  # of the processor time that the hypervisor gave to others
TRIALS = 150  # of a search, that all of its time would do for if measuring were all
FAR = 1.25  # times the best's median: a trial whose fastest sample is slower is not worth a second measurement
BEHIND = 0.1  # of the best's time: whose fastest sample is so far behind needs no more samples than a probe
BEYOND = 1.5  # times the cutoff: farther than what an interrupted sample is off by, its wait left out
UNCLEAR = 0.05
SPREAD = 0.03  # half the relative width of the interval of the median that interference may leave


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurePlan:
    """How long to measure. `precision` is half the relative width of the median's interval at which to stop."""

    warmup_s: float = 0.1
    budget_s: float = 0.5
    precision: float = 0.005
    least: int = 7
    most: int = 200
    probe: int = 2  # samples before a hopeless candidate is cut
    cutoff_factor: float = 1.5  # hopeless: the fastest sample is this many times slower than the incumbent
    retries: int = 1  # of a disturbed measurement

    def sampling(self, incumbent: Timing | None = None) -> SamplingPlan:
        """For a candidate beside the fastest one so far."""
        return SamplingPlan(
            warmup_s=self.warmup_s,
            budget_s=self.budget_s,
            precision=self.precision,
            least=self.least,
            most=self.most,
            probe=self.probe,
            cutoff_s=self.cutoff_factor * incumbent.median_s if incumbent else 0.0,
            best_s=incumbent.median_s if incumbent else 0.0,
            calibrated_s=incumbent.calibration_s if incumbent else 0.0,
        )

    def within(self, search_s: float | None) -> MeasurePlan:
        """For a trial of a search of so many seconds: a short search knows more configurations less well, measures none
        a second time, and leaves it to its finalists' rounds who is better."""
        if search_s is None or self.budget_s <= search_s / TRIALS:
            return self
        share = search_s / TRIALS / self.budget_s
        return replace(self, budget_s=share * self.budget_s, warmup_s=share * self.warmup_s, retries=0)

    @property
    def again(self) -> MeasurePlan:
        """For one of several interleaved rounds: shorter, because the rounds are the repeats."""
        return replace(self, budget_s=max(0.05, self.budget_s / 4), warmup_s=self.warmup_s / 2, retries=0)


@dataclass(frozen=True, slots=True)
class Sample:
    """One timing: seconds a call, involuntary context switches meanwhile, seconds of the calibration loop before, and
    seconds (not among the first) in which the thread was ready but others ran."""

    seconds: float
    interruptions: int
    calibration_s: float
    waited_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingPlan:
    """When a measurement has enough samples. `cutoff_s` and `best_s` (0: there are none) move with the machine's speed,
    which was `calibrated_s` when the best was measured."""

    warmup_s: float
    budget_s: float
    precision: float
    least: int
    most: int
    probe: int
    cutoff_s: float = 0.0
    best_s: float = 0.0
    calibrated_s: float = 0.0

    def is_cut(self, samples: Sequence[Sample]) -> bool:
        """Is it hopeless? After `probe` undisturbed samples, or four times as many, where the fastest is slower than
        the cutoff; after any `probe` samples where it is half as slow again, which no interruption explains."""
        if not self.cutoff_s:
            return False
        fastest, cutoff = min(sample.seconds for sample in samples), self.cutoff_s * self._slower(samples)
        clean = sum(sample.interruptions == 0 for sample in samples)
        probed = clean >= self.probe or len(samples) >= 4 * self.probe
        return (probed or (len(samples) >= self.probe and fastest > BEYOND * cutoff)) and fastest > cutoff

    def is_enough(self, samples: Sequence[Sample], spent_s: float) -> bool:
        """Is the median known well enough, or the time over? Who is behind for sure need not be known as well as who
        may lead: to a quarter of the distance."""
        count = len(samples)
        if count >= self.most or spent_s >= 4 * self.budget_s or (spent_s >= self.budget_s and count >= 3):
            return True
        seconds = [sample.seconds for sample in samples]
        behind = min(seconds) / (self.best_s * self._slower(samples)) - 1 if self.best_s else 0.0
        clean = sum(sample.interruptions == 0 for sample in samples)
        if count < self.least and not (behind > BEHIND and clean >= self.probe):
            return False
        lo, hi = median_interval(seconds)
        return (hi - lo) / 2 <= max(self.precision, behind / 4) * median(seconds)

    def _slower(self, samples: Sequence[Sample]) -> float:
        """Than when the best was measured, the machine at its quickest now; 1 at least."""
        quickest = min(sample.calibration_s for sample in samples)
        return max(1.0, quickest / self.calibrated_s) if self.calibrated_s else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """`samples` are the undisturbed ones where there are enough, `disturbed` how many were not."""

    median_s: float
    interval_s: tuple[float, float]
    samples: tuple[float, ...]
    disturbed: int
    calibration_s: float
    unexplained: float = 0.0  # share of the samples that a clock outside the program adds
    unread: str = ""  # why results could not be read from outside while it was timed

    @property
    def unclear(self) -> bool:
        """Do the clocks disagree by more than a machine at rest explains?"""
        return self.unexplained > UNCLEAR

    @property
    def speed(self) -> float:
        """Turns of the calibration loop a second."""
        return 1 / max(self.calibration_s, 1e-9)

    @property
    def turns(self) -> float:
        """The median as turns of the calibration loop: comparable when the machine's speed has changed."""
        return self.median_s * self.speed


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """About 95 %; the extremes where there are too few values for that."""
    ordered = sorted(values)
    reach = 0.98 * math.sqrt(len(ordered))
    lo = max(0, math.floor((len(ordered) - 1) / 2 - reach))
    hi = min(len(ordered) - 1, math.ceil((len(ordered) - 1) / 2 + reach))
    return ordered[lo], ordered[hi]


def summarise(samples: Sequence[Sample]) -> Timing:
    """At least one sample. Disturbed samples (switched out, or on a slowed machine) count only if too few are not; the
    time in which others ran is not in a sample's seconds, but what they did to the caches is."""
    clean = _undisturbed(samples)
    used = [samples[i] for i in counted(samples)]
    seconds = tuple(sample.seconds for sample in used)
    return Timing(
        median_s=median(seconds),
        interval_s=median_interval(seconds),
        samples=seconds,
        disturbed=len(samples) - len(clean),
        calibration_s=median([sample.calibration_s for sample in used]),
    )


def counted(samples: Sequence[Sample]) -> list[int]:
    """The indices of the samples that count."""
    clean = _undisturbed(samples)
    return clean if len(clean) >= min(3, len(samples)) else list(range(len(samples)))


def _undisturbed(samples: Sequence[Sample]) -> list[int]:
    slowest = CALIBRATION_SLACK * min(sample.calibration_s for sample in samples)
    return [i for i, s in enumerate(samples) if s.interruptions == 0 and s.calibration_s <= slowest]


def disturbed(samples: Sequence[Sample], stolen_share: float = 0.0) -> bool:
    """Should the measurement be repeated, because most samples were interfered with?"""
    if not samples:
        return False
    timing = summarise(samples)
    lo, hi = timing.interval_s
    wide = (hi - lo) / 2 > SPREAD * timing.median_s
    return stolen_share > STEAL_SHARE or (wide and timing.disturbed > len(samples) / 2)


def far_behind(timing: Timing, best: Timing) -> bool:
    """Is the fastest sample slower than the best's median by more than interference explains?"""
    slower = max(1.0, timing.calibration_s / max(best.calibration_s, 1e-9))
    return min(timing.samples) > FAR * slower * best.median_s


@dataclass(frozen=True, slots=True)
class ProcessorTimes:
    """The machine's clock ticks so far: all of them, and those the hypervisor gave to others."""

    total: int
    stolen: int

    def stolen_share(self, before: ProcessorTimes) -> float:
        total = self.total - before.total
        return (self.stolen - before.stolen) / total if total > 0 else 0.0


def processor_times(stat: Path = Path("/proc/stat")) -> ProcessorTimes:
    """Zeros where the system does not say."""
    try:
        ticks = [int(word) for word in stat.read_text().split("\n", 1)[0].split()[1:9]]
    except (OSError, ValueError):
        return ProcessorTimes(0, 0)
    return ProcessorTimes(sum(ticks), ticks[7] if len(ticks) > 7 else 0)
