"""Building and running a generated harness around an object file."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from tunepass.compilers.asking import base_environment
from tunepass.evaluators.harness.dialogue.conversation import Conversation
from tunepass.evaluators.harness.dialogue.dialogues import (
    Computed,
    Timed,
    be_checked,
    be_counted,
    be_timed,
    be_timed_in_turns,
    compute,
)
from tunepass.evaluators.harness.dialogue.listening import Dialogue
from tunepass.evaluators.harness.dialogue.overheads import Overheads
from tunepass.evaluators.harness.dialogue.report import ArrayShape, Report
from tunepass.evaluators.harness.dialogue.sampling import Outputs, Questions
from tunepass.evaluators.harness.dialogue.witness import Witness
from tunepass.evaluators.harness.failures import harness_failure
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.measure.timing import Sample, SamplingPlan
from tunepass.evaluators.measure.turns import Party
from tunepass.evaluators.process.isolation import calls_are_filtered
from tunepass.evaluators.process.run import Completed, Limits, run_limited
from tunepass.evaluators.process.workspace import temporary_folder
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

Calls = tuple[Outputs, ...]
Shapes = Sequence[ArrayShape]
Answer = TypeVar("Answer")
PLACING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")  # who says where threads belong


@dataclass(frozen=True, slots=True)
class PlainRun:
    """Outputs of the calls, and the log."""

    outputs: Calls
    log: str


@dataclass(frozen=True, slots=True)
class CheckedCase:
    """What the calls of a case computed, how many elements of floating inout arrays the first of several calls left
    as they were, the case's share of the run's seconds, the most memory in that run, the places of which some
    memory has no known length, the program's CPU time for the case, and what of the processor's state calls of that run
    left changed for their caller."""

    calls: Calls
    unchanged: int
    seconds: float
    peak_bytes: int = 0
    uncompared: tuple[str, ...] = ()
    worked_s: float = 0.0
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepeatedCase:
    """Outputs of the last of so many `calls` that were alike; of all but the last they were the same bit by bit."""

    outputs: Outputs
    calls: int


@dataclass(frozen=True, slots=True)
class FailedCase:
    """The case (its number in the run) in which a run failed. `starved`: at a limit, having mostly waited."""

    number: int
    failure: Failed
    starved: bool = False


@dataclass(frozen=True, slots=True)
class Spoken(Generic[Answer]):
    """Result of a dialogue, the program's exit, and the failure if either went wrong."""

    answer: Answer | None
    done: Completed
    report: Report
    failure: Failed | None

    @property
    def failed(self) -> Failed:
        return self.failure or Failed("crash", "the kernel ended the program")


@dataclass(frozen=True, slots=True)
class HarnessRun:
    """One linked program in its folder. Each run has a folder below it, the only one that it may write to. Where the
    untouched source starts no process (`starts_processes`), nor does it."""

    program: Path
    folder: Path
    environment: tuple[tuple[str, str], ...] = ()
    cpus: Sequence[int] = ()
    prefix: tuple[str, ...] = ()  # valgrind and its words
    starts_processes: bool = True

    def check(
        self,
        cases: Sequence[Case],
        alignment: int,
        limits: Limits,
        calls: int = 1,
        shapes: Sequence[Shapes] | None = None,
        rounding: str = "",
        stack: int = 0,
        apart_ns: int | None = None,
    ) -> dict[Case, CheckedCase] | Failed:
        """See `check_each`; the failure says in words in which case the run failed."""
        checked = self.check_each(cases, alignment, limits, calls, shapes, rounding, stack, apart_ns)
        if isinstance(checked, FailedCase):
            return Failed(checked.failure.stage, cases[checked.number].explained(checked.failure.log))
        return checked

    def check_each(
        self,
        cases: Sequence[Case],
        alignment: int,
        limits: Limits,
        calls: int = 1,
        shapes: Sequence[Shapes] | None = None,
        rounding: str = "",
        stack: int = 0,
        apart_ns: int | None = None,
    ) -> dict[Case, CheckedCase] | FailedCase:
        """`calls` calls in each case: one with the case's own poison, or several, the first with pattern 0. `shapes`
        are those of the outputs in each case, if they are known. With a `stack` of so many bytes threads call, and in
        up to two cases at once; with `apart_ns` also the first calls, the second so much later."""
        arguments = [case.argument if calls == 1 else replace(case, poison=0).argument for case in cases]
        words = ["mode=check", f"calls={calls}", f"alignment={alignment}", f"rounding={rounding}"]
        words += [f"stack={stack}"] if stack else []
        words += [f"apart={apart_ns}"] if apart_ns is not None else []
        words.append(f"cases={','.join(arguments)}")
        spoken = self._run(words, limits, lambda talk: be_checked(talk, calls, token()), shapes)
        if spoken.failure is not None or spoken.answer is None:
            reached = min(len(cases), max(1, len(spoken.report.cases)))
            return FailedCase(reached - 1, spoken.failed, spoken.done.starved)
        share, unchanged, peak = spoken.done.seconds / len(cases), spoken.report.unchanged, spoken.done.peak_bytes
        uncompared, left = tuple(dict.fromkeys(spoken.report.uncompared)), tuple(spoken.report.left)
        outputs, worked = spoken.answer
        return {
            case: CheckedCase(outputs[k], unchanged.get(k, 0), share, peak, uncompared, worked[k], left)
            for k, case in enumerate(cases)
        }

    def repeat(self, case: Case, alignment: int, limits: Limits, repeats: int, limit_s: float) -> RepeatedCase | Failed:
        """Up to so many calls that are alike, in up to so many seconds of CPU time."""
        words = ["mode=check", "calls=2", f"alignment={alignment}", f"repeats={repeats}"]
        words += [f"limit_ms={int(1000 * limit_s)}", f"cases={replace(case, poison=0).argument}"]
        spoken = self._run(words, limits, lambda talk: be_checked(talk, 2, token()))
        if spoken.answer is None or spoken.failure is not None:
            return spoken.failed
        _, last = spoken.answer[0][0]
        return RepeatedCase(last, spoken.report.repeated)

    def sanitized(self, seed: int, limits: Limits) -> PlainRun | Failed:
        """One call of a program that the compiler made watchful, with what it printed."""
        spoken = self._run(["mode=sanitize", f"seed={seed}"], limits, lambda talk: be_checked(talk, 1, token()))
        if spoken.answer is None or spoken.failure is not None:
            return spoken.failed
        return PlainRun(spoken.answer[0][0], spoken.done.stderr)

    def count(self, seed: int, limits: Limits, calls: int, variant: int, shapes: Shapes) -> PlainRun | Failed:
        """`calls` calls, the last one with the inputs of `variant`; the output is that one's."""
        words = ["mode=count", f"seed={seed}"]
        spoken = self._run(words, limits, lambda talk: be_counted(talk, calls, variant, token()), [shapes])
        if spoken.answer is None or spoken.failure is not None:
            return spoken.failed
        return PlainRun((spoken.answer,), spoken.done.stderr)

    def time(self, seed: int, plan: SamplingPlan, limits: Limits, ask: Questions, shapes: Shapes) -> Timed | Failed:
        """A program that has mostly waited when its time is up may try once more."""
        words = ["mode=time", f"seed={seed}"]
        spoken = self._run(words, limits, lambda talk: be_timed(talk, ask, plan), [shapes])
        if spoken.done.starved:
            anew = replace(ask)  # each variant is used once in a run
            spoken = self._run(words, limits, lambda talk: be_timed(talk, anew, plan), [shapes])
        return spoken.answer if spoken.answer is not None and spoken.failure is None else spoken.failed

    def time_in_turns(
        self,
        seed: int,
        plan: SamplingPlan,
        limits: Limits,
        ask: Questions,
        shapes: Shapes,
        party: Party,
        slices: int,
        patience_s: float,
    ) -> tuple[list[list[Sample]], Witness] | Failed:
        """As `time`, in slices."""
        words = ["mode=time", f"seed={seed}"]
        spoken = self._run(
            words, limits, lambda talk: be_timed_in_turns(talk, ask, plan, party, slices, patience_s), [shapes]
        )
        return spoken.answer if spoken.answer is not None and spoken.failure is None else spoken.failed

    def compute(
        self,
        seed: int,
        limits: Limits,
        variants: Sequence[int],
        filling: int,
        rounding: str = "",
        *,
        measuring: bool = False,
        known: Overheads | None = None,
    ) -> Computed | Failed:
        """The outputs for each variant, and for inputs that `filling` fills anew. `measuring` and `known` as in
        `dialogues.compute`."""
        words = ["mode=time", f"seed={seed}", f"rounding={rounding}"]

        def dialogue(talk: Conversation) -> Computed:
            return compute(talk, variants, filling, seed, token(), measuring=measuring, known=known)

        spoken = self._run(words, limits, dialogue)
        return spoken.answer if spoken.answer is not None and spoken.failure is None else spoken.failed

    def _run(
        self,
        words: Sequence[str],
        limits: Limits,
        dialogue: Callable[[Conversation], Answer],
        shapes: Sequence[Shapes] | None = None,
    ) -> Spoken[Answer]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with (
            theirs,
            tempfile.TemporaryFile(dir=self.folder, buffering=0) as results,
            temporary_folder(self.folder) as place,
        ):
            alone = not self.starts_processes and calls_are_filtered(self.program)
            talk = Conversation(ours, results.fileno(), shapes, alone=alone)
            thread = Dialogue(talk, dialogue)
            thread.start()
            try:
                done = run_limited(
                    [*self.prefix, self.program, *words, "report=3", "outputs=4"],
                    limits=limits,
                    cwd=place,
                    env=base_environment({**binding(), **dict(self.environment)}),
                    cpus=self.cpus,
                    trust="kernel",
                    scratch=place,
                    descriptors=(theirs.fileno(), results.fileno()),
                    starts_processes=self.starts_processes,
                )
            finally:
                theirs.close()  # the last one: who still listens hears that there is no one
                thread.join()
        return Spoken(thread.answer, done, talk.report, thread.result() or harness_failure(done, talk.report, limits))


def binding() -> dict[str, str]:
    """Environment that keeps each thread of OpenMP on a core of its own, unless the user says where they belong: two on
    one core wait for each other whole time slices at every barrier."""
    return {} if any(name in os.environ for name in PLACING) else {"OMP_PROC_BIND": "true"}


def token() -> int:
    """Unknown to every program; printed with the same digits' count always, so that instructions can be counted."""
    return secrets.randbits(63) | 1 << 63


@dataclass(frozen=True, slots=True)
class BuiltHarness:
    """The harness's object and the user's further objects, ready to be linked with candidates."""

    compiling: Compiling
    objects: tuple[Path, ...]
    link_words: tuple[str, ...]
    folder: Path
    text: str
    needs: frozenset[str] = frozenset()  # names that the harness's own object needs
    before: tuple[Path, ...] = ()  # what comes before the candidate's object

    def link(
        self, candidate_object: Path, candidate: Candidate, folder: Path, *, by_own: bool = False
    ) -> tuple[Path | None, Failed | None]:
        """The program, linked as users link: by the compiler that they named; `by_own`: by the candidate's, whose
        runtime a sanitizer needs."""
        target = folder / "candidate"
        compiling = self.compiling.by(candidate) if by_own else self.compiling
        _, failure = compiling.link([*self.before, candidate_object, *self.objects], target, candidate, self.link_words)
        return (None if failure else target), failure
