"""SMAC 3: `HyperparameterOptimizationFacade`, a random forest of the logarithm of the loss.

ConfigSpace cannot state constraints as `a % b == 0`, so none are stated: what is refused or fails is told with the
worst loss so far. The initial design is its own Sobol sequence, of at most a quarter of the budget as by default.
"""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.search.installed.peer import Coded, Peer, Task, coded, codes_of, configuration_of
from tunepass.space.configuration import Configuration

if TYPE_CHECKING:
    from ConfigSpace.hyperparameters import Hyperparameter

DESIGN_SHARE = 0.25  # of the budget, SMAC's own `max_ratio`


class Smac(Peer):
    asks = 20

    def __init__(self, task: Task):
        from ConfigSpace import ConfigurationSpace
        from smac import HyperparameterOptimizationFacade, Scenario
        from smac.runhistory.dataclasses import TrialInfo, TrialValue

        logging.disable(logging.CRITICAL)
        self._parameters, self._value, self._info = coded(task.space), TrialValue, TrialInfo
        self._space = ConfigurationSpace(seed=task.seed)
        self._space.add([_hyperparameter(p) for p in self._parameters])
        self._folder = tempfile.TemporaryDirectory()
        scenario = Scenario(
            self._space, deterministic=True, n_trials=task.evals * (self.asks + 1), seed=task.seed,
            output_directory=Path(self._folder.name),
        )  # fmt: skip
        facade = HyperparameterOptimizationFacade
        count = min(10 * len(self._parameters), int(DESIGN_SHARE * task.evals))
        design = facade.get_initial_design(scenario, n_configs=count)
        self._smac = facade(scenario, _never_called, initial_design=design, logging_level=False, overwrite=True)
        self._asked = None

    def ask(self) -> Configuration:
        self._asked = self._smac.ask()
        return configuration_of(dict(self._asked.config), self._parameters)

    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self._smac.tell(self._asked, self._value(cost=loss))

    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        from ConfigSpace import Configuration as SmacConfiguration

        codes = codes_of(configuration, self._parameters)
        values = {p.name: codes[p.name] if p.is_real else int(codes[p.name]) for p in self._parameters}
        info = self._info(config=SmacConfiguration(self._space, values), seed=0)
        self._smac.tell(info, self._value(cost=loss))


def _hyperparameter(parameter: Coded) -> Hyperparameter:
    from ConfigSpace import Categorical, Float, Integer

    if parameter.is_real:
        return Float(parameter.name, parameter.bounds, log=parameter.log)
    last = len(parameter.values) - 1
    if parameter.ordered and last > 0:
        return Integer(parameter.name, (0, last))
    return Categorical(parameter.name, list(range(last + 1)))


def _never_called(configuration: object, seed: int = 0) -> float:
    raise AssertionError("SMAC is asked and told")
