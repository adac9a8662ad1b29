"""Nevergrad's `NGOpt`, which picks an optimiser by the space and the budget.

Ordered numbers are `TransitionChoice`, flags and categories `Choice`. Constraints are stated to it as cheap ones
(`register_cheap_constraint`); what it proposes in spite of them, and what fails, is told with the worst loss so far.
"""

from __future__ import annotations

import contextlib
import warnings

import numpy as np

from tests.benchmarks.search.installed.peer import Coded, Peer, Task, coded, codes_of, configuration_of
from tunepass.space.configuration import Configuration


class Nevergrad(Peer):
    def __init__(self, task: Task):
        import nevergrad

        warnings.filterwarnings("ignore", module="nevergrad")
        self._parameters = coded(task.space)
        space, parameters = task.space, self._parameters
        choices = {p.name: _choice(p) for p in parameters}
        self._space = nevergrad.p.Dict(**choices)
        self._space.random_state = np.random.RandomState(task.seed)
        if space.constraints:
            self._space.register_cheap_constraint(lambda codes: space.contains(configuration_of(codes, parameters)))
        self._search = nevergrad.optimizers.NGOpt(parametrization=self._space, budget=task.evals)
        self._asked = None

    def ask(self) -> Configuration:
        self._asked = self._search.ask()
        return configuration_of(self._asked.value, self._parameters)

    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self._search.tell(self._asked, loss)

    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        from nevergrad.common.errors import TellNotAskedNotSupportedError

        codes = codes_of(configuration, self._parameters)
        value = {p.name: codes[p.name] if p.is_real else int(codes[p.name]) for p in self._parameters}
        with contextlib.suppress(TellNotAskedNotSupportedError):  # some optimisers learn from their own points only
            self._search.tell(self._space.spawn_child(new_value=value), loss)


def _choice(parameter: Coded) -> object:
    import nevergrad

    if parameter.is_real and parameter.log:
        return nevergrad.p.Log(lower=parameter.bounds[0], upper=parameter.bounds[1])
    if parameter.is_real:
        return nevergrad.p.Scalar(lower=parameter.bounds[0], upper=parameter.bounds[1])
    codes = list(range(len(parameter.values)))
    return nevergrad.p.TransitionChoice(codes) if parameter.ordered else nevergrad.p.Choice(codes)
