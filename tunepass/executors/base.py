"""The role of an executor: where evaluations run, and how many at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from tunepass import registry
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


def executor(name: str, jobs: int) -> Executor:
    """The executor of that name in the registry, for at most `jobs` compilers at a time."""
    return cast(Callable[[int], Executor], registry.executor(name))(max(1, jobs))
