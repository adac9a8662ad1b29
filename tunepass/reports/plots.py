"""Plots of a study with matplotlib, an optional dependency."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tunepass.diagnostics import StudyError, spelling_hint
from tunepass.reports.axis import LOG_FROM
from tunepass.space.configuration import Value, shown
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.study import Study
from tunepass.study.trial import Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, RED, GREY = "#6b8fb5", "#c2410c", "#b91c1c", "#777777"
MOST_SLICES, COLUMNS = 9, 3  # panels of `slices`, and how many stand side by side
MOST_BARS = 20  # parameters of `importance`
LONGEST = 24  # characters of a label


def plot(study: Study, kind: str = "history", *, objective: str | None = None) -> Figure:
    """Draw a study with matplotlib: `pip install 'tunepass[plot]'`.

    Args:
        study: with at least one trial.
        kind: `history`, the values and the best so far by trial; `slices`, the value over each parameter; `importance`,
            how much each parameter decides; `front`, two objectives and the trials that no other dominates; `curves`,
            the intermediate values by step.
        objective: the name of one, where a study has several; `front` has its first two.

    Returns:
        A matplotlib figure: `figure.savefig("history.png")`.

    Raises:
        StudyError: matplotlib is not installed, an unknown kind, or nothing to draw.

    Example:
        >>> study = tp.Study(space, [tp.Objective("time", unit="ms")])
        >>> study.optimize(lambda trial: float(trial["tile"]), n_trials=9)
        >>> figure = tp.plot(study, "history")
        >>> figure.axes[0].get_ylabel()
        'time [ms]'
    """
    if not isinstance(study, Study):
        raise StudyError(f"a plot is of a Study, got {study!r}")
    if not isinstance(kind, str) or kind not in KINDS:
        hint = spelling_hint(str(kind), list(KINDS), f"there are {', '.join(KINDS)}", quote=repr)
        raise StudyError(f"no plot {kind!r}", hint=hint)
    if not any(trial.measured for trial in study.trials):
        raise StudyError("there is nothing to draw: no trial is measured")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise StudyError("plots need matplotlib", hint="pip install 'tunepass[plot]'") from None
    figure = Figure(figsize=(7.6, 4.4), layout="constrained")
    KINDS[kind](figure, study, _chosen(study, objective))
    return figure


def _chosen(study: Study, name: str | None) -> Objective:
    known = {objective.name: objective for objective in study.objectives}
    if name is None:
        return study.objectives[0]
    if name not in known:
        hint = spelling_hint(str(name), list(known), f"there are {', '.join(known)}", quote=repr)
        raise StudyError(f"no objective {name!r} in this study", hint=hint)
    return known[name]


def _history(figure: Figure, study: Study, objective: Objective) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = figure.add_subplot()
    whole = [(t.number + 1, v) for t in study.trials if (v := _value(t, objective)) is not None and not t.censored]
    censored = [(t.number + 1, v) for t in study.trials if (v := _value(t, objective)) is not None and t.censored]
    failed = [t.number + 1 for t in study.trials if not t.measured]
    axes.scatter(*_transposed(whole), s=18, color=BLUE, label="trial")
    if censored:
        axes.scatter(*_transposed(censored), s=18, facecolors="none", edgecolors=GREY, label="ended early (a bound)")
    if best := _improvements(whole, objective):
        ends = [*best, (len(study.trials), best[-1][1])]
        axes.step(*_transposed(ends), where="post", color=ORANGE, linewidth=2, label="best so far")
    if failed:
        axes.plot(failed, [0.02] * len(failed), "x", color=RED, transform=axes.get_xaxis_transform(), label="failed")
    _label_values(axes, objective, [value for _, value in [*whole, *censored]])
    axes.set_xlabel("trial")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title(f"{study.name}: {objective.name}", fontsize=11)
    axes.legend(frameon=False, fontsize=9)


def _slices(figure: Figure, study: Study, objective: Objective) -> None:
    ranked = list(study.importance(objective.name)) or [p.name for p in study.space.parameters]
    measured = [(t, v) for t in study.trials if (v := _value(t, objective)) is not None and not t.censored]
    measured = measured or [(t, v) for t in study.trials if (v := _value(t, objective)) is not None]
    names = [name for name in ranked if any(name in t.configuration for t, _ in measured)][:MOST_SLICES]
    rows = -(-len(names) // COLUMNS)
    figure.set_size_inches(7.6 if len(names) > 1 else 4.4, 0.6 + 2.4 * rows)
    first = None
    for place, name in enumerate(names, start=1):
        axes = figure.add_subplot(rows, min(COLUMNS, len(names)), place, sharey=first)
        first = first or axes
        active = [(trial, value) for trial, value in measured if name in trial.configuration]
        places = _places(axes, [trial.configuration[name] for trial, _ in active])
        numbers = [trial.number + 1 for trial, _ in active]
        points = axes.scatter(
            places, [value for _, value in active], c=numbers, s=16, cmap="viridis", vmin=1, vmax=len(study.trials)
        )
        axes.set_xlabel(_cut(name))
        _label_values(axes, objective, [v for _, v in measured], named=place % COLUMNS == 1 or len(names) == 1)
    figure.colorbar(points, ax=figure.axes, label="trial", aspect=40)
    left_out = len(study.space.parameters) - len(names)
    note = f", {left_out} parameters not drawn" if left_out else ""
    figure.suptitle(f"{study.name}: {objective.name} by parameter{note}", fontsize=11)


def _importance(figure: Figure, study: Study, objective: Objective) -> None:
    shares = study.importance(objective.name)
    if not shares:
        raise StudyError("too few trials are measured to say what decides")
    drawn = list(shares.items())[:MOST_BARS][::-1]
    figure.set_size_inches(7.6, 1.4 + 0.3 * len(drawn))
    axes = figure.add_subplot()
    bars = axes.barh([_cut(name) for name, _ in drawn], [share for _, share in drawn], color=BLUE)
    axes.bar_label(bars, fmt="%.2f", padding=3, fontsize=9)
    axes.set_xlim(0, max(0.1, 1.15 * max(share for _, share in drawn)))
    axes.set_xlabel("divergence between good and bad trials")
    axes.set_title(f"{study.name}: what decides {objective.name}", fontsize=11)


def _front(figure: Figure, study: Study, objective: Objective) -> None:
    if len(study.objectives) < 2:
        raise StudyError("a front is of several objectives", hint='draw "history"')
    across, up = study.objectives[:2]
    axes = figure.add_subplot()
    points = [(x, y) for t in study.trials if (x := _value(t, across)) is not None and (y := _value(t, up)) is not None]
    front = [(x, y) for t in study.pareto if (x := _value(t, across)) is not None and (y := _value(t, up)) is not None]
    axes.scatter(*_transposed(points), s=18, color=BLUE, alpha=0.5, label="trial")
    line = "-o" if len(study.objectives) == 2 else "o"
    axes.plot(*_transposed(sorted(front)), line, color=ORANGE, markersize=5, label="front")
    _label_values(axes, up, [y for _, y in points])
    axes.set_xlabel(_unit_label(across))
    if _wide([x for x, _ in points]):
        axes.set_xscale("log")
    axes.set_title(f"{study.name}: front of {len(front)} trials", fontsize=11)
    axes.legend(frameon=False, fontsize=9)


def _curves(figure: Figure, study: Study, objective: Objective) -> None:
    reported = [trial for trial in study.trials if trial.intermediate]
    if not reported:
        raise StudyError("no trial has intermediate values", hint="report them with trial.report(step, value)")
    axes = figure.add_subplot()
    for trial in reported:
        steps, values = list(trial.intermediate), list(trial.intermediate.values())
        colour = GREY if trial.censored else BLUE
        axes.plot(steps, values, "-", color=colour, linewidth=1, alpha=0.5 if trial.censored else 0.9)
        axes.plot(steps[-1:], values[-1:], "x" if trial.censored else "o", color=colour, markersize=4)
    best = study.best
    if best is not None and best.intermediate:
        axes.plot(list(best.intermediate), list(best.intermediate.values()), color=ORANGE, linewidth=2, label="best")
        axes.legend(frameon=False, fontsize=9)
    _label_values(axes, objective, [v for trial in reported for v in trial.intermediate.values()])
    axes.set_xlabel("step")
    pruned = sum(trial.censored for trial in reported)
    axes.set_title(f"{study.name}: {len(reported)} evaluations, {pruned} ended early (x)", fontsize=11)


KINDS: Mapping[str, Callable[[Figure, Study, Objective], None]] = {
    "history": _history,
    "slices": _slices,
    "importance": _importance,
    "front": _front,
    "curves": _curves,
}


def _value(trial: Trial, objective: Objective) -> float | None:
    return trial.outcome.values[objective.name] if isinstance(trial.outcome, Measured) else None


def _improvements(points: Sequence[tuple[int, float]], objective: Objective) -> list[tuple[int, float]]:
    best: list[tuple[int, float]] = []
    for number, value in points:
        if not best or objective.loss(value) < objective.loss(best[-1][1]):
            best.append((number, value))
    return best


def _transposed(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _wide(values: Sequence[float]) -> bool:
    """Do the values span enough for a log axis?"""
    return bool(values) and min(values) > 0 and max(values) / min(values) > LOG_FROM


def _label_values(axes: Axes, objective: Objective, values: Sequence[float], *, named: bool = True) -> None:
    if named:
        axes.set_ylabel(_unit_label(objective))
    else:
        axes.tick_params(labelleft=False, which="both")
    if _wide(values):
        axes.set_yscale("log")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _unit_label(objective: Objective) -> str:
    return f"{objective.name} [{objective.unit}]" if objective.unit else objective.name


def _places(axes: Axes, values: Sequence[Value]) -> list[float]:
    """Places on the axis: numbers as they are, other values side by side with their names."""
    numbers = [float(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if len(numbers) == len(values):
        if _wide(numbers):
            axes.set_xscale("log")
        elif all(isinstance(value, int) for value in values):
            from matplotlib.ticker import MaxNLocator

            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        return numbers
    names = sorted({shown(value) for value in values})
    axes.set_xticks(range(len(names)), [_cut(name) for name in names], rotation=45 if len(names) > 3 else 0, fontsize=8)
    return [float(names.index(shown(value))) for value in values]


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
