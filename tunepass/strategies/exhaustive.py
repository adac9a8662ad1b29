"""Every feasible configuration once: the default first, then in the order of the space."""

from __future__ import annotations

from collections.abc import Iterator

from tunepass.space.configuration import Configuration
from tunepass.strategies.base import Strategy, Task
from tunepass.strategies.history import Record
from tunepass.study.trial import Trial

CHUNK = 4096


class Exhaustive(Strategy):
    """Streams the space in chunks, so its size does not matter to the memory it takes."""

    def __init__(self, task: Task):
        super().__init__(task)
        self.record = Record(task)
        self._stream = self._configurations()

    def suggest(self, n: int) -> list[Configuration]:
        found: list[Configuration] = []
        while len(found) < n and (one := next(self._stream, None)) is not None:
            if one not in self.record.taken:
                self.record.suggest(one)
                found.append(one)
        return found

    def observe(self, trial: Trial) -> None:
        self.record.observe(trial)

    def _configurations(self) -> Iterator[Configuration]:
        yield self.task.space.default
        for columns in self.task.space.enumerate_columns(chunk=CHUNK):
            yield from self.task.space.configurations(columns)
