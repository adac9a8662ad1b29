"""The strategy `exhaustive`: every feasible configuration once, the default first, then in the order of the space.

Each configuration is evaluated by the study's evaluator. The exact solver of the same name (tunepass.exact.enumeration)
walks the same configurations through the expressions of a model.
"""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Task
from tunepass.strategies.sequential import SequentialStrategy

CHUNK = 4096


class Exhaustive(SequentialStrategy):
    """Streams the space in chunks, so its size does not matter to the memory it takes."""

    def __init__(self, task: Task):
        super().__init__(task)
        self._stream = self._configurations()

    def _next(self) -> Configuration | None:
        return next((c for c in self._stream if c not in self.history.taken), None)

    def _configurations(self) -> Iterator[Configuration]:
        yield self.task.space.default
        for columns in self.task.space.enumerate_columns(chunk=CHUNK):
            yield from self.task.space.configurations(columns)
