"""A candidate once under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tunepass.evaluators.harness.harness import BuiltHarness, Calls, HarnessRun
from tunepass.evaluators.harness.programs.linking import undefined_names
from tunepass.evaluators.harness.verification.threads import Unwatched, first_line
from tunepass.evaluators.process.run import Limits
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
ENVIRONMENT = (
    ("ASAN_OPTIONS", "detect_leaks=0:exitcode=99:detect_stack_use_after_return=0"),
    ("UBSAN_OPTIONS", "print_stacktrace=0"),
)
SLOWDOWN = 20.0
BOUNDS = re.compile(r"buffer-(over|under)flow|use-after|out-of-bounds|out of bounds|insufficient space")
ASAN = re.compile(r"ERROR: AddressSanitizer: (.*)")
SYMBOL = re.compile(r"[A-Za-z_.$][\w.$]*")
UBSAN = re.compile(r"([^\n]*: runtime error: .*)")


def run_sanitized(
    harness: BuiltHarness, candidate: Candidate, folder: Path, *, rename_main: bool, seed: int, limits: Limits
) -> Calls | Failed | Unwatched:
    """What the candidate computes, what the sanitizers say, or why they cannot watch it."""
    watched = harness.compiling.watched(candidate, *FLAGS)
    watched = replace(watched, environment=(*candidate.environment, *ENVIRONMENT))
    target, _, failure = harness.compiling.compile_candidate(watched, folder, rename_main=rename_main)
    if failure is not None:
        return failure
    program, failure = harness.link(target, watched, folder, by_own=True)
    if program is None and harness.compiling.reached_only:
        program, failure = _linked_with_traps(harness, target, watched, folder, failure)
    if program is None:
        why = f": {first_line(failure)}" if failure else ""
        return Unwatched(f"it cannot be linked with {FLAGS[0]}{why}")
    slow = replace(limits, wall_s=limits.wall_s * SLOWDOWN, limit_reservations=False)
    result = HarnessRun(program, folder, watched.environment).sanitized(seed, slow)
    return _classified(result) if isinstance(result, Failed) else result.outputs


def _linked_with_traps(
    harness: BuiltHarness, target: Path, watched: Candidate, folder: Path, failure: Failed | None
) -> tuple[Path | None, Failed | None]:
    """AddressSanitizer lists all variables of a file, and with them the functions that they point to, although the
    kernel reaches none of these: what they call and nobody defines is an instruction that ends the program."""
    bare = replace(harness, link_words=(*harness.link_words, "-Wl,--no-demangle"))
    _, named = bare.link(target, watched, folder, by_own=True)
    names = [name for name in undefined_names(named) if SYMBOL.fullmatch(name)]
    if not names:
        return None, failure
    text, traps = folder / "traps.c", folder / "traps.o"
    aliases = "\n".join(f'__asm__(".globl {name}\\n.set {name}, tunepass_trap");' for name in names)
    text.write_text(f"void tunepass_trap(void) {{ __builtin_trap(); }}\n{aliases}\n")
    _, failure = harness.compiling.by(watched).run_patiently(["-x", "c", "-c", text, "-o", traps])
    if failure is not None:
        return None, failure
    return replace(harness, objects=(*harness.objects, traps)).link(target, watched, folder, by_own=True)


def _classified(failure: Failed) -> Failed:
    """The failure by what the sanitizer printed; unchanged where no sanitizer printed anything."""
    address, undefined = ASAN.search(failure.log), UBSAN.search(failure.log)
    if address:
        return Failed("out_of_bounds" if BOUNDS.search(address[1]) else "crash", f"AddressSanitizer: {failure.log}")
    if undefined:
        return Failed("out_of_bounds" if BOUNDS.search(undefined[1]) else "crash", undefined[1].strip())
    return failure
