"""Two objectives: the share of the true front's hypervolume, ours beside Optuna's where that can be imported.

Every strategy is shown the space that `tunepass replay` reads: the recorded rows where the table is a sample. Optuna
cannot be held to a list of rows, so what it asks for and is not one of them is told to it as a broken constraint, and
what it has asked for before with its values, both free of charge, up to `REFUSALS` times an evaluation; then a random
new row stands in, which it is told of.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from tests.benchmarks.search import variants
from tests.benchmarks.search.runs import Places, code_version
from tests.benchmarks.search.tables import markdown
from tunepass.evaluators.recorded.replay import replay
from tunepass.evaluators.recorded.table import RecordedSpace, read
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical, Permutation
from tunepass.study.outcome import Measured
from tunepass.study.results.pareto import hypervolume, nondominated

REFUSALS = 5
SPECTOR = ("bfs_dense", "bfs_sparse", "fir", "hist", "mm", "nw", "spmv_5000", "spmv_500000")
OPTUNA = {"optuna NSGA-II": "NSGAIISampler", "optuna TPE": "TPESampler"}


def shares(places: Places, table: str, strategy: str, evals: int, seeds: int) -> list[list[float]]:
    """The share of the table's hypervolume after each evaluation, a list a seed; kept like other runs."""
    folder = places.kept / "fronts" / table
    found: list[list[float]] = []
    for seed in range(seeds):
        path = folder / f"{strategy.replace(' ', '-')}-{seed}-{evals}-{code_version()[:20]}.json"
        if not path.exists():
            made = _optuna if strategy in OPTUNA else _ours
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(made(places, table, strategy, evals, seed)), encoding="utf-8")
        found.append(json.loads(path.read_text(encoding="utf-8")))
    return found


def fronts(places: Places, tables: Sequence[str], strategies: Sequence[str], marks: Sequence[int], seeds: int) -> str:
    """Median over seeds (and the worst) of the share of the front's hypervolume."""
    rows = []
    for table in tables:
        for strategy in strategies:
            if strategy in OPTUNA and find_spec("optuna") is None:
                continue
            runs = shares(places, table, strategy, marks[-1], seeds)
            columns = [[run[min(mark, len(run)) - 1] for run in runs] for mark in marks]
            rows.append([table, strategy, *(f"{np.median(c):.4f} ({min(c):.4f})" for c in columns)])
    return markdown(["space", "strategy", *(f"at {mark}" for mark in marks)], rows)


def means(places: Places, tables: Sequence[str], strategies: Sequence[str], marks: Sequence[int], seeds: int) -> str:
    """Means over tables of the medians over seeds."""
    rows = []
    for strategy in strategies:
        if strategy in OPTUNA and find_spec("optuna") is None:
            continue
        every = [shares(places, table, strategy, marks[-1], seeds) for table in tables]
        cells = [np.mean([np.median([run[min(m, len(run)) - 1] for run in runs]) for runs in every]) for m in marks]
        rows.append([strategy, *(f"{cell:.4f}" for cell in cells)])
    return markdown(["strategy", *(f"at {mark}" for mark in marks)], rows)


def _ours(places: Places, table: str, strategy: str, evals: int, seed: int) -> list[float]:
    path = places.data / f"{table}.json"
    names = [o.name for o in read(path).objectives[:2]]
    (run,) = replay(path, variants.factory(strategy), evals, [seed], objectives=names).runs
    return [value or 0.0 for value in run.best_so_far]


def _optuna(places: Places, table: str, strategy: str, evals: int, seed: int) -> list[float]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    recorded = read(places.data / f"{table}.json")
    sampler = getattr(optuna.samplers, OPTUNA[strategy])(seed=seed, constraints_func=_broken)
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
    losses = {c: _losses(recorded, o) for c, o in recorded.outcomes.items() if isinstance(o, Measured)}
    volume = _scaled_volume(np.array(list(losses.values())))
    rng, found, series = np.random.default_rng(seed), list[tuple[float, ...]](), list[float]()
    worst = tuple(float(v) for v in np.max(list(losses.values()), axis=0))  # what a broken constraint is told as
    seen: set[Configuration] = set()

    def tell(trial: Any, configuration: Configuration) -> tuple[float, ...] | None:
        got = losses.get(configuration)
        trial.set_user_attr("broken", 0.0 if got else 1.0)
        study.tell(trial, list(got or worst))
        return got

    while len(series) < min(evals, recorded.space.size):
        for refused in range(REFUSALS + 1):
            if refused == REFUSALS:
                _enqueue_new_row(study, recorded, rng, seen)
            trial = study.ask()
            configuration = _suggested(trial, recorded)
            got = tell(trial, configuration)
            if configuration not in seen and recorded.space.contains(configuration):
                break
        seen.add(configuration)
        found += [got] if got else []
        series.append(volume(found))
    return series


def _enqueue_new_row(study: Any, recorded: RecordedSpace, rng: np.random.Generator, seen: set[Configuration]) -> None:
    rows = recorded.space.sample(min(recorded.space.size, len(seen) + 1), rng)
    row = next(row for row in rows if row not in seen)
    places = {}
    for p in recorded.space.parameters:
        places[p.name] = int(p.find(p.column([row[p.name]]))[0])
    study.enqueue_trial(places)


def _suggested(trial: Any, recorded: RecordedSpace) -> Configuration:
    """Numbers by their place in order, categories and permutations by name of the place."""
    values = {}
    for p in recorded.space.parameters:
        domain = list(p.domain)
        if isinstance(p, (Categorical, Permutation)):
            values[p.name] = domain[trial.suggest_categorical(p.name, list(range(len(domain))))]
        else:
            values[p.name] = domain[trial.suggest_int(p.name, 0, len(domain) - 1)]
    return Configuration(values)


def _broken(trial: Any) -> tuple[float]:
    return (float(trial.user_attrs.get("broken", 0.0)),)


def _losses(recorded: RecordedSpace, outcome: Measured) -> tuple[float, ...]:
    return tuple(o.loss(outcome.values[o.name]) for o in recorded.objectives[:2])


def _scaled_volume(every: np.ndarray[Any, np.dtype[np.float64]]) -> Callable[[list[tuple[float, ...]]], float]:
    """Share of the table's hypervolume, in losses scaled to the range of the measured rows, as replay has it."""
    low, spread = every.min(axis=0), np.maximum(np.ptp(every, axis=0), 1e-300)
    corner = [1.0 + 1e-9] * every.shape[1]
    whole = hypervolume((every[nondominated(every)] - low) / spread, corner)
    return lambda found: hypervolume((np.array(found) - low) / spread, corner) / whole if found else 0.0
