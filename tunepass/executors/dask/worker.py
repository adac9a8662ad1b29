"""The functions that Dask calls on a worker. They take and return text; the evaluator is made once for each process.

A process evaluates one configuration at a time, in the client's folder if this machine has it, else in an empty one.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from tunepass.capabilities import capability, required
from tunepass.diagnostics import TunepassError
from tunepass.evaluators import capabilities
from tunepass.evaluators.elsewhere import EvaluatorSource, IdentifiedEvaluator
from tunepass.evaluators.process.cores import OutOfTime, Patience
from tunepass.evaluators.process.machine_turns import TakesTurns, machine_turn
from tunepass.executors.dask.exchange import UNKNOWN, answer, encode_evaluation, encode_failure
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluate
from tunepass.study.storage.json_text import decode_configuration
from tunepass.version import __version__

PASSED_ON = ("ComparesAgain", "LooksAgain", "Sanitizes", "Summarises", "ReportsChecks", "NoiseFree")


@dataclass(slots=True)
class OpenEvaluator:
    """The evaluator of this process, and what closes it."""

    digest: str
    source: EvaluatorSource
    identified: IdentifiedEvaluator
    folder: str
    stack: ExitStack
    evaluator: TakesTurns
    guarded: Evaluate


@dataclass(slots=True)
class ProcessState:
    """The one evaluator of this process."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    opened: OpenEvaluator | None = None


PROCESS = ProcessState()


def version() -> str:
    """Version of tunepass on this worker, and its host."""
    return answer(lambda: {"version": __version__, "host": socket.gethostname()})


def open_evaluator(source: str) -> str:
    """Make the evaluator, in place of an earlier one; its identity and its capabilities."""
    return answer(lambda: _opened(EvaluatorSource.decode(source)))


def close_evaluator(digest: str) -> str:
    """Remove the evaluator's files, if it is the one of this process."""
    return answer(lambda: _close(digest))


def evaluate(digest: str, configuration: str, left_s: float | None, search_s: float | None) -> str:
    """Evaluate a configuration within `left_s` seconds; null where they ended within it."""
    return answer(lambda: _evaluated(digest, decode_configuration(configuration), left_s, search_s))


def call(digest: str, member: str, arguments: list[object]) -> str:
    """Call a member of one of the capabilities that are passed on."""
    return answer(lambda: _called(digest, member, arguments))


def _opened(source: EvaluatorSource) -> dict[str, object]:
    with PROCESS.lock:
        if PROCESS.opened is None or PROCESS.opened.digest != source.digest:
            _close(None)
            PROCESS.opened = _make(source)
        opened = PROCESS.opened
        kinds = [name for name in PASSED_ON if capability(opened.evaluator, getattr(capabilities, name)) is not None]
        return {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "identity": dict(opened.identified.identity),
            "capabilities": kinds,
            "description": opened.identified.device,
        }


def _make(source: EvaluatorSource) -> OpenEvaluator:
    with ExitStack() as stack:
        folder = source.folder
        if not os.path.isdir(folder):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tunepass-folder-"))
        os.chdir(folder)
        module, _, name = source.maker.partition(":")
        identified = getattr(importlib.import_module(module), name)(source.text)
        if not isinstance(identified, IdentifiedEvaluator):
            raise TunepassError(f"{source.maker} returns an IdentifiedEvaluator, got {type(identified).__name__}")
        evaluator = TakesTurns(stack.enter_context(identified.evaluator))
        guarded = identified.guard(evaluator)
        return OpenEvaluator(source.digest, source, identified, folder, stack.pop_all(), evaluator, guarded)


def _close(digest: str | None) -> None:
    with PROCESS.lock:
        opened = PROCESS.opened
        if opened is None or digest not in (None, opened.digest):
            return
        PROCESS.opened = None
        os.chdir("/")  # the folder may be removed
        opened.stack.close()


@contextlib.contextmanager
def _in_use(digest: str) -> Iterator[OpenEvaluator]:
    """The evaluator for this thread alone, in its folder."""
    with PROCESS.lock:
        opened = PROCESS.opened
        if opened is None or opened.digest != digest:
            raise TunepassError(UNKNOWN)
        os.chdir(opened.folder)
        yield opened


def _evaluated(
    digest: str, configuration: Configuration, left_s: float | None, search_s: float | None
) -> dict[str, object] | None:
    with _in_use(digest) as opened:
        waiting = capability(opened.evaluator, capabilities.WaitsForCores)
        if waiting is not None:
            end = None if left_s is None else time.monotonic() + left_s
            waiting.patience = (
                Patience(search_s=search_s)
                if end is None
                else Patience(search_left_s=lambda: end - time.monotonic(), search_s=search_s)
            )
        try:
            evaluation = encode_evaluation(configuration, opened.guarded(configuration))
        except OutOfTime:
            return None
        looking = capability(opened.evaluator, capabilities.LooksAgain)
        return {**evaluation, "look_s": 0.0 if looking is None else looking.look_s()}


def _called(digest: str, member: str, arguments: list[object]) -> object:
    with _in_use(digest) as opened:
        waiting = capability(opened.evaluator, capabilities.WaitsForCores)
        if waiting is not None:
            waiting.patience = Patience()
        return MEMBERS[member](opened, *arguments)


def _compare_again(
    opened: OpenEvaluator, configurations: list[str], rounds: int, seconds: float | None, rule: str | None
) -> object:
    comparing = required(opened.evaluator, capabilities.ComparesAgain)
    behind = None if rule is None or opened.identified.rule is None else opened.identified.rule(rule)
    with machine_turn(alone=True):
        return comparing.compare_again([decode_configuration(c) for c in configurations], rounds, seconds, behind)


def _look_again(opened: OpenEvaluator, configuration: str) -> object:
    with machine_turn(alone=True):
        looking = required(opened.evaluator, capabilities.LooksAgain)
        return encode_failure(looking.look_again(decode_configuration(configuration)))


def _sanitize(opened: OpenEvaluator, configuration: str) -> object:
    with machine_turn(alone=True):
        sanitizing = required(opened.evaluator, capabilities.Sanitizes)
        return encode_failure(sanitizing.sanitize(decode_configuration(configuration)))


def _summary(opened: OpenEvaluator, values: list[float]) -> object:
    return required(opened.evaluator, capabilities.Summarises).summary(values)


def _checks(opened: OpenEvaluator, configuration: str) -> object:
    return required(opened.evaluator, capabilities.ReportsChecks).checks(decode_configuration(configuration)).encode()


def _warnings(opened: OpenEvaluator) -> object:
    warning = capability(opened.evaluator, capabilities.Warns)
    return [] if warning is None else list(warning.warnings)


MEMBERS: dict[str, Callable[..., object]] = {
    "compare_again": _compare_again,
    "look_again": _look_again,
    "sanitize": _sanitize,
    "summary": _summary,
    "checks": _checks,
    "warnings": _warnings,
}
