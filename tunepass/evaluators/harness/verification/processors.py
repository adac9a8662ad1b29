"""A candidate that asks how many processors there are, told of other numbers than this machine has.

Its object is linked with processors.c in the place of the functions that tell it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from tunepass.evaluators.harness.harness import BuiltHarness, HarnessRun
from tunepass.evaluators.harness.programs.symbols import symbols
from tunepass.evaluators.harness.reference.cases import Case
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.harness.verification.threads import Unwatched, first_line
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.toolchains.compiling import mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

COUNTS = (1, 2, 3, 5, 16)  # of processors
TELLING = (
    "sysconf",
    "get_nprocs",
    "get_nprocs_conf",
    "sched_getaffinity",
    "pthread_getaffinity_np",
    "omp_get_num_procs",
    "_ZNSt6thread20hardware_concurrencyEv",
    "_ZNSt3__16thread20hardware_concurrencyEv",
)
PLACING = ("sched_setaffinity", "pthread_setaffinity_np", "pthread_attr_setaffinity_np")


def asks_for_processors(target: Path) -> bool | None:
    """Does an object call a function that may tell how many there are? None where its names cannot be read, as before a
    link that optimises."""
    known = symbols(target)
    return not known.needed.isdisjoint(TELLING) if known.readable else None


@dataclass(frozen=True, slots=True)
class OtherProcessors:
    """Calls of a candidate on machines with other numbers of processors, compared with the reference's results."""

    reference: Reference
    cases: Sequence[Case]
    limits: Limits

    def failure(self, harness: BuiltHarness, candidate: Candidate, run: HarnessRun) -> Failed | Unwatched | None:
        program = _program(harness, candidate, run.folder)
        if isinstance(program, Unwatched):
            return program
        for count in COUNTS:
            environment = (*run.environment, ("TUNEPASS_PROCESSORS", str(count)))
            counted = replace(run, program=program, environment=environment, cpus=())
            if failure := self._failure(counted):
                return Failed(failure.stage, f"with {count} processor{'s' * (count > 1)}, {failure.log}")
        return None

    def _failure(self, run: HarnessRun) -> Failed | None:
        outcome = run.check(self.cases, self.reference.alignment, self.limits)
        if isinstance(outcome, Failed):
            return outcome
        for case, checked in outcome.items():
            if wrong := self.reference.expected[case].mismatches(case.poison, checked.calls[0]):
                return Failed("wrong_result", case.explained("\n".join(str(mismatch) for mismatch in wrong)))
        return None


def asks_when_compiled_at_once(harness: BuiltHarness, candidate: Candidate, folder: Path) -> bool | None:
    """The same of a candidate whose object is one for a link that optimises."""
    target, failure = _compiled(harness, candidate, folder)
    return None if failure else asks_for_processors(target)


def _compiled(harness: BuiltHarness, candidate: Candidate, folder: Path) -> tuple[Path, Failed | None]:
    plain = harness.compiling.watched(candidate)
    rename = mentions_main(harness.text if candidate.text is None else candidate.text)
    patient = replace(harness.compiling.limits_now(), wall_s=harness.compiling.limits.most_s)
    target, _, failure = harness.compiling.compile_candidate(plain, folder, rename_main=rename, limits=patient)
    return target, failure


def _program(harness: BuiltHarness, candidate: Candidate, folder: Path) -> Path | Unwatched:
    text, answers = folder / "processors.c", folder / "processors.o"
    text.write_text((resources.files("tunepass.evaluators.harness.verification") / "processors.c").read_text())
    target, failure = _compiled(harness, candidate, folder)
    if failure is None:
        _, failure = harness.compiling.run(["-x", "c", "-O1", "-w", "-c", text, "-o", answers])
    if failure is None:
        words = (*harness.link_words, *(f"-Wl,--wrap={name}" for name in (*TELLING, *PLACING)))
        whole = replace(harness, objects=(*harness.objects, answers), link_words=words)
        program, failure = whole.link(target, candidate, folder)
        if program is not None and failure is None:
            return program
    return Unwatched(f"it cannot be linked so that it is told so: {first_line(failure) if failure else 'no program'}")
