"""BoTorch on mixed spaces: `SingleTaskGP` with its own priors, and log expected improvement over feasible candidates.

Ordered numbers are their place in [0, 1] (logarithms on the log scale), flags 0 or 1, categories one coordinate each.
It is told the logarithm of a positive loss. The candidates are ours, since it states linear constraints only: uniform
feasible configurations and all feasible single changes of the three best, none of them measured before, so nothing is
refused. Design: a quarter of the budget at most, one more than there are parameters, uniform and feasible.
"""

from __future__ import annotations

import warnings

import numpy as np

from tests.benchmarks.search.installed.peer import Coded, Floats, Peer, Task, coded
from tunepass.space.configuration import Configuration

DESIGN_SHARE = 0.25  # of the budget
CANDIDATES = 1000
FIT_STEPS = 50  # of L-BFGS for each suggestion; without a limit a fit takes about 300, and seconds
ROUNDED = 3  # best configurations whose single changes are candidates


class Botorch(Peer):
    def __init__(self, task: Task):
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(task.seed)
        warnings.filterwarnings("ignore")
        self._task, self._parameters = task, coded(task.space)
        self._rng = np.random.default_rng([task.seed, 0x626F])
        self._design = min(1 + len(self._parameters), int(DESIGN_SHARE * task.evals))
        self._told: dict[Configuration, float] = {}

    def ask(self) -> Configuration:
        if len(self._told) < self._design:
            (drawn,) = self._task.space.sample(1, self._rng)
            return drawn
        candidates = self._candidates()
        return candidates[self._best(candidates)] if candidates else next(iter(self._told))

    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self._told[configuration] = loss

    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self._told[configuration] = loss

    def _candidates(self) -> list[Configuration]:
        space = self._task.space
        best = sorted(self._told, key=self._told.__getitem__)[:ROUNDED]
        count = CANDIDATES if not space.finite else min(CANDIDATES, space.size)
        every = dict.fromkeys(space.sample(count, self._rng))
        every |= dict.fromkeys(n for configuration in best for n in space.neighbours(configuration))
        return [configuration for configuration in every if configuration not in self._told]

    def _best(self, candidates: list[Configuration]) -> int:
        import torch
        from botorch.acquisition import LogExpectedImprovement
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from gpytorch.mlls import ExactMarginalLogLikelihood

        losses = np.array([*self._told.values()])
        told = -torch.tensor(np.log(losses) if (losses > 0).all() else losses)
        model = SingleTaskGP(torch.tensor(self._rows([*self._told])), told[:, None])
        likelihood = ExactMarginalLogLikelihood(model.likelihood, model)
        fit_gpytorch_mll(likelihood, optimizer_kwargs={"options": {"maxiter": FIT_STEPS}})
        improvement = LogExpectedImprovement(model, best_f=told.max())
        with torch.no_grad():
            return int(improvement(torch.tensor(self._rows(candidates))[:, None, :]).argmax())

    def _rows(self, configurations: list[Configuration]) -> Floats:
        return np.hstack([_coordinates(p, [c[p.name] for c in configurations]) for p in self._parameters])


def _coordinates(parameter: Coded, values: list[object]) -> Floats:
    """(n, 1), or (n, categories)."""
    if parameter.is_real:
        lo, hi = parameter.bounds
        reals = np.array(values, np.float64)
        if parameter.log:
            reals, lo, hi = np.log(reals), float(np.log(lo)), float(np.log(hi))
        return ((reals - lo) / (hi - lo))[:, None]
    codes = np.array([parameter.values.index(value) for value in values])  # type: ignore[arg-type]
    if not parameter.ordered and len(parameter.values) > 2:
        return np.eye(len(parameter.values))[codes]
    steps = np.array(parameter.steps if parameter.ordered else [0.0, 1.0][: len(parameter.values)])
    return ((steps[codes] - steps.min()) / max(np.ptp(steps), 1e-12))[:, None]
