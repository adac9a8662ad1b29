"""Strategies that suggest one configuration after the other, each knowing which ones are under evaluation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.history import TrialHistory
from tunepass.study.trial import Trial


class SequentialStrategy(Strategy):
    """A subclass says which configuration is next; `history` has the trials and what is under evaluation."""

    def __init__(self, task: Task):
        super().__init__(task)
        self.history = TrialHistory(task)

    @abstractmethod
    def _next(self) -> Configuration | None:
        """The next suggestion; None when none is left."""

    def suggest(self, n: int) -> list[Configuration]:
        suggested: list[Configuration] = []
        while len(suggested) < n and (configuration := self._next()) is not None:
            self.history.suggest(configuration)
            suggested.append(configuration)
        return suggested

    def observe(self, trial: Trial) -> None:
        self.history.observe(trial)

    def note_pending(self, configurations: Sequence[Configuration]) -> None:
        for configuration in configurations:
            if configuration not in self.history.taken:
                self.history.suggest(configuration)

    def revise(self, trial: Trial) -> None:
        self.history.revise(trial)
