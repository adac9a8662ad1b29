"""The role of an executor: where evaluations run, and how many at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate, Evaluation


class Executor(ABC):
    """Evaluates configurations. Compiles may run side by side where the evaluator `Prepares`; measurements run one at a
    time on a machine, and never while something compiles there."""

    @abstractmethod
    def evaluate(
        self, evaluator: Evaluate, configurations: Sequence[Configuration]
    ) -> Iterator[tuple[Configuration, Evaluation]]:
        """Each configuration with its evaluation, in the order given, each as soon as it is known.

        What the evaluator raises is raised here. An interrupt stops the compilers and propagates.
        """
