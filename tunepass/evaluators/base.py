"""The role of an evaluator: configuration in, outcome out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation


class Evaluator(ABC):
    """Prices one configuration. A bad configuration is an outcome, never an exception; only an unusable environment
    (no compiler, no disk) raises ToolError. A context manager: leaving it removes whatever it made."""

    @abstractmethod
    def evaluate(self, configuration: Configuration) -> Evaluation: ...

    def __call__(self, configuration: Configuration, /) -> Evaluation:
        return self.evaluate(configuration)

    def close(self) -> None:  # noqa: B027 (most have nothing to close)
        """Remove temporary files and stop helpers; may be called twice."""

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
