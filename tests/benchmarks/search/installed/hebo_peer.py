"""HEBO (Cowen-Rivers et al. 2022) with its defaults: a warped Gaussian process and the front of three acquisitions.

Each ask takes BATCH suggestions and the first that is feasible and new; where none is, the first is refused. Its random
design is its own default, one more than there are parameters, of at most a quarter of the budget.
"""

from __future__ import annotations

import warnings

import numpy as np

from tests.benchmarks.search.installed.peer import Coded, Peer, Task, coded, codes_of, configuration_of
from tunepass.space.configuration import Configuration

BATCH = 8
DESIGN_SHARE = 0.25  # of the budget


class Hebo(Peer):
    asks = 3

    def __init__(self, task: Task):
        import torch
        from hebo.design_space.design_space import DesignSpace
        from hebo.optimizers.hebo import HEBO

        warnings.filterwarnings("ignore")
        np.random.seed(task.seed)
        torch.manual_seed(task.seed)
        torch.set_num_threads(1)
        self._task, self._parameters = task, coded(task.space)
        space = DesignSpace().parse([_stated(p) for p in self._parameters])
        design = min(1 + len(self._parameters), int(DESIGN_SHARE * task.evals))
        self._search = HEBO(space, rand_sample=design, scramble_seed=task.seed)
        self._seen: set[Configuration] = set()

    def ask(self) -> Configuration:
        suggested = self._search.suggest(n_suggestions=BATCH)
        proposals = [configuration_of(row, self._parameters) for row in suggested.to_dict("records")]
        for proposal in proposals:
            if proposal not in self._seen and self._task.space.contains(proposal):
                return proposal
        return proposals[0]

    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        import pandas

        codes = codes_of(configuration, self._parameters)
        row = {p.name: [codes[p.name] if p.is_real else int(codes[p.name])] for p in self._parameters}
        self._search.observe(pandas.DataFrame(row), np.array([[loss]]))
        self._seen.add(configuration)

    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self.tell(configuration, loss, failed)


def _stated(parameter: Coded) -> dict[str, object]:
    if parameter.is_real:
        lo, hi = parameter.bounds
        return {"name": parameter.name, "type": "pow" if parameter.log else "num", "lb": lo, "ub": hi}
    last = len(parameter.values) - 1
    if parameter.ordered and last > 0:
        return {"name": parameter.name, "type": "int", "lb": 0, "ub": last}
    return {"name": parameter.name, "type": "cat", "categories": list(range(last + 1))}
