"""This machine: several candidates compiled side by side, measured one at a time, never while one compiles."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, Protocol, TypeVar

from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation

Prepared = TypeVar("Prepared")


class Staged(Protocol[Prepared]):
    """An evaluator in two steps: `prepare` may run in several threads, `finish` needs the machine to itself."""

    def prepare(self, configuration: Configuration) -> Prepared: ...

    def finish(self, prepared: Prepared, /) -> Evaluation: ...


class LocalExecutor(Generic[Prepared]):
    """`jobs` compilers at a time. Threads suffice: the work is in child processes."""

    def __init__(self, evaluator: Staged[Prepared], jobs: int = 1):
        self.evaluator = evaluator
        self.jobs = max(1, jobs)

    def evaluate(self, configurations: Sequence[Configuration]) -> list[Evaluation]:
        """In the order given. An interrupt stops the compilers, then propagates."""
        return [self.evaluator.finish(prepared) for prepared in self._prepare(configurations)]

    def _prepare(self, configurations: Sequence[Configuration]) -> list[Prepared]:
        if self.jobs == 1 or len(configurations) < 2:
            return [self.evaluator.prepare(configuration) for configuration in configurations]
        with ThreadPoolExecutor(min(self.jobs, len(configurations)), thread_name_prefix="compile") as pool:
            return list(pool.map(self.evaluator.prepare, configurations))
