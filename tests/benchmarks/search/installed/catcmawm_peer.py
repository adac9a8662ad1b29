"""CatCMAwM of the `cmaes` package (CatCMA with margin, Hamano et al. 2025), with its own population size.

Ordered numbers are its integer variables, at their logarithms on the log scale; flags and categories its categorical
ones. It learns from whole generations of its own samples: what is refused is sampled anew, a failure has the worst loss
so far, and what was not sampled by it is not told. Its initial mean is its own, the middle: with the default there, at
the end of a range, its deviation is 0.
"""

from __future__ import annotations

import numpy as np

from tests.benchmarks.search.installed.peer import Peer, Task, coded
from tunepass.space.configuration import Configuration, Value


class CatCmawm(Peer):
    def __init__(self, task: Task):
        from cmaes import CatCMAwM

        parameters = coded(task.space)
        self._reals = [p for p in parameters if p.is_real]
        self._numbers = [p for p in parameters if p.ordered and len(p.values) > 2]
        self._categories = [p for p in parameters if p not in self._reals and p not in self._numbers]
        self._fixed = {p.name: p.values[0] for p in self._categories if len(p.values) == 1}
        self._categories = [p for p in self._categories if len(p.values) > 1]
        self._search = CatCMAwM(
            x_space=[list(p.bounds) for p in self._reals] or None,
            z_space=[p.steps for p in self._numbers] or None,
            c_space=[len(p.values) for p in self._categories] or None,
            seed=task.seed + 1,
        )
        self._asked, self._generation = None, []

    def ask(self) -> Configuration:
        self._asked = self._search.ask()
        found: dict[str, Value] = dict(self._fixed)
        if self._reals:
            found |= {p.name: float(np.clip(x, *p.bounds)) for p, x in zip(self._reals, self._asked.x)}
        if self._numbers:
            found |= {
                p.name: p.values[int(np.argmin(np.abs(np.array(p.steps) - z)))]
                for p, z in zip(self._numbers, self._asked.z)
            }
        if self._categories:
            found |= {
                p.name: p.values[int(np.argmax(c[: len(p.values)]))] for p, c in zip(self._categories, self._asked.c)
            }
        return Configuration(found)

    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        self._generation.append((self._asked, loss))
        if len(self._generation) == self._search.population_size:
            self._search.tell(self._generation)
            self._generation = []

    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        """It takes samples of its own only."""

    def refuse(self, configuration: Configuration, worst: float) -> None:
        """Sampled anew."""
