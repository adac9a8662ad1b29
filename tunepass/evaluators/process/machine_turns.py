"""Turns of the processes that evaluate on one machine: compiles side by side, measurements alone.

Two lock files: whoever begins passes the `gate`, and holds `work` while it compiles (shared) or measures (exclusive).
A process that waits to measure keeps the gate, so that no further compile begins before it. The kernel releases the
locks of a process that dies.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tunepass.capabilities import Wrapper, capability
from tunepass.evaluators.base import Evaluator
from tunepass.evaluators.capabilities import NoiseFree, Prepares
from tunepass.machine_faults import raise_machines
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate, Evaluation


class TakesTurns(Evaluator, Wrapper[Evaluate]):
    """An evaluator that measures while no other process on this machine compiles or measures. Where measurements have
    no noise there are no turns."""

    def __init__(self, wrapped: Evaluate):
        self.wrapped = wrapped

    def evaluate(self, configuration: Configuration) -> Evaluation:
        if capability(self.wrapped, NoiseFree) is not None:
            return self.wrapped(configuration)
        preparing: Prepares[object] | None = capability(self.wrapped, Prepares)
        if preparing is None:
            with machine_turn(alone=True):
                return self.wrapped(configuration)
        with machine_turn(alone=False):
            prepared = preparing.prepare(configuration)
        with machine_turn(alone=True):
            return preparing.finish(prepared)


@contextmanager
def machine_turn(*, alone: bool) -> Iterator[None]:
    """A turn of this process on this machine, `alone` or beside others that are not. Raises EnvironmentFault where the
    lock files cannot be used."""
    with _opened("gate") as gate, _opened("work") as work:
        fcntl.flock(gate, fcntl.LOCK_EX)
        try:
            fcntl.flock(work, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        finally:
            fcntl.flock(gate, fcntl.LOCK_UN)
        yield


@contextmanager
def _opened(name: str) -> Iterator[int]:
    """A descriptor of the lock file; closing it releases the lock."""
    path = Path(tempfile.gettempdir()) / f"tunepass-{name}-{os.getuid()}.lock"
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise_machines(error)
        raise
    try:
        yield file
    finally:
        os.close(file)
