"""Suggesting one configuration after the other, each knowing those that are out already."""

from __future__ import annotations

from abc import abstractmethod

from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.history import Record
from tunepass.study.trial import Trial


class OneByOne(Strategy):
    """A subclass says which configuration is next; `record` has the trials and what is under evaluation."""

    def __init__(self, task: Task):
        super().__init__(task)
        self.record = Record(task)

    @abstractmethod
    def _one(self) -> Configuration | None:
        """The next suggestion; None when none is left."""

    def suggest(self, n: int) -> list[Configuration]:
        found: list[Configuration] = []
        while len(found) < n and (one := self._one()) is not None:
            self.record.suggest(one)
            found.append(one)
        return found

    def observe(self, trial: Trial) -> None:
        self.record.observe(trial)
