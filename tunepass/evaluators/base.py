"""The role of an evaluator: configuration in, outcome out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation


class Evaluator(ABC):
    """Evaluates configurations. A context manager: leaving it removes its files and stops its helpers.

    A bad configuration is an outcome, never an exception; only an unusable environment (no compiler, no disk) raises
    ToolError.

    Example:
        >>> class Table(tp.Evaluator):
        ...     def evaluate(self, configuration):
        ...         return tp.Evaluation(tp.Measured({"time": float(configuration["tile"])}))
        >>> with Table() as evaluator:
        ...     evaluator(space.default).outcome.values["time"]
        8.0
    """

    @abstractmethod
    def evaluate(self, configuration: Configuration) -> Evaluation:
        """The outcome of the configuration and its cost."""

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
