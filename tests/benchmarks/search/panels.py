"""Panels of functions with known optima: our strategies beside Optuna's TPE, CMA-ES, a genetic and a random search.

A peer that cannot be imported is left out of the table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from itertools import repeat
from multiprocessing import get_context
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.search import botorch_peer, panel_flags, panel_reals, variants
from tests.benchmarks.search.runs import Places, code_version
from tests.benchmarks.search.tables import markdown
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured, Outcome
from tunepass.study.study import Study

Floats = NDArray[np.float64]


class PanelProblem(Protocol):
    """Every one of `space` is flags, or reals in [0, 1]."""

    @property
    def name(self) -> str: ...
    @property
    def space(self) -> Space: ...
    @property
    def objective(self) -> Objective: ...
    @property
    def optimum(self) -> float: ...
    def price(self, configuration: Configuration) -> Outcome: ...


def value(problem: PanelProblem, configuration: Configuration) -> float:
    outcome = problem.price(configuration)
    assert isinstance(outcome, Measured)
    return outcome.values[problem.objective.name]


def ours(problem: PanelProblem, strategy: str, seed: int, evals: int) -> list[float]:
    """The value of each evaluation, in order."""
    objectives, factory = [problem.objective], variants.factory(strategy)
    study = Study(problem.space, objectives, strategy=factory, seed=seed, max_evals=evals, repeats=False)
    values = []
    while suggested := study.suggest(1):
        study.observe(suggested[0], problem.price(suggested[0]))
        values.append(value(problem, suggested[0]))
    return values


def configured(problem: PanelProblem, place: Sequence[float]) -> Configuration:
    """The configuration at a place in [0, 1]^d: a flag is on from 0.5 on."""
    values: dict[str, Value] = {}
    for p, x in zip(problem.space.parameters, place):
        values[p.name] = bool(x >= 0.5) if isinstance(p, Categorical) else float(min(max(x, 0.0), 1.0))
    return Configuration(values)


def tpe(problem: PanelProblem, seed: int, evals: int) -> list[float]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True))

    def asked(trial: optuna.Trial) -> float:
        return value(
            problem,
            Configuration(
                {
                    p.name: trial.suggest_categorical(p.name, [False, True])
                    if isinstance(p, Categorical)
                    else trial.suggest_float(p.name, 0.0, 1.0)
                    for p in problem.space.parameters
                }
            ),
        )

    study.enqueue_trial(dict(problem.space.default))  # as ours: the default is known
    study.optimize(asked, n_trials=evals)
    return [float(trial.value) for trial in study.trials]


def cma_es(problem: PanelProblem, seed: int, evals: int) -> list[float]:
    import cma

    d, values = len(problem.space.parameters), [value(problem, problem.space.default)]
    options = {"bounds": [0, 1], "seed": seed + 1, "verbose": -9, "maxfevals": 10 * evals}
    search = cma.CMAEvolutionStrategy([0.5] * d, 0.25, options)
    while len(values) < evals:
        places = search.ask()
        told = [value(problem, configured(problem, place)) for place in places]
        search.tell(places, list(np.log(told)))
        values += told
    return values[:evals]


def genetic(problem: PanelProblem, seed: int, evals: int, size: int = 20) -> list[float]:
    """Tournaments of two, uniform crossover, mutation of one parameter in the mean; the best `size` live on."""
    rng, d = np.random.default_rng(seed), len(problem.space.parameters)
    people = [(value(problem, problem.space.default), np.zeros(d))]
    values = [people[0][0]]
    while len(values) < evals:
        if len(values) < size:
            child = rng.random(d)
        else:
            picks = rng.integers(len(people), size=(2, 2)).min(axis=1)  # people are sorted
            child = np.where(rng.random(d) < 0.5, *(people[pick][1] for pick in picks))
            child = np.where(rng.random(d) < 1 / d, rng.random(d), child)
        values.append(value(problem, configured(problem, list(child))))
        people = sorted([*people, (values[-1], child)], key=lambda one: one[0])[:size]
    return values


def botorch(problem: PanelProblem, seed: int, evals: int) -> list[float]:
    first = [float(str(problem.space.default[p.name])) for p in problem.space.parameters]
    return botorch_peer.search(lambda place: value(problem, configured(problem, place)), first, seed, evals)


PEERS: dict[str, tuple[str, Callable[[PanelProblem, int, int], list[float]]]] = {
    "optuna TPE, multivariate": ("optuna", tpe),
    "CMA-ES": ("cma", cma_es),
    "BoTorch": ("botorch", botorch),
    "genetic": ("numpy", genetic),
}
OF_REALS = ("CMA-ES", "BoTorch")


def curve(places: Places, problem: PanelProblem, method: str, seed: int, evals: int) -> list[float]:
    """The least value after each evaluation, kept like other runs."""
    version = "peer" if method in PEERS else code_version()[:20]
    folder = places.kept / "panels" / problem.name.replace("/", ".")
    path = folder / f"{method.replace(' ', '-').replace(',', '')}-{seed}-{evals}-{version}.json"
    if not path.exists():
        made = PEERS[method][1](problem, seed, evals) if method in PEERS else ours(problem, method, seed, evals)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(np.minimum.accumulate(made).tolist()), encoding="utf-8")
    kept: list[float] = json.loads(path.read_text(encoding="utf-8"))
    return kept


def curves(places: Places, problem: PanelProblem, method: str, seeds: Sequence[int], evals: int, jobs: int) -> Floats:
    """(seeds, evals)."""
    if jobs <= 1:
        return np.array([curve(places, problem, method, seed, evals) for seed in seeds])
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        arguments = repeat(places), repeat(problem), repeat(method), seeds, repeat(evals)
        return np.array(list(pool.map(curve, *arguments)))


def there(peers: Mapping[str, tuple[str, object]], words: Sequence[str] = ()) -> list[str]:
    """Peers by name whose module can be imported; where words are given, those whose names have one of them."""
    found = [name for name, (module, _) in peers.items() if find_spec(module) is not None]
    return [name for name in found if not words or any(word in name for word in words)]


def flag_shares(places: Places, count: int, method: str, seeds: Sequence[int], jobs: int) -> Floats:
    """Optimum over best (draws times seeds, evaluations)."""
    shares = []
    for draw in panel_flags.DRAWS:
        problem = panel_flags.FlagProblem.of(count, draw)
        shares.append(problem.optimum / curves(places, problem, method, seeds, panel_flags.MARKS[-1], jobs))
    return np.concatenate(shares)


def real_logs(places: Places, problem: panel_reals.RealProblem, method: str, seeds: Sequence[int], jobs: int) -> Floats:
    """log10 of the regret over its floor (seeds, evaluations)."""
    return np.log10(curves(places, problem, method, seeds, panel_reals.MARKS[-1], jobs) / problem.optimum)


def flags(places: Places, methods: Sequence[str], seeds: Sequence[int], jobs: int) -> str:
    """Optimum over best: mean over draws and seeds, its standard error."""
    marks, rows = panel_flags.MARKS, []
    for count in panel_flags.SIZES:
        for method in methods:
            if method in OF_REALS:
                continue
            every = flag_shares(places, count, method, seeds, jobs)
            rows.append([str(count), method, str(len(every)), *(_with_error(every[:, mark - 1]) for mark in marks)])
    return markdown(["flags", "strategy", "runs", *(f"at {mark}" for mark in marks)], rows)


def reals(places: Places, methods: Sequence[str], seeds: Sequence[int], jobs: int, words: Sequence[str] = ()) -> str:
    """log10 of the regret over its floor: mean over seeds, its standard error; less is better."""
    marks, rows, problems = panel_reals.MARKS, [], panel_reals.chosen(words)
    for method in methods:
        cells: dict[int, list[str]] = {mark: [] for mark in marks}
        means: dict[int, list[float]] = {mark: [] for mark in marks}
        for problem in problems:
            logs = real_logs(places, problem, method, seeds, jobs)
            for mark in marks:
                cells[mark].append(_with_error(logs[:, mark - 1], 2))
                means[mark].append(float(logs[:, mark - 1].mean()))
        rows += [[method, str(mark), *cells[mark], f"{np.mean(means[mark]):.2f}"] for mark in marks]
    return markdown(["strategy", "at", *(problem.name for problem in problems), "mean"], rows)


def _with_error(values: Floats, digits: int = 3) -> str:
    """The mean, and its standard error where there are several."""
    mean = f"{values.mean():.{digits}f}"
    return f"{mean} ± {values.std() / np.sqrt(len(values) - 1):.{digits}f}" if len(values) > 1 else mean
