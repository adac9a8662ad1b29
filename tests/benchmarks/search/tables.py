"""Markdown tables of runs: means over problems of what happened over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.search.runs import Run

Floats = NDArray[np.float64]
MARKS = (20, 40, 60, 100)
DETAILS = "#### One by one"  # heads what is printed, and not put into a page
Runs = Mapping[str, Sequence[Run]]  # by problem


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def with_details(summary: str, *details: str) -> str:
    return "\n\n".join([summary, DETAILS, *details])


def shares_at(runs: Sequence[Run], mark: int) -> list[float]:
    return [value for run in runs if (value := run.at(mark)) is not None]


def mean_at(runs: Sequence[Run], mark: int) -> float | None:
    found = shares_at(runs, mark)
    return float(np.mean(found)) if found else None


def summary(by_problem: Runs, mark: int, problems: Sequence[str]) -> str:
    """Mean over problems of the mean over seeds ± its standard error (geometric mean over problems; mean of the worst
    decile over seeds)."""
    found = [shares_at(by_problem.get(name, ()), mark) for name in problems]
    if not all(found):
        return "–"
    means = np.array([np.mean(shares) for shares in found])
    mean, error = mean_of_means([np.array(shares) for shares in found])
    worst = np.mean([np.quantile(shares, 0.1) for shares in found])
    geometric = float(np.exp(np.log(np.maximum(means, 1e-12)).mean()))
    return f"{mean:.3f} ± {error:.3f} ({geometric:.3f}; {worst:.3f})"


def mean_of_means(problems: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Of runs (seeds, ...) a problem, the mean over problems of the means over seeds (...), and its standard error
    from the seeds, which are independent."""
    means = np.mean([runs.mean(axis=0) for runs in problems], axis=0)
    variance = np.sum([runs.var(axis=0) / max(1, len(runs) - 1) for runs in problems], axis=0)
    return means, np.sqrt(variance) / len(problems)


def evaluations_to(runs: Sequence[Run], goal: float) -> int | None:
    """The first count of evaluations whose mean share over seeds is at least `goal`."""
    shares = np.array([run.shares for run in runs])
    reached = np.flatnonzero(shares.mean(axis=0) >= goal)
    return int(reached[0]) + 1 if len(reached) else None


def failed_share(by_problem: Runs, problems: Sequence[str], evals: int) -> float:
    """Mean over problems of the share of the first `evals` evaluations that failed."""
    return float(np.mean([np.mean([np.mean(run.failed[:evals]) for run in by_problem[name]]) for name in problems]))


def seconds(by_problem: Runs) -> float:
    """Median CPU seconds a suggestion, over all."""
    return float(np.median([s for runs in by_problem.values() for run in runs for s in run.seconds]))


def milliseconds(value: float) -> str:
    return f"{1e3 * value:.3g}"


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
