"""The role of a strategy: suggest configurations, observe trials."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tunepass.space.configuration import Configuration
from tunepass.study.task import Task as Task
from tunepass.study.trial import Trial


class Strategy(ABC):
    """Suggests configurations of `task.space` and learns from trials.

    The contract, tested for every strategy in tunepass.testing: a suggestion is feasible under the known constraints
    and was neither suggested nor observed before; an exhausted space gives `[]`; the same seed and observations give
    the same suggestions, also when the observations arrive as a replay of an interrupted study; a failed or
    infeasible trial is an observation like any other.

    Args:
        task: the space, the objectives, the seed and the budget.

    Example:
        >>> class InOrder(tp.Strategy):
        ...     def __init__(self, task):
        ...         super().__init__(task)
        ...         self.left = list(task.space.enumerate())
        ...     def suggest(self, n):
        ...         chosen, self.left = self.left[:n], self.left[n:]
        ...         return chosen
        ...     def observe(self, trial):
        ...         self.left = [c for c in self.left if c != trial.configuration]
        >>> len(tp.Study(space, [tp.Objective("time")], strategy=InOrder).suggest(3))
        3
    """

    def __init__(self, task: Task):
        self.task = task

    @abstractmethod
    def suggest(self, n: int) -> list[Configuration]:
        """At most `n` distinct configurations to evaluate next; `[]` when none is left."""

    @abstractmethod
    def observe(self, trial: Trial) -> None:
        """Learn from a trial, whether this strategy suggested it or not."""
