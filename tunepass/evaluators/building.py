"""Evaluators that build a program before they run it: what they share."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.object_cache import ObjectCache
from tunepass.evaluators.own_text import code_of
from tunepass.evaluators.process.cores import OutOfTime, Patience
from tunepass.evaluators.process.run import Completed, Limits, tail
from tunepass.evaluators.process.workspace import Workspace
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed
from tunepass.study.trial import Trial

SAME_CODE = "same object code as an earlier candidate: its outcome was taken"


@dataclass(slots=True)
class BuiltConfiguration:
    """A configuration that was built and waits for its run, or whose build failed. `key` identifies the program and how
    it is run; `seconds` are those of the stages so far."""

    configuration: Configuration
    key: str = field(default="", kw_only=True)
    failure: Failed | None = field(default=None, kw_only=True)
    seconds: dict[str, float] = field(default_factory=dict, kw_only=True)


AnyBuilt = TypeVar("AnyBuilt", bound=BuiltConfiguration)


class BuildingEvaluator(Evaluator, Generic[AnyBuilt]):
    """`evaluate` builds and measures; an executor may `prepare` several in parallel, then `finish` one at a time."""

    def __init__(self, same_code: str = SAME_CODE) -> None:
        self.workspace = Workspace()
        self.cache = ObjectCache(same_code)
        self.patience = Patience()
        self._setting_up = threading.Lock()

    def in_time(self, run: Callable[[Limits], Completed], limits: Limits) -> Completed:
        """A compile or a run, within its limits and the time that the search has. Raises OutOfTime where that ended."""
        left_s = self.patience.search_left_s()
        if left_s <= 0:
            raise OutOfTime
        done = run(limits if left_s >= limits.wall_s else replace(limits, wall_s=left_s))
        if done.ended == "timeout" and left_s < limits.wall_s:
            raise OutOfTime
        return done

    @property
    @abstractmethod
    def is_set_up(self) -> bool:
        """See tunepass.evaluators.capabilities.SetsUpAgain."""

    @abstractmethod
    def set_up_again(self) -> None:
        """See tunepass.evaluators.capabilities.SetsUpAgain."""

    @abstractmethod
    def prepare(self, configuration: Configuration) -> AnyBuilt:
        """Build. Safe to call from several threads."""

    @abstractmethod
    def measure(self, built: AnyBuilt) -> Evaluation:
        """Run the program, check its results and measure it."""

    def own_text(self, configuration: Configuration, /) -> str:
        """See tunepass.evaluators.own_text.WritesText."""
        return ""

    def text_of(self, built: AnyBuilt) -> str:
        """As `own_text`, of what was built."""
        return self.own_text(built.configuration)

    @abstractmethod
    def discard(self, built: AnyBuilt) -> None:
        """Remove what was built."""

    def finish(self, built: AnyBuilt, /) -> Evaluation:
        """Measure, unless the outcome of the same code is known. One at a time, and never while something compiles."""
        try:
            text = self.text_of(built)
            if built.failure is not None:
                return Evaluation(built.failure, built.seconds, tail(built.failure.log), code=text)
            evaluation = self.cache.look_up(built.key, built.seconds)
            if evaluation is None:
                evaluation = replace(self.measure(built), code=built.key)
                self.cache.store(built.configuration, evaluation)
            elif evaluation.same_as == built.configuration:  # its own, of text that was written otherwise
                evaluation = replace(evaluation, same_as=None)
            return replace(evaluation, code=code_of(built.key, text))
        finally:
            self.discard(built)

    def evaluate(self, configuration: Configuration) -> Evaluation:
        return self.finish(self.prepare(configuration))

    def remember(self, trials: Sequence[Trial]) -> None:
        """Store the outcomes of an earlier session in the object cache."""
        self.cache.remember(trials)

    def close(self) -> None:
        self.workspace.close()
