"""The curves of docs/search.md from kept runs: what the tables print at a few evaluations, at all of them.

Each function has the arguments of the table of its name; what was not run yet is run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.benchmarks.search import panel_flags, panel_objectives, panel_reals, panels, tables
from tests.benchmarks.search.charts import Curve, Panel, of_runs
from tests.benchmarks.search.runs import Places, Run
from tests.benchmarks.search.single import MATCH, Bench

STEP = 5  # evaluations between two points of a front's curve, whose hypervolumes take time


def recorded(bench: Bench, problems: Sequence[str], strategies: Sequence[str]) -> list[Panel]:
    """Optimum over best, of what was run and of the peers' recorded runs."""
    curves = [_of_problems(name, list(of.values()), bench.evals) for name, of in bench.of(problems, strategies).items()]
    for name, peers in sorted(bench.recorded(problems).items()):
        if len(peers) == len(problems):
            label = f"{name}, recorded" if name in strategies else name
            curves.append(_of_problems(label, [peer.runs for peer in peers.values()], MATCH))
    return [Panel(f"optimum over best, {len(problems)} recorded spaces", tuple(curves), 0.2)]


def _of_problems(label: str, problems: Sequence[Sequence[Run]], evals: int) -> Curve:
    """The mean over problems of the means over seeds, as far as every run goes."""
    evals = min(evals, *(len(run.shares) for runs in problems for run in runs))
    every = [np.array([run.shares[:evals] for run in runs]) for runs in problems]
    mean, error = tables.mean_of_means(every)
    return Curve(label, np.arange(1.0, evals + 1), mean, error)


def flags(places: Places, methods: Sequence[str], seeds: Sequence[int], jobs: int) -> list[Panel]:
    every = [method for method in methods if method not in panels.OF_REALS]
    return [
        Panel(
            f"optimum over best, {count} flags",
            tuple(of_runs(m, panels.flag_shares(places, count, m, seeds, jobs)) for m in every),
            0.7,
        )
        for count in panel_flags.SIZES
    ]


def reals(
    places: Places, methods: Sequence[str], seeds: Sequence[int], jobs: int, words: Sequence[str] = ()
) -> list[Panel]:
    return [
        Panel(
            f"log10 of regret, {problem.name}",
            tuple(of_runs(m, panels.real_logs(places, problem, m, seeds, jobs)) for m in methods),
        )
        for problem in panel_reals.chosen(words)
    ]


def objectives(
    places: Places, methods: Sequence[str], seeds: Sequence[int], jobs: int, words: Sequence[str] = ()
) -> list[Panel]:
    """The share of the hypervolume: the mean over a group's problems, or where words are given each problem."""
    counts = range(STEP, panel_objectives.MARKS[-1] + 1, STEP)
    drawn = []
    groups = panel_objectives.groups(words)
    if words:
        groups = {problem.name: (problem,) for problems in groups.values() for problem in problems}
    for group, problems in groups.items():
        curves = []
        for method in methods:
            every = [panel_objectives.every(places, p.name, method, seeds, jobs, counts) for p in problems]
            runs = np.mean(every, axis=0)
            error = runs.std(axis=0) / np.sqrt(max(1, len(runs) - 1))
            curves.append(Curve(method, np.array(counts, np.float64), runs.mean(axis=0), error))
        drawn.append(Panel(f"hypervolume, {group}" + ("" if words else " objectives"), tuple(curves), 0.0))
    return drawn
