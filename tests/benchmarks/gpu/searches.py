"""Searches of recorded tables with the model as prior mean, without, and with another GPU's table as source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.gpu.predictions import WITHIN
from tests.benchmarks.gpu.recorded import ENTRIES, Entry, model, moved, searched
from tests.benchmarks.search.tables import markdown
from tests.benchmarks.search.transfer import source
from tunepass.space.constraint import Constraint
from tunepass.space.space import Space
from tunepass.strategies.prior_mean.sources import PriorMean
from tunepass.study.outcome import Measured
from tunepass.study.study import Study

GOAL = 0.5
Floats = NDArray[np.float64]
Counts = Mapping[str, Floats]  # by kind, a number a seed
Told = Callable[[str], None]
WITHOUT, WITH, SOURCE, MOVED = "without", "with the model", "with a source", "with the source, moved by the model"
ALONE = (WITHOUT, WITH)
ORIGINS = {
    "kernel_tuner/conv_bat-2080Ti": "kernel_tuner/conv_bat-Titan",
    "kernel_tuner/convolution-A4000": "kernel_tuner/convolution-MI250X",
    "kernel_tuner/convolution-MI250X": "kernel_tuner/convolution-A4000",
    "kernel_tuner/dedispersion-MI250X": "kernel_tuner/dedispersion-A4000",
    "kernel_tuner/gemm-Titan": "kernel_tuner/gemm-2080Ti",
    "kernel_tuner/pnpoly-3090": "kernel_tuner/pnpoly-2080Ti",
    "ktt/pnpoly-2080Ti": "ktt/pnpoly-3090",
}  # target -> the table of another GPU that is its source


@dataclass(frozen=True, slots=True)
class Search:
    """`origin`: the table of another GPU that is the source of a transfer."""

    entry: Entry
    kind: str
    seed: int
    evals: int
    origin: Entry | None = None


def evaluations(search: Search, data: Path) -> int:
    """Until the first within WITHIN of the optimum; one more than there are where none is."""
    subject, space = searched(search.entry, data), searched(search.entry, data).space
    if search.kind in (WITH, MOVED) and space.constraints:
        fits = Constraint(model(search.entry, data).fits, "the model says it fits")
        space = Space(space.parameters, [*space.constraints, fits])
    objective = subject.objective
    study = Study(
        space, [objective], strategy="auto", seed=search.seed, max_evals=search.evals, prior_mean=_prior(search, data)
    )
    for count in range(1, search.evals + 1):
        suggested = study.suggest(1)
        if not suggested:
            break
        outcome = subject.outcome(suggested[0])
        study.observe(suggested[0], outcome)
        if isinstance(outcome, Measured) and outcome.values[objective.name] <= WITHIN * subject.optimum:
            return count
    return search.evals + 1


def _prior(search: Search, data: Path) -> PriorMean | None:
    if search.kind == WITH:
        return PriorMean.from_expression(model(search.entry, data).time)
    if search.kind == WITHOUT or search.origin is None:
        return None
    if search.kind == SOURCE:
        return source(data, search.origin.table, "as it is", search.seed)
    return moved(search.origin, search.entry, data)


def ratio(counts: Sequence[Counts], kind: str, base: str) -> tuple[float, float]:
    """The geometric mean over spaces of the ratio of mean evaluations, and its relative standard error: over the seeds,
    which are paired."""
    logs, variances = list[float](), list[float]()
    for found in counts:
        a, b = found[kind], found[base]
        logs.append(float(np.log(a.mean() / b.mean())))
        each = a / a.mean() - b / b.mean()
        variances.append(float(each.var(ddof=1) / len(each)) if len(each) > 1 else 0.0)
    return float(np.exp(np.mean(logs))), float(np.sqrt(np.sum(variances)) / len(logs))


def table(entries: Sequence[Entry], data: Path, seeds: int, evals: int, told: Told) -> tuple[str, bool]:
    """With the model against without, on the same seeds."""
    every = [_counts(entry, None, ALONE, data, seeds, evals, told) for entry in entries]
    rows = [
        [entry.table, *(_spread(counts[kind]) for kind in ALONE), _shown(ratio([counts], WITH, WITHOUT))]
        for entry, counts in zip(entries, every)
    ]
    found = ratio(every, WITH, WITHOUT)
    line = (
        f"Evaluations until within 10 % of the optimum, with the model over without: geometric mean {_shown(found)} "
        f"over {len(every)} spaces, {seeds} seeds (goal {GOAL:.2f}); {evals + 1} where {evals} do not reach it."
    )
    return f"{line}\n\n{markdown(['space', *ALONE, 'ratio'], rows)}", found[0] <= GOAL


def transfer(entries: Sequence[Entry], data: Path, seeds: int, evals: int, told: Told) -> str:
    """What a table of another GPU gives, and what the model adds to it."""
    by_name = {entry.table: entry for entry in ENTRIES}
    kinds = (*ALONE, SOURCE, MOVED)
    pairs = [(entry, by_name[ORIGINS[entry.table]]) for entry in entries if entry.table in ORIGINS]
    every = [_counts(entry, origin, kinds, data, seeds, evals, told) for entry, origin in pairs]
    rows = [
        [entry.table, origin.table, *(_spread(counts[kind]) for kind in kinds)]
        for (entry, origin), counts in zip(pairs, every)
    ]
    lines = [f"{kind}: {_shown(ratio(every, kind, WITHOUT))} of the evaluations without" for kind in kinds[1:]]
    return "\n".join([*lines, "", markdown(["space", "source", *kinds], rows)])


def _counts(
    entry: Entry, origin: Entry | None, kinds: Sequence[str], data: Path, seeds: int, evals: int, told: Told
) -> Counts:
    counts = {
        kind: np.array([float(evaluations(Search(entry, kind, seed, evals, origin), data)) for seed in range(seeds)])
        for kind in kinds
    }
    told(f"{entry.table}: {'; '.join(f'{kind} {_spread(found)}' for kind, found in counts.items())}")
    return counts


def _shown(found: tuple[float, float]) -> str:
    share, error = found
    return f"{share:.2f} ± {share * error:.2f}"


def _spread(counts: Floats) -> str:
    error = counts.std(ddof=1) / np.sqrt(len(counts)) if len(counts) > 1 else 0.0
    return f"{counts.mean():.1f} ± {error:.1f}"
