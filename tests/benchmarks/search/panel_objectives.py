"""Several objectives: the share of the true front's hypervolume, ours beside ParEGO, MOTPE, NSGA-II and random search.

ParEGO (one process of a random scalarisation, expected improvement) is our engine's; MOTPE and NSGA-II are Optuna's. A
peer that cannot be imported is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context

import numpy as np

from tests.benchmarks.search import variants
from tests.benchmarks.search.objective_problems import MORE, PROBLEMS, THREE, TWO, ObjectiveProblem
from tests.benchmarks.search.runs import Places, code_version
from tests.benchmarks.search.tables import markdown, with_details
from tunepass.strategies.base import Strategy
from tunepass.strategies.bo.bayesian import Bayesian, BayesianSettings
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured
from tunepass.study.results.pareto import hypervolume
from tunepass.study.study import Study
from tunepass.study.task import Task
from tunepass.surrogates.base import Floats

MARKS = (30, 50, 100)
PAREGO = BayesianSettings(surrogate="gp", log_output=False)
GROUPS = {"two": TWO, "three": THREE, "four and six": MORE}


def parego(task: Task) -> Strategy:
    return Bayesian(task, PAREGO)


def ours(problem: ObjectiveProblem, strategy: str, seed: int, evals: int) -> list[list[float]]:
    """The losses of each evaluation, in order."""
    names = [f"f{j}" for j in range(problem.objectives)]
    factory = parego if strategy == "ParEGO" else variants.factory(strategy)
    study = Study(problem.space, [Objective(n) for n in names], strategy=factory, seed=seed, max_evals=evals)
    every: list[list[float]] = []
    while suggested := study.suggest(1):
        row = [float(str(suggested[0][p.name])) for p in problem.space.parameters]
        every.append(problem.losses(np.array([row]))[0].tolist())
        study.observe(suggested[0], Measured(dict(zip(names, every[-1]))))
    return every


def optuna_sampler(problem: ObjectiveProblem, strategy: str, seed: int, evals: int) -> list[list[float]]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = (
        optuna.samplers.TPESampler(seed=seed, multivariate=True)
        if strategy == "MOTPE"
        else optuna.samplers.NSGAIISampler(seed=seed, population_size=20)
    )
    study = optuna.create_study(directions=["minimize"] * problem.objectives, sampler=sampler)

    def asked(trial: optuna.Trial) -> list[float]:
        ask = trial.suggest_int if problem.whole else trial.suggest_float
        row = [float(ask(f"x{i}", lo, hi)) for i, (lo, hi) in enumerate(problem.bounds, start=1)]
        losses: list[float] = problem.losses(np.array([row]))[0].tolist()
        return losses

    study.enqueue_trial(dict(problem.space.default))  # as ours: the default is known
    study.optimize(asked, n_trials=evals)
    return [list(trial.values) for trial in study.trials]


Search = Callable[[ObjectiveProblem, str, int, int], list[list[float]]]
PEERS: dict[str, tuple[str, Search]] = {
    "ParEGO": ("numpy", ours),
    "MOTPE": ("optuna", optuna_sampler),
    "NSGA-II": ("optuna", optuna_sampler),
}


def shares(places: Places, name: str, method: str, seed: int, evals: int, counts: Sequence[int] = MARKS) -> list[float]:
    """The share of the hypervolume after each of `counts` evaluations, kept like other runs."""
    problem = PROBLEMS[name]
    module, search = PEERS.get(method, ("numpy", ours))
    version = "peer" if module == "optuna" else code_version()[:20]
    folder = places.kept / "objectives" / name.replace(" ", "-")
    path = folder / f"{method}-{seed}-{evals}-{version}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(search(problem, method, seed, evals)), encoding="utf-8")
    losses = json.loads(path.read_text(encoding="utf-8"))
    corner, volume = problem.corner
    return [hypervolume(losses[:mark], corner) / volume for mark in counts]


def groups(words: Sequence[str] = ()) -> dict[str, tuple[ObjectiveProblem, ...]]:
    """The problems by how many objectives they have; where words are given, those that one of them names, or whose
    names have one that names none."""

    def chosen(name: str) -> bool:
        return not words or name in words or any(word in name for word in words if word not in PROBLEMS)

    found = {group: tuple(p for p in problems if chosen(p.name)) for group, problems in GROUPS.items()}
    return {group: problems for group, problems in found.items() if problems}


def table(places: Places, methods: Sequence[str], seeds: Sequence[int], jobs: int, words: Sequence[str] = ()) -> str:
    """Mean over seeds for each problem, and over the problems of a group with its standard error."""
    each, totals = [], []
    for group, problems in groups(words).items():
        found = {m: [every(places, p.name, m, seeds, jobs) for p in problems] for m in methods}
        for number, problem in enumerate(problems):
            cells = {method: [f"{v:.3f}" for v in found[method][number].mean(axis=0)] for method in methods}
            each += [[problem.name, method, *cells[method]] for method in methods]
        for method in methods:
            means = np.mean(found[method], axis=0)  # (seeds, marks), over problems
            error = means.std(axis=0) / np.sqrt(max(1, len(means) - 1))
            total = (f"{m:.3f} ± {e:.3f}" for m, e in zip(means.mean(axis=0), error))
            totals.append([f"{group}, {len(problems)} problems", method, *total])
    marks = [f"at {mark}" for mark in MARKS]
    return with_details(
        markdown(["objectives", "strategy", *marks], totals), markdown(["problem", "strategy", *marks], each)
    )


def every(
    places: Places, name: str, method: str, seeds: Sequence[int], jobs: int, counts: Sequence[int] = MARKS
) -> Floats:
    """Shares (seeds, counts)."""
    if jobs <= 1:
        return np.array([shares(places, name, method, seed, MARKS[-1], counts) for seed in seeds])
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        arguments = repeat(places), repeat(name), repeat(method), seeds, repeat(MARKS[-1]), repeat(counts)
        return np.array(list(pool.map(shares, *arguments)))
