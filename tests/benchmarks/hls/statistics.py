"""How well the model tells designs apart before anything is synthesised, table by table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.hls.records import Compared, Entry, Floats
from tests.benchmarks.search.tables import markdown
from tunepass.study.trust import rank_correlation

GOAL_TIME, GOAL_AREA, GOAL_BEST, HEAD = 0.8, 0.9, 1.3, 10


@dataclass(frozen=True, slots=True)
class Score:
    """Rank correlations over the designs that were built. `best`: of the HEAD that are predicted fastest, among those
    that were built, over the optimum. `foretold` of `predicted` failures are some of `failed`."""

    rows: int
    time: float
    lanes: float
    area: dict[str, float]
    best: float
    predicted: int
    foretold: int
    failed: int

    @property
    def mean_area(self) -> float:
        """Over the resources of which the designs take different amounts."""
        told = [value for value in self.area.values() if not np.isnan(value)]
        return float(np.mean(told)) if told else float("nan")


def score(found: Compared) -> Score:
    built = found.valid
    time, predicted = found.time[built], found.predicted[built]
    order = np.argsort(predicted, kind="stable")[:HEAD]
    fails = ~found.fits
    return Score(
        rows=int(built.sum()),
        time=_correlation(predicted, time),
        lanes=_correlation(found.lanes[built], time),
        area={name: _correlation(p[built], r[built]) for name, (r, p) in found.area.items()},
        best=float(time[order].min() / time.min()),
        predicted=int(fails.sum()),
        foretold=int((fails & ~built).sum()),
        failed=int((~built).sum()),
    )


def median_kernel(kernels: Sequence[str], values: Sequence[float]) -> float:
    """Over kernels, of the mean over each one's tables."""
    each = [
        np.mean([v for k, v in zip(kernels, values, strict=True) if k == kernel]) for kernel in dict.fromkeys(kernels)
    ]
    return float(np.median(each))


def _correlation(predicted: Floats, recorded: Floats) -> float:
    """NaN where all designs were recorded with one value, which leaves nothing to be told apart."""
    known: NDArray[np.bool_] = ~np.isnan(recorded) & ~np.isnan(predicted)
    if known.sum() < 2 or np.ptp(recorded[known]) == 0:
        return float("nan")
    if np.ptp(predicted[known]) == 0:
        return 0.0
    return rank_correlation(predicted[known], recorded[known])


def table(entries: Sequence[Entry], scores: Sequence[Score]) -> tuple[str, bool]:
    """The table with its medians, and whether the goals are met."""
    rows = [
        [
            e.table, str(s.rows), f"{s.time:.2f}", f"{s.lanes:.2f}", " ".join(f"{a:.2f}" for a in s.area.values()),
            f"{s.best:.2f}", f"{s.foretold} of {s.predicted}", str(s.failed),
        ]
        for e, s in zip(entries, scores, strict=True)
    ]  # fmt: skip
    head = ["table", "designs", "Spearman, time", "lane counting", "Spearman, area", "best of ten / optimum",
            "failures foretold", "failures"]  # fmt: skip
    kernels = [entry.kernel for entry in entries]
    time, area, best = (median_kernel(kernels, [getattr(s, w) for s in scores]) for w in ("time", "mean_area", "best"))
    above = [s.time > s.lanes for s in scores]
    foretold, predicted, failed = (sum(getattr(s, w) for s in scores) for w in ("foretold", "predicted", "failed"))
    by_resource = {
        name: np.nanmedian([s.area[name] for s in scores if name in s.area])
        for name in dict.fromkeys(name for s in scores for name in s.area)
    }
    parts = ", ".join(f"{name.removeprefix('util_')} {value:.2f}" for name, value in by_resource.items())
    lines = [
        f"Time: median kernel's Spearman {time:.2f} (goal {GOAL_TIME}), above lane counting in {sum(above)} of "
        f"{len(above)} tables.",
        f"Area: median kernel's Spearman {area:.2f} (goal {GOAL_AREA}); of the tables {parts}.",
        f"The best of the {HEAD} predicted fastest: {best:.2f} of the optimum in the median (goal {GOAL_BEST}).",
        f"Failures: precision {foretold / max(1, predicted):.2f} ({foretold} of {predicted}), recall "
        f"{foretold / max(1, failed):.2f} (of {failed}).",
    ]
    met = time >= GOAL_TIME and all(above) and area >= GOAL_AREA and best <= GOAL_BEST
    return markdown(head, rows) + "\n\n" + "\n".join(lines), met
