"""What evaluators share that build a program before they run it."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.object_cache import ObjectCache
from tunepass.evaluators.process.workspace import Workspace
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation
from tunepass.study.trial import Trial

SAME_CODE = "same object code as an earlier candidate: its outcome was taken"
Built = TypeVar("Built")


class Building(Evaluator, Generic[Built]):
    """`evaluate` does it all; an executor may call `prepare` for several in parallel, then `finish` one at a time."""

    def __init__(self, same: str = SAME_CODE) -> None:
        self.workspace = Workspace()
        self.cache = ObjectCache(same)
        self._setting_up = threading.Lock()

    @abstractmethod
    def prepare(self, configuration: Configuration) -> Built:
        """Build. Safe to call from several threads."""

    @abstractmethod
    def finish(self, built: Built, /) -> Evaluation:
        """Run what was prepared, and judge it; one at a time."""

    def evaluate(self, configuration: Configuration) -> Evaluation:
        return self.finish(self.prepare(configuration))

    def remember(self, trials: Sequence[Trial]) -> None:
        """Take up what an earlier session learnt of built programs."""
        self.cache.remember(trials)

    def close(self) -> None:
        self.workspace.close()
