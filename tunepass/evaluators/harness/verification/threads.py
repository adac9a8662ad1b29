"""A candidate once under ThreadSanitizer, where its word can be trusted: a right candidate must not be accused.

It sees what compiled code does and what the C library locks, but not how an OpenMP library synchronises its threads. Of
gcc's it is told (gomp.c), as far as the candidate uses nothing else of it; with other OpenMP libraries it is not asked,
nor where it finds a race in the untouched source. Then the answer is `Unwatched`, with the reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from tunepass.evaluators.harness.harness import BuiltHarness, HarnessRun
from tunepass.evaluators.harness.programs.symbols import libraries, symbols
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.toolchains.compiling import mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

FLAGS = ("-fsanitize=thread", "-g", "-O1")
ENVIRONMENT = (
    ("TSAN_OPTIONS", "halt_on_error=1:exitcode=98:report_signal_unsafe=0:report_thread_leaks=0"),
    ("OMP_NUM_THREADS", "3"),
    ("OMP_WAIT_POLICY", "passive"),
)
SLOWDOWN = 20.0
NONMONOTONIC = ("nonmonotonic_dynamic", "nonmonotonic_guided", "nonmonotonic_runtime", "maybe_nonmonotonic_runtime")
LOOPS = tuple(f"_loop_{kind}" for kind in ("static", "dynamic", "guided", "runtime", *NONMONOTONIC))
REGIONS = ("", "_sections", *LOOPS)
LOCKS = tuple(f"GOMP_{kind}_{end}" for kind in ("critical", "critical_name", "atomic") for end in ("start", "end"))
WRAPPED = (*(f"GOMP_parallel{r}" for r in REGIONS), "GOMP_barrier", "GOMP_loop_end", "GOMP_sections_end", *LOCKS)
# What orders nothing: the next piece of a loop, who takes a single region, the end of a loop that nobody waits for.
HARMLESS = re.compile(
    r"GOMP_(loop_(ull_)?\w+_(start|next)|loop_end_nowait|sections_(start|next|end_nowait)|single_start)$"
)
LIBRARY = re.compile(rb"\b(GOMP_\w+|GOACC_\w+|__kmpc_\w+|omp_\w*lock\w*)\b")
RACE = re.compile(r"WARNING: ThreadSanitizer: (data race[^\n]*)\n(.*?)(?=\n\n|\Z)", re.DOTALL)


# Functions of the C and C++ libraries, gcc's OpenMP and LLVM's that start threads, or may.
STARTS = re.compile(
    r"(pthread_create|_{0,2}clone[23]?|thrd_create|_ZNSt6thread15_M_start_thread\w*|GOMP_(parallel|task|teams)\w*|"
    r"__kmpc_(fork_call|fork_teams|omp_task\w*))(@.*)?$"
)


STATIC_STARTS = frozenset({"pthread_create", "thrd_create"})
# Libraries whose threads are only those that a program asks them for.
QUIET = re.compile(
    r"(lib(c|m|mvec|pthread|dl|rt|util|anl|resolv|gcc_s|stdc\+\+|c\+\+|c\+\+abi|unwind|atomic|quadmath|gfortran|gomp|omp|iomp5|"
    r"[atu]san|ubsan)\.so|ld-linux)"
)


@dataclass(frozen=True, slots=True)
class Unwatched:
    """A sanitizer could not watch the candidate."""

    reason: str


def starts_threads(*files: Path) -> bool:
    """True if an object or a program needs a function that starts threads, or has the C library's linked in."""
    tables = [symbols(file) for file in files]
    return any(STARTS.match(name) for each in tables for name in (*each.needed, *each.defined & STATIC_STARTS))


def unwatched_libraries(program: Path) -> list[str]:
    """Reasons why threads may go unseen: libraries that may start some, of which ThreadSanitizer sees nothing."""
    unknown = sorted(name for name in libraries(program) if not QUIET.match(name))
    return [f"nothing is known of the threads of {name}" for name in unknown]


def watched_object(harness: BuiltHarness, candidate: Candidate, folder: Path) -> Path | Unwatched:
    """The candidate's object with calls at each access of memory, in which a thread can be watched or paused."""
    watched = harness.compiling.watched(candidate, *FLAGS)
    rename = mentions_main(harness.text if candidate.text is None else candidate.text)
    patient = replace(harness.compiling.limits_now(), wall_s=harness.compiling.limits.most_s)
    target, _, failure = harness.compiling.compile_candidate(watched, folder, rename_main=rename, limits=patient)
    if failure is not None:
        return Unwatched(f"it does not compile with -fsanitize=thread: {first_line(failure)}")
    return target


def race_found(
    harness: BuiltHarness, candidate: Candidate, target: Path, folder: Path, *, seed: int, limits: Limits
) -> Failed | Unwatched | None:
    """The data race in a call of the candidate, whose watched object `target` is; None where there is none."""
    watched = harness.compiling.watched(candidate, *FLAGS)
    watched = replace(watched, environment=(*candidate.environment, *ENVIRONMENT))
    if unknown := _not_understood(target):
        return Unwatched(f"it does not know how {unknown} orders threads")
    program = _linked(harness, watched, target, folder)
    if isinstance(program, Failed):
        return Unwatched(f"it cannot be linked with -fsanitize=thread: {first_line(program)}")
    slow = replace(limits, wall_s=limits.wall_s * SLOWDOWN, limit_reservations=False)
    result = HarnessRun(program, folder, watched.environment).sanitized(seed, slow)
    if match := RACE.search(result.log):
        return Failed("wrong_result", f"ThreadSanitizer: {match[1]}\n{match[2]}")
    return Unwatched(f"its run failed: {first_line(result)}") if isinstance(result, Failed) else None


def first_line(failure: Failed) -> str:
    """The first line of the failure that says what is wrong: an error, what a sanitizer prints, else the first."""
    lines = [line.strip() for line in failure.log.splitlines() if line.strip()]
    telling = (line for line in lines if re.search(r"error|FATAL|cannot|undefined", line))
    return next(telling, lines[0] if lines else failure.stage)


def _openmp_names(*objects: Path) -> set[str]:
    """Functions of an OpenMP library that the objects use."""
    return {name.decode() for file in objects for name in LIBRARY.findall(file.read_bytes())}


def _not_understood(target: Path) -> str:
    """A function of an OpenMP library that the object uses and whose order of threads is not known here, if any."""
    unknown = (name for name in _openmp_names(target) if name not in WRAPPED and not HARMLESS.match(name))
    return min(unknown, default="")


def _linked(harness: BuiltHarness, candidate: Candidate, target: Path, folder: Path) -> Path | Failed:
    """The program; with what gcc's OpenMP library synchronises where the objects use it."""
    if not _openmp_names(target, *harness.objects) & set(WRAPPED):
        program, failure = harness.link(target, candidate, folder, by_own=True)
        return program if program is not None else failure or Failed("compile", "no program")
    runtime = folder / "gomp.o"
    text = folder / "gomp.c"
    text.write_text((resources.files("tunepass.evaluators.harness.verification") / "gomp.c").read_text())
    _, failure = harness.compiling.run_patiently(["-x", "c", "-O1", "-w", "-c", text, "-o", runtime])
    if failure is not None:
        return failure
    words = (*harness.link_words, *(f"-Wl,--wrap={name}" for name in WRAPPED))
    program, failure = replace(harness, objects=(*harness.objects, runtime), link_words=words).link(
        target, candidate, folder, by_own=True
    )
    return program if program is not None and failure is None else failure or Failed("compile", "no program")
