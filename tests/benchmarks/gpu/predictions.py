"""How well the model tells configurations apart before anything runs, table by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from tests.benchmarks.gpu.recorded import Compared, Entry, compared
from tests.benchmarks.search.tables import markdown
from tunepass.hwmodels.gpu.time import ASSUMED, Assumed
from tunepass.study.trust import rank_correlation

WITHIN, TOP = 1.10, 0.01
GOAL_CORRELATION, GOAL_TOP, GOAL_PRECISION = 0.6, 0.7, 0.95
GRID = tuple(Assumed(most_independent=ilp, loads_ahead=ahead) for ilp, ahead in product((2.0, 4.0, 8.0), (2.0, 4.0)))


@dataclass(frozen=True, slots=True)
class Score:
    """`top` is the best measured of the TOP predicted over the best; `first` the first rank, by the model, within
    WITHIN of the best, and `random` the rank it has by chance; `scale` the median of estimated over measured."""

    correlation: float
    top: float
    first: int
    random: float
    scale: float
    predicted: int  # failures
    failed: int
    right: int


def score(found: Compared) -> Score:
    """Over the rows that ran; rows that the model calls failures stay in, as a table can answer them."""
    ran = ~found.failed
    measured, estimated = found.measured[ran], found.estimated[ran]
    order = np.argsort(estimated, kind="stable")
    near = measured[order] <= WITHIN * measured.min()
    head = order[: max(1, int(np.ceil(TOP * len(order))))]
    return Score(
        correlation=rank_correlation(estimated, measured),
        top=float(measured[head].min() / measured.min()),
        first=int(np.flatnonzero(near)[0]) + 1,
        random=(len(near) + 1) / (near.sum() + 1),
        scale=float(np.median(estimated / measured)),
        predicted=int((~found.fits).sum()),
        failed=int(found.failed.sum()),
        right=int((~found.fits & found.failed).sum()),
    )


def table(entries: Sequence[Entry], data: Path) -> tuple[str, bool]:
    """The table, and whether the goals are met."""
    scores = {entry: score(compared(entry, data)) for entry in entries}
    rows = [
        [
            entry.table, f"{s.correlation:.2f}", f"{s.top:.2f}", str(s.first), f"{s.random:.0f}", f"{s.scale:.2f}",
            f"{s.right} of {s.predicted}", str(s.failed),
        ]
        for entry, s in scores.items()
    ]  # fmt: skip
    head = ["space", "Spearman", "best of top 1 %", "first within 10 %", "by chance", "estimated / measured",
            "failures foretold", "failures"]  # fmt: skip
    correlation = float(np.median([s.correlation for s in scores.values()]))
    hits = [s.top <= WITHIN for s in scores.values()]
    right, predicted = (sum(getattr(s, what) for s in scores.values()) for what in ("right", "predicted"))
    precise = [s.right / s.predicted for s in scores.values() if s.predicted]
    precision = right / max(1, predicted)
    failed = sum(s.failed for s in scores.values())
    lines = [
        f"Median Spearman {correlation:.2f} (goal {GOAL_CORRELATION}); the top 1 % has one within 10 % of the optimum "
        f"in {sum(hits)} of {len(hits)} spaces ({np.mean(hits):.0%}, goal {GOAL_TOP:.0%}).",
        f"Failures: precision {precision:.3f} (goal {GOAL_PRECISION}), in the worst space {min(precise, default=1):.2f}"
        f"; recall {right / max(1, failed):.2f}.",
    ]
    good = correlation >= GOAL_CORRELATION and np.mean(hits) >= GOAL_TOP and precision >= GOAL_PRECISION
    return "\n\n".join(["\n".join(lines), markdown(head, rows)]), bool(good)


def left_out(entries: Sequence[Entry], data: Path) -> str:
    """What is assumed chosen on the other kernels (most spaces hit, then the mean Spearman), by kernel left out."""
    scores = {assumed: {e: score(compared(e, data, assumed)) for e in entries} for assumed in (*GRID, ASSUMED)}
    kernels = sorted({e.kernel for e in entries})
    rows, correlations, hits = [], list[float](), list[bool]()
    for kernel in kernels:
        best = max(GRID, key=lambda assumed: _merit(scores[assumed], kernel))
        mine, shipped = ([s for e, s in scores[a].items() if e.kernel == kernel] for a in (best, ASSUMED))
        correlations += [s.correlation for s in mine]
        hits += [s.top <= WITHIN for s in mine]
        rows.append(
            [
                kernel, f"{best.most_independent:.0f}, {best.loads_ahead:.0f}",
                *(f"{np.median([s.correlation for s in group]):.2f}" for group in (mine, shipped)),
                *(f"{sum(s.top <= WITHIN for s in group)} of {len(group)}" for group in (mine, shipped)),
            ]
        )  # fmt: skip
    head = ["kernel left out", "chosen on the others", "Spearman", "as shipped", "top 1 %", "as shipped"]
    line = f"Left out: median Spearman {np.median(correlations):.2f}, top 1 % in {sum(hits)} of {len(hits)} spaces."
    return f"{line}\n\n{markdown(head, rows)}"


def _merit(scores: Mapping[Entry, Score], without: str) -> tuple[float, float]:
    others = [s for e, s in scores.items() if e.kernel != without]
    return float(np.mean([s.top <= WITHIN for s in others])), float(np.mean([s.correlation for s in others]))
