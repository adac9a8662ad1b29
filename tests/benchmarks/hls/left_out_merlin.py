"""Merlin's kernels with the numbers of the tool fitted on the other kernels' tables.

Time: START, powers of two near what data sheets say, each up or down by a factor where that lowers the mean over the
other tables of the median |log(predicted / recorded)|. Area: the weights that `fit_hls` fits, on the other tables; DSP
blocks are not fitted. What a version does or does not (HlsTool's switches) was read off the records by hand and stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.benchmarks import fit_hls
from tests.benchmarks.hls import merlin
from tests.benchmarks.hls.records import Entry, Floats, compared
from tests.benchmarks.hls.statistics import GOAL_AREA, GOAL_BEST, GOAL_TIME, Score, median_kernel, score
from tests.benchmarks.search.tables import markdown
from tunepass.hwmodels.hls.area import TERMS
from tunepass.hwmodels.hls.tools import AreaTerms, HlsTool, tool

START = {
    "operators.double_add": 8.0,
    "operators.double_mul": 8.0,
    "operators.double_div": 32.0,
    "loop_cycles": 2.0,
    "transfers.request_cycles": 64.0,
    "transfers.scattered_cycles": 64.0,
}
FACTORS = (2.0, 2.0, 1.25, 1.25, 1.1)  # of one round after the other
RESOURCES = ("luts", "ffs", "brams")


class Timing:
    """Errors of tables by the numbers that were tried."""

    def __init__(self, version: str, entries: Sequence[Entry], data: Path):
        self.version, self.entries, self.data = version, entries, data
        self.errors: dict[tuple[float, ...], Floats] = {}

    def of(self, tried: HlsTool) -> Floats:
        key = tuple(fit_hls.numbers(tried).values())
        if key not in self.errors:
            self.errors[key] = np.array([fit_hls.error(tried, e, self.version, self.data) for e in self.entries])
        return self.errors[key]

    def best(self, kernel: str) -> HlsTool:
        """Fitted without the kernel."""
        kept = np.array([e.kernel != kernel for e in self.entries])
        found = tool(merlin.TOOLS[self.version])
        for name, value in START.items():
            found = fit_hls.changed(found, name, value)
        for factor in FACTORS:
            for name in START:
                value = fit_hls.numbers(found)[name]
                steps = [fit_hls.changed(found, name, value * step) for step in (1 / factor, factor)]
                found = min((found, *steps), key=lambda tried: float(self.of(tried)[kept].mean()))
        return found


def with_area(of: HlsTool, kernel: str, entries: Sequence[Entry], version: str, data: Path) -> HlsTool:
    """With the weights of area that tables of other kernels give."""
    train = [fit_hls.cases(e, version, data, of) for e in entries if e.kernel != kernel]
    terms: dict[str, dict[str, float]] = {}
    operators = dict(of.operators)
    for resource in RESOURCES:
        found = dict(zip((*fit_hls.KINDS, *TERMS, "base"), fit_hls.weights(train, resource).tolist(), strict=True))
        for kind in fit_hls.KINDS:
            amount = found.pop(kind)
            if resource != "brams":
                operators[kind] = replace(operators[kind], **{resource: amount})
        terms[resource] = found
    return replace(of, operators=operators, area=AreaTerms(**terms))


def scores(entries: Sequence[Entry], data: Path) -> list[tuple[Entry, Score]]:
    found: list[tuple[Entry, Score]] = []
    for version in merlin.TOOLS:
        ours = [e for e in entries if e.table.startswith("hlsyn/") and e.table.endswith(version)]
        timing = Timing(version, ours, data)
        for kernel in dict.fromkeys(e.kernel for e in ours):
            if all(e.kernel == kernel for e in ours):
                continue
            of = with_area(timing.best(kernel), kernel, ours, version, data)
            for entry in (e for e in ours if e.kernel == kernel):
                name = entry.table.removeprefix("hlsyn/").removesuffix(f"-{version}")
                found.append((entry, score(compared(entry, data, merlin.price(name, version, of)))))
    return found


def table(entries: Sequence[Entry], data: Path) -> str:
    """Each table by numbers that its kernel has had no part in."""
    found = scores(entries, data)
    if not found:
        return "no kernel of Merlin's is left out: there are not two"
    rows = [
        [e.table, f"{s.time:.2f}", f"{s.lanes:.2f}", " ".join(f"{a:.2f}" for a in s.area.values()), f"{s.best:.2f}"]
        for e, s in found
    ]
    head = ["left out", "Spearman, time", "lane counting", "Spearman, area", "best of ten / optimum"]
    kernels = [e.kernel for e, _ in found]
    time, area, best = (
        median_kernel(kernels, [getattr(s, w) for _, s in found]) for w in ("time", "mean_area", "best")
    )
    told = (
        f"Left out, median kernel: Spearman of time {time:.2f} (goal {GOAL_TIME}), above lane counting in "
        f"{sum(s.time > s.lanes for _, s in found)} of {len(found)} tables; of area {area:.2f} (goal {GOAL_AREA}); the "
        f"best of ten {best:.2f} of the optimum (goal {GOAL_BEST})."
    )
    return f"{markdown(head, rows)}\n\n{told}"
