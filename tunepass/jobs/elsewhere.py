"""A job whose evaluations other processes make: its kernel as text, and the evaluator that they make of it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tunepass.backends.base import Target, backend_class
from tunepass.diagnostics import Source, TunepassError
from tunepass.evaluators.elsewhere import Behind, EvaluatorSource, IdentifiedEvaluator, MeasuresElsewhere
from tunepass.executors.base import Executor
from tunepass.executors.local import LocalExecutor
from tunepass.ir.kernel import Kernel
from tunepass.ir.sizes import Size
from tunepass.jobs.job import Job, prepare, with_locked_device
from tunepass.jobs.reading import parse
from tunepass.jobs.sizes import resized
from tunepass.search.faults import FaultGuard
from tunepass.search.finalists.rounds import Rounds
from tunepass.study.identity import differences
from tunepass.study.lock.lock import Lock
from tunepass.study.outcome import Evaluate

MAKER = "tunepass.jobs.elsewhere:make_evaluator"
OF_MACHINES = ("compiler", "device", "files", "toolchain")  # fields of an identity in which machines may differ


def measured_elsewhere(job: Job, executor: str | Executor | MeasuresElsewhere, words: Sequence[str] | None) -> Job:
    """The job with the identity of the machines that measure it; as it is where this machine does. Raises
    TunepassError where those read another kernel in its text, or nothing is measured."""
    if not isinstance(executor, MeasuresElsewhere):
        return job
    if not job.backend.measures:
        raise TunepassError(
            f"--executor is about what is measured; {job.kernel.source.name} is priced by a model, here",
            hint="leave --executor out; --strategy exhaustive evaluates shares of the space elsewhere",
        )
    return _identified(job, evaluator_source(job.kernel, job.backend.target, words), executor)


def resized_elsewhere(job: Job, base: Job, size: Size, executor: str | Executor | MeasuresElsewhere) -> Job:
    """A job of `resized` with the identity of the machines that measure `base`; as it is where this machine does."""
    if base.source is None or not isinstance(executor, MeasuresElsewhere):
        return job
    description = {**json.loads(base.source.text), "size": [list(pair) for pair in size]}
    return _identified(job, replace(base.source, text=json.dumps(description)), executor)


def _identified(job: Job, source: EvaluatorSource, executor: MeasuresElsewhere) -> Job:
    """The job with the source of its evaluator, and the identity that its results have there."""
    remote = executor.identity(source)
    check_same_kernel(job, remote, OF_MACHINES)
    identity = replace(
        job.identity,
        compiler=remote.get("compiler", ""),
        device=remote.get("device", ""),
        files=remote.get("files", ""),
        toolchain=remote.get("toolchain", ""),
    )
    return replace(job, identity=identity, source=source)


def target_elsewhere(
    kernel: Kernel,
    target: Target,
    lock: Lock,
    executor: str | Executor | MeasuresElsewhere,
    words: Sequence[str] | None,
) -> Target:
    """The target with the device of the machines that measure, if the kernel's space depends on it: this machine need
    not have it."""
    placed = with_locked_device(kernel, target, lock)
    if not isinstance(executor, MeasuresElsewhere) or not backend_class(kernel).depends_on_device(placed):
        return target
    return replace(placed, remote_device=executor.device(evaluator_source(kernel, placed, words)))


def check_same_kernel(job: Job, remote: Mapping[str, str], ignored: Collection[str]) -> None:
    """Raises TunepassError where other processes read another kernel in the job's text, by its identity there."""
    local = job.identity.texts()
    same_fields = [name for name in local if name not in ignored]
    changed = differences({n: local[n] for n in same_fields}, {n: remote.get(n, "") for n in same_fields})
    if changed:
        raise TunepassError(
            f"{job.kernel.source.name}: the workers read it otherwise than this process: {'; '.join(changed)}",
            hint="install the same version of tunepass and the same plug-ins where the workers run",
        )


def evaluator_source(kernel: Kernel, target: Target, words: Sequence[str] | None) -> EvaluatorSource:
    """The text of a kernel's source with all that says how it is read and built."""
    description = {
        "name": kernel.source.name,
        "text": kernel.source.text,
        "kernel": kernel.name,
        "words": None if words is None else list(words),
        "compiler": list(target.compiler),
        "device": target.device,
        "generator": target.generator,
        "objectives": list(target.objectives),
        "restrict": target.restrict,
        "seed": target.seed,
        "size": [],
    }
    return EvaluatorSource(maker=MAKER, text=json.dumps(description), folder=os.getcwd())


def job_of_text(text: str) -> Job:
    """Parse the kernel, in another process; without the lock."""
    fields = json.loads(text)
    target = Target(
        compiler=tuple(fields["compiler"]),
        device=fields["device"],
        generator=fields["generator"],
        objectives=tuple(fields["objectives"]),
        restrict=fields["restrict"],
        seed=fields["seed"],
    )
    words = None if fields["words"] is None else tuple(fields["words"])
    parsed = parse(Source(fields["name"], fields["text"]), fields["kernel"], words=words)
    job = prepare(parsed.kernels[0], target, Lock())
    return resized(job, tuple((name, value) for name, value in fields["size"])) if fields["size"] else job


def make_evaluator(text: str) -> IdentifiedEvaluator:
    """Parse the kernel and make its evaluator, on the machine that measures."""
    job = job_of_text(text)
    evaluator = job.backend.evaluator()
    if evaluator is None:
        raise TunepassError(f"{job.key}: nothing measures it")
    return IdentifiedEvaluator(
        evaluator=evaluator,
        identity=job.identity.texts(),
        guard=_guarded,
        device=job.backend.device_description(),
        rule=_rule,
    )


def _rule(text: str) -> Behind:
    return Rounds.decode(text, time.monotonic)


def _guarded(evaluate: Evaluate) -> Evaluate:
    """Failures of this machine are told from those of candidates here, where it can be looked at."""
    return FaultGuard(evaluate, LocalExecutor()).evaluation
