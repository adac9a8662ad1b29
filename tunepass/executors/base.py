"""The role of an executor: where evaluations run and what is computed besides, and how many at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import cast

from tunepass import registry
from tunepass.space.configuration import Configuration
from tunepass.spread import Spread
from tunepass.study.outcome import Evaluate, Evaluation


class Executor(ABC):
    """Runs evaluations, here or on other machines.

    Compiles may run side by side where the evaluator `Prepares`. Measurements run one at a time on a machine, and never
    while something compiles there.

    Example:
        >>> from contextlib import nullcontext
        >>> class Plain(tp.Executor):
        ...     def evaluate(self, evaluator, configurations):
        ...         for configuration in configurations:
        ...             yield configuration, evaluator(configuration)
        ...     def workers(self):
        ...         return nullcontext(lambda work, tasks: map(work, tasks))
        >>> [c["tile"] for c, _ in Plain().evaluate(evaluate, [space.default])]
        [8]
    """

    @abstractmethod
    def evaluate(
        self, evaluator: Evaluate, configurations: Sequence[Configuration]
    ) -> Iterator[tuple[Configuration, Evaluation]]:
        """Each configuration with its evaluation, in the order given, each as soon as it is known.

        What the evaluator raises is raised here. An interrupt stops the compilers and propagates.
        """

    @abstractmethod
    def workers(self) -> AbstractContextManager[Spread]:
        """Within, what does tasks of computing side by side, in processes of its own where there are several jobs.

        Results come in the tasks' order, and few more tasks are taken than are under way. What a task raises is raised
        here. Tasks that nobody waits for any more are given up.
        """


def executor(name: str | Executor, jobs: int) -> Executor:
    """The executor of that name, or at that path, in the registry, for at most `jobs` compilers at a time; an executor
    itself as it is."""
    if isinstance(name, Executor):
        return name
    return cast(Callable[[int], Executor], registry.find("executors", name, paths=True))(max(1, jobs))
