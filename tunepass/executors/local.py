"""This machine: configurations compiled side by side, then measured one at a time."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

from tunepass.capabilities import capability
from tunepass.evaluators.capabilities import Prepared, Prepares
from tunepass.evaluators.process.run import ProgramGroup
from tunepass.executors.base import Executor
from tunepass.space.configuration import Configuration
from tunepass.spread import Spread, in_turn, window
from tunepass.study.outcome import Evaluate, Evaluation


@dataclass(frozen=True, slots=True)
class LocalExecutor(Executor):
    """At most `jobs` compilers at a time. Threads suffice: the work is in child processes."""

    jobs: int = 1

    def evaluate(
        self, evaluator: Evaluate, configurations: Sequence[Configuration]
    ) -> Iterator[tuple[Configuration, Evaluation]]:
        preparing: Prepares[object] | None = capability(evaluator, Prepares)
        if self.jobs > 1 and len(configurations) > 1 and preparing is not None:
            for configuration, prepared in zip(configurations, self._prepare(preparing, configurations)):
                yield configuration, preparing.finish(prepared)
        else:
            for configuration in configurations:
                yield configuration, evaluator(configuration)

    @contextmanager
    def workers(self) -> Iterator[Spread]:
        if self.jobs < 2:
            yield in_turn
            return
        pool = ProcessPoolExecutor(self.jobs, get_context("spawn"), _leave_interrupts)
        try:
            yield window(pool.submit, self.jobs)
        finally:
            _end(pool)

    def _prepare(self, evaluator: Prepares[Prepared], configurations: Sequence[Configuration]) -> list[Prepared]:
        pool = ThreadPoolExecutor(min(self.jobs, len(configurations)), thread_name_prefix="compile")
        group = ProgramGroup()
        try:
            tasks = [partial(evaluator.prepare, configuration) for configuration in configurations]
            futures = [pool.submit(group.run, task) for task in tasks]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()  # raises what was raised, without waiting for the others
            results = [future.result() for future in futures]
        except KeyboardInterrupt:  # without waiting for compilers that still run: their results are of no use then
            group.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        except BaseException:  # what is evaluated next is not to run beside them
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        pool.shutdown()
        return results


def _end(pool: ProcessPoolExecutor) -> None:
    """At once, whatever its processes are at: nobody waits for it any more."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def _leave_interrupts() -> None:
    """Ctrl-C is for the process that waits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
