"""Figures 5 to 8 as SVG, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.paper import tables
from tests.benchmarks.paper.problems import Floats, Problem
from tests.benchmarks.paper.published import EXHAUSTIVE, FIGURE_5
from tests.benchmarks.paper.runs import Kept, Run
from tunepass.study.results.pareto import nondominated

COLOURS = {
    "hypermapper": "#0072b2", "baseline": "#d55e00", "auto": "#009e73", "uniform": "#8c8c8c", "exact": "#000000",
}  # fmt: skip
FILLED = {"with": "#0072b2", "without": "#d55e00"}  # Figure 6
SHOWN = 250  # points of a scatter at most


def draw(problems: Sequence[Problem], kept: Kept, folder: Path) -> list[Path]:
    """The pictures of what has run."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update(
        {"svg.hashsalt": "tunepass", "svg.fonttype": "none", "font.size": 9, "font.family": "sans-serif"}
    )
    figures = {
        "paper-figure5.svg": _figure5(problems, kept),
        "paper-figure6.svg": _figure6(problems[-1], kept),
        "paper-figure7.svg": _figure7([p for p in problems if p.name in EXHAUSTIVE], kept),
        "paper-figure8.svg": _figure8(problems, kept),
    }
    folder.mkdir(parents=True, exist_ok=True)
    drawn = list[Path]()
    for name, figure in figures.items():
        if figure is not None:
            figure.savefig(folder / name, metadata={"Date": None}, facecolor="white")
            drawn.append(folder / name)
    return drawn


def _panels(n: int, columns: int, width: float, height: float) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure

    rows = -(-n // columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for unused in axes[n:]:
        unused.set_axis_off()
    return figure, axes


def _figure5(problems: Sequence[Problem], kept: Kept) -> Any:
    scale = kept.scale
    stages = (scale.active_warm_up, scale.active_warm_up + scale.active_iterations * scale.per_iteration)
    found = [{p.name: r for p in problems if (r := tables.recalls(p, kept, n)) is not None} for n in stages]
    if not any(found):
        return None
    figure, axes = _panels(2, 1, 9, 2.6)
    for axis, recalls, title, n in zip(axes, found, FIGURE_5, stages):
        for k, (name, row) in enumerate(recalls.items()):
            axis.plot(range(1, len(row) + 1), row, marker=".", markersize=4, linewidth=0.8, color=f"C{k}", label=name)
        axis.set(
            title=f"{title}: {n:,} evaluations", ylabel="recall", xlim=(0, len(next(iter(recalls.values()), [1])) + 1)
        )
        axis.grid(alpha=0.3)
    axes[1].set_xlabel("setting of Table III")
    axes[0].legend(ncols=4, fontsize=7, loc="lower right")
    return figure


def _figure6(p: Problem, kept: Kept) -> Any:
    scale = kept.scale
    pair = kept.run(p, "active", 0), kept.run(p, "unfiltered", 0)
    if pair[0] is None or pair[1] is None:
        return None
    last = scale.active_warm_up + scale.few_iterations * scale.per_iteration
    figure, (axis,) = _panels(1, 1, 6.5, 4)
    for (word, colour), run in zip(FILLED.items(), pair):
        chosen = slice(scale.active_warm_up, last)
        _scatter(axis, run.losses[chosen][run.fits[chosen]], colour, "o", f"{word} the classifier, fits")
        _scatter(axis, run.losses[chosen][~run.fits[chosen]], colour, "x", f"{word}, does not fit")
        _front(axis, run.feasible(last), colour, f"front {word}")
    _front(axis, p.front, COLOURS["exact"], "exact front")
    axis.set(
        title=f"{p.name}: what {scale.few_iterations} iterations chose",
        xscale="log",
        yscale="log",
        xlabel="thousand ALMs",
        ylabel="cycles",
    )
    axis.legend(fontsize=7)
    return figure


def _figure7(problems: Sequence[Problem], kept: Kept) -> Any:
    known = [(p, run) for p in problems if (run := kept.run(p, "active", 0)) is not None]
    if not known:
        return None
    scale = kept.scale
    last = scale.active_warm_up + scale.few_iterations * scale.per_iteration
    figure, axes = _panels(len(known), 3, 3.6, 3.4)
    for axis, (p, run) in zip(axes, known):
        _scatter(axis, run.losses[:last][~run.fits[:last]], "#cc79a7", "x", "does not fit")
        _scatter(axis, run.feasible(last), "#999999", ".", "fits")
        _front(axis, run.feasible(last), COLOURS["hypermapper"], f"front of {last:,}")
        _front(axis, p.front, COLOURS["exact"], "exact front")
        fitting = run.feasible(last)
        limits = (fitting[:, 1].min() / 1100, max(fitting[:, 1].max(), p.front[:, 1].max()) / 625)
        axis.set(title=p.name, xlabel="thousand ALMs", ylabel="cycles", yscale="log", xlim=limits)
    axes[0].legend(fontsize=7)
    return figure


def _figure8(problems: Sequence[Problem], kept: Kept) -> Any:
    known = [(p, indicator) for p in problems if (indicator := tables.indicator_of(p, kept)) is not None]
    if not known:
        return None
    figure, axes = _panels(len(known), 4, 3, 2.6)
    for axis, (p, indicator) in zip(axes, known):
        for kind in ("baseline", "hypermapper", "auto"):
            runs: list[Run] = kept.runs(p, kind)
            if len(runs) < kept.scale.seeds:
                continue
            counts, mean, half = tables.curve(runs, indicator)
            axis.plot(counts, mean, color=COLOURS[kind], linewidth=1.2, label=kind)
            axis.fill_between(
                counts, np.maximum(mean - half, 0), mean + half, color=COLOURS[kind], alpha=0.25, linewidth=0
            )
        axis.set_yscale("symlog", linthresh=0.01)
        axis.set(title=p.name, xscale="log", xlabel="evaluations", ylabel="indicator", ylim=(0, None))
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=7)
    return figure


def _scatter(axis: Any, losses: Floats, colour: str, marker: str, label: str) -> None:
    step = max(1, len(losses) // SHOWN)
    axis.scatter(
        losses[::step, 1] / 1000,
        losses[::step, 0],
        s=9,
        c=colour,
        marker=marker,
        linewidths=0.6,
        alpha=0.6,
        label=label,
    )


def _front(axis: Any, losses: Floats, colour: str, label: str) -> None:
    """As the stairs that it dominates from; of equal points once. The exact one is wide, and lies below the others."""
    front = np.unique(losses[nondominated(losses)], axis=0)
    exact = colour == COLOURS["exact"]
    look = {"linewidth": 4.0, "alpha": 0.35, "zorder": 1} if exact else {"linewidth": 1.2, "zorder": 3}
    axis.step(front[:, 1] / 1000, front[:, 0], where="pre", color=colour, label=label, **look)
