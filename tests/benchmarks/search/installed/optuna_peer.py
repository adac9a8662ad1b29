"""Optuna's multivariate TPE, and its AutoSampler from OptunaHub.

Numbers are integers on their place in the list (`suggest_int`), all others categories. What is refused or fails is told
as a violated constraint with the worst loss so far (`constraints_func`), as the samplers' documentation has it.

AutoSampler is a module of OptunaHub's registry: of the local copy that OPTUNAHUB_REGISTRY names, else downloaded.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.search.installed.peer import Coded, Peer, Task, coded, codes_of, configuration_of
from tunepass.space.configuration import Configuration

if TYPE_CHECKING:
    import optuna

REGISTRY = "OPTUNAHUB_REGISTRY"
VIOLATION = "violation"


class _Optuna(Peer):
    def __init__(self, task: Task, sampler: optuna.samplers.BaseSampler):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._parameters = coded(task.space)
        self._distributions = {p.name: _distribution(p) for p in self._parameters}
        self._study = optuna.create_study(sampler=sampler)
        self._trial: optuna.Trial | None = None

    def ask(self) -> Configuration:
        self._trial = self._study.ask(self._distributions)
        return configuration_of(self._trial.params, self._parameters)

    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        assert self._trial is not None
        self._trial.set_user_attr(VIOLATION, 1.0 if failed else -1.0)
        self._study.tell(self._trial, loss)

    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self._study.enqueue_trial(_as_optuna(codes_of(configuration, self._parameters), self._parameters))
        self.ask()
        self.tell(configuration, loss, failed)


class Tpe(_Optuna):
    def __init__(self, task: Task):
        import optuna

        warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(seed=task.seed, multivariate=True, constraints_func=_violation)
        super().__init__(task, sampler)


class Auto(_Optuna):
    asks = 40  # its Gaussian process is asked for each anew

    def __init__(self, task: Task):
        import optuna
        import optunahub

        warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
        local = os.environ.get(REGISTRY)
        if local:
            module = optunahub.load_local_module("samplers/auto_sampler", registry_root=str(Path(local) / "package"))
        else:
            module = optunahub.load_module("samplers/auto_sampler")
        super().__init__(task, module.AutoSampler(seed=task.seed, constraints_func=_violation))


def auto_sampler_version() -> str:
    """AutoSampler's source by its digest, since the registry numbers no versions."""
    local = os.environ.get(REGISTRY)
    if not local:
        return "AutoSampler as downloaded"
    source = Path(local) / "package" / "samplers" / "auto_sampler" / "_sampler.py"
    return f"AutoSampler sha256 {hashlib.sha256(source.read_bytes()).hexdigest()[:12]}"


def _violation(trial: optuna.trial.FrozenTrial) -> tuple[float]:
    return (float(trial.user_attrs.get(VIOLATION, -1.0)),)


def _distribution(parameter: Coded) -> optuna.distributions.BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if parameter.is_real:
        return FloatDistribution(*parameter.bounds, log=parameter.log)
    last = len(parameter.values) - 1
    return IntDistribution(0, last) if parameter.ordered else CategoricalDistribution(range(last + 1))


def _as_optuna(codes: dict[str, float], parameters: tuple[Coded, ...]) -> dict[str, float]:
    return {p.name: codes[p.name] if p.is_real else int(codes[p.name]) for p in parameters}
