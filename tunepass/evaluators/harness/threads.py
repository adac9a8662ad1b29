"""A candidate once under ThreadSanitizer, where its word can be trusted: a right candidate must not be accused.

It sees what compiled code does and what the C library locks, but not how an OpenMP library synchronises its threads. Of
gcc's it is told (gomp.c), as far as the candidate uses nothing else of it; with other OpenMP libraries it is not asked,
nor where it finds a race in the untouched source.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import resources
from pathlib import Path

from tunepass.evaluators.harness.harness import BuiltHarness, HarnessRun
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


def race_found(
    harness: BuiltHarness, candidate: Candidate, folder: Path, *, seed: int, limits: Limits
) -> Failed | None:
    """The data race in a call of the candidate; None where there is none, or where this cannot tell."""
    watched = replace(
        candidate, flags=(*candidate.flags, *FLAGS), environment=(*candidate.environment, *ENVIRONMENT), requests=()
    )
    rename = mentions_main(harness.text if candidate.text is None else candidate.text)
    patient = replace(harness.compiling.limits_now(), wall_s=harness.compiling.limits.most_s)
    target, _, failure = harness.compiling.compile_candidate(watched, folder, rename_main=rename, limits=patient)
    if failure is not None or not _understood(target):
        return None
    program = _linked(harness, watched, target, folder)
    if program is None:
        return None
    slow = replace(limits, wall_s=limits.wall_s * SLOWDOWN, limit_reservations=False)
    result = HarnessRun(program, folder, watched.environment).sanitized(seed, slow)
    match = RACE.search(result.log)
    return Failed("wrong_result", f"ThreadSanitizer: {match[1]}\n{match[2]}") if match else None


def _understood(target: Path) -> bool:
    """Does the object use nothing of an OpenMP library but what is known here?"""
    used = {name.decode() for name in LIBRARY.findall(target.read_bytes())}
    return all(name in WRAPPED or HARMLESS.match(name) for name in used)


def _linked(harness: BuiltHarness, candidate: Candidate, target: Path, folder: Path) -> Path | None:
    runtime = folder / "gomp.o"
    text = folder / "gomp.c"
    text.write_text((resources.files("tunepass.evaluators.harness") / "gomp.c").read_text())
    _, failure = harness.compiling.run(["-x", "c", "-O1", "-w", "-c", text, "-o", runtime])
    if failure is not None:
        return None
    words = (*harness.link_words, *(f"-Wl,--wrap={name}" for name in WRAPPED))
    program, failure = replace(harness, objects=(*harness.objects, runtime), link_words=words).link(
        target, candidate, folder, by_own=True
    )
    return None if failure is not None else program
