"""This machine: several candidates compiled side by side, measured one at a time, never while one compiles."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Generic, Protocol, TypeVar

from tunepass.evaluators.process.run import stop_all
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
        pool = ThreadPoolExecutor(min(self.jobs, len(configurations)), thread_name_prefix="compile")
        try:
            futures = [pool.submit(self.evaluator.prepare, configuration) for configuration in configurations]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()  # raises what was raised, without waiting for the others
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_all()
            raise
        finally:
            pool.shutdown()
