"""Other tuners on problems of several objectives: Optuna, SMAC and BoTorch, each as its documentation uses it.

All begin with the default configuration, as ours do, and none is told a reference point: BoTorch infers one from the
trials (`infer_reference_point`), as Ax does.

TPE         Optuna's `TPESampler(multivariate=True)`: MOTPE (Ozaki et al. 2022)
NSGA-II     Optuna's, 20 members
NSGA-III    Optuna's, 20 members (Deb & Jain 2014)
SMAC        `BlackBoxFacade` (a Gaussian process) with `ParEGO` (Knowles 2006)
BoTorch     one `SingleTaskGP` an objective, `qLogNoisyExpectedHypervolumeImprovement` (Daulton et al. 2021)
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.benchmarks.search.objective_problems import ObjectiveProblem

Search = Callable[[ObjectiveProblem, str, int, int], list[list[float]]]


def losses_of(problem: ObjectiveProblem, row: list[float]) -> list[float]:
    losses: list[float] = problem.losses(np.array([row]))[0].tolist()
    return losses


def default_row(problem: ObjectiveProblem) -> list[float]:
    return [float(str(problem.space.default[p.name])) for p in problem.space.parameters]


def optuna_search(problem: ObjectiveProblem, sampler_name: str, seed: int, evals: int) -> list[list[float]]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {
        "TPE": lambda: optuna.samplers.TPESampler(seed=seed, multivariate=True),
        "NSGA-II": lambda: optuna.samplers.NSGAIISampler(seed=seed, population_size=20),
        "NSGA-III": lambda: optuna.samplers.NSGAIIISampler(seed=seed, population_size=20),
    }
    study = optuna.create_study(directions=["minimize"] * problem.objectives, sampler=samplers[sampler_name]())

    def evaluate(trial: optuna.Trial) -> list[float]:
        suggest = trial.suggest_int if problem.whole else trial.suggest_float
        return losses_of(problem, [float(suggest(f"x{i}", lo, hi)) for i, (lo, hi) in enumerate(problem.bounds, 1)])

    study.enqueue_trial(dict(problem.space.default))
    study.optimize(evaluate, n_trials=evals)
    return [list(trial.values) for trial in study.trials]


def smac_search(problem: ObjectiveProblem, name: str, seed: int, evals: int) -> list[list[float]]:
    from ConfigSpace import ConfigurationSpace, Float, Integer
    from smac import BlackBoxFacade, Scenario
    from smac.runhistory.dataclasses import TrialValue

    space, default = ConfigurationSpace(seed=seed), default_row(problem)
    names = [f"x{i}" for i in range(1, len(default) + 1)]
    for name_, (lo, hi), value in zip(names, problem.bounds, default):
        make = Integer if problem.whole else Float
        bounds = (int(lo), int(hi)) if problem.whole else (float(lo), float(hi))
        space.add(make(name_, bounds, default=int(value) if problem.whole else value))
    objectives = [f"f{j}" for j in range(problem.objectives)]
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(
            space, objectives=objectives, deterministic=True, n_trials=evals, seed=seed, output_directory=Path(folder)
        )
        facade = BlackBoxFacade(
            scenario,
            lambda configuration, seed=0: 0.0,
            multi_objective_algorithm=BlackBoxFacade.get_multi_objective_algorithm(scenario),
            initial_design=BlackBoxFacade.get_initial_design(
                scenario, additional_configs=[space.get_default_configuration()]
            ),
            logging_level=False,
            overwrite=True,
        )
        every: list[list[float]] = []
        while len(every) < evals:
            info = facade.ask()
            every.append(losses_of(problem, [float(info.config[name_]) for name_ in names]))
            facade.tell(info, TrialValue(cost=every[-1]))
    return every


def botorch_search(problem: ObjectiveProblem, name: str, seed: int, evals: int) -> list[list[float]]:
    import torch
    from botorch.acquisition.multi_objective.logei import qLogNoisyExpectedHypervolumeImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from botorch.optim import optimize_acqf
    from botorch.sampling import SobolQMCNormalSampler
    from botorch.utils.multi_objective.hypervolume import infer_reference_point
    from botorch.utils.multi_objective.pareto import is_non_dominated
    from gpytorch.mlls import SumMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    low, high = np.array(problem.bounds, dtype=np.float64).T
    d = len(low)

    def evaluate(place: list[float]) -> list[float]:
        row = low + np.array(place) * (high - low)
        return losses_of(problem, (np.round(row) if problem.whole else row).tolist())

    first = ((np.array(default_row(problem)) - low) / (high - low)).tolist()
    places = [first, *torch.quasirandom.SobolEngine(d, scramble=True, seed=seed).draw(d).double().tolist()]
    every = [evaluate(place) for place in places]
    box = torch.tensor([[0.0] * d, [1.0] * d], dtype=torch.double)
    while len(every) < evals:
        x, y = torch.tensor(places, dtype=torch.double), -torch.tensor(every, dtype=torch.double)
        models = ModelListGP(*(SingleTaskGP(x, y[:, j : j + 1]) for j in range(problem.objectives)))
        fit_gpytorch_mll(SumMarginalLogLikelihood(models.likelihood, models))
        gain = qLogNoisyExpectedHypervolumeImprovement(
            models,
            ref_point=infer_reference_point(y[is_non_dominated(y)]).tolist(),
            X_baseline=x,
            prune_baseline=True,
            sampler=SobolQMCNormalSampler(torch.Size([32]), seed=len(every)),
        )
        chosen, _ = optimize_acqf(gain, box, q=1, num_restarts=2, raw_samples=128, options={"maxiter": 30})
        places.append(chosen[0].tolist())
        every.append(evaluate(places[-1]))
    return every[:evals]


PEERS: dict[str, tuple[str, Search]] = {
    "TPE": ("optuna", optuna_search),
    "NSGA-II": ("optuna", optuna_search),
    "NSGA-III": ("optuna", optuna_search),
    "SMAC": ("smac", smac_search),
    "BoTorch": ("botorch", botorch_search),
}
