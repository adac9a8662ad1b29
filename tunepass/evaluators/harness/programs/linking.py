"""The reference's program. A kernel needs what it reaches, not what other functions of its file call.

Where names are undefined, everything is compiled and linked once more, so that the linker drops what main does not
reach. A name that is still undefined is needed by the kernel, or by what runs before main: nothing can be judged then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.harness import BuiltHarness
from tunepass.evaluators.harness.programs.compiling import build_harness
from tunepass.evaluators.refusal import not_compiled
from tunepass.evaluators.toolchains.compiling import Compiling, mentions_main
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

# As the linkers of GNU and LLVM and mold say it, in quotes or not.
UNDEFINED = re.compile(r"undefined (?:\w+ )?(?:references? to|symbol:) [`']?([^`'\n]+?)'?(?: follow)?$", re.MULTILINE)
MOST_NAMES = 6  # in a message; the linker's words have all


@dataclass(frozen=True, slots=True)
class LinkedReference:
    """The untouched source's object and its program, and the harness that is linked with every candidate."""

    harness: BuiltHarness
    target: Path
    program: Path


def link_reference(
    compiling: Compiling, harness: str, candidate: Candidate, text: str, folder: Path
) -> LinkedReference:
    """`text` is the untouched source's. Raises ToolError with the tools' words when it does not compile or link."""
    built, target = _compile(compiling, harness, candidate, text, folder)
    program, failure = built.link(target, candidate, folder)
    if program is None and not compiling.reached_only and undefined_names(failure):
        apart = folder / "reached"
        apart.mkdir()
        compiling.reached_only = True
        try:
            built, target = _compile(compiling, harness, candidate, text, apart)
        except ToolError:  # a compiler without the flags for it
            compiling.reached_only = False
            raise not_linked(compiling, failure) from None
        built = replace(built, folder=folder)
        program, failure = built.link(target, candidate, apart)
    if program is None:
        raise not_linked(compiling, failure)
    return LinkedReference(built, target, program)


def undefined_names(failure: Failed | None) -> tuple[str, ...]:
    """The names that nobody defines, by the linker's words."""
    return tuple(dict.fromkeys(UNDEFINED.findall(failure.log if failure else "")))


def not_linked(compiling: Compiling, failure: Failed | None) -> ToolError:
    """With the names that are missing, and where to name what defines them."""
    source = compiling.source
    log, names = failure.log if failure else "", undefined_names(failure)
    if not names:
        return ToolError(f"{source} does not link with its harness", hint=log)
    problem = f"{_listed(names)}, which the kernel reaches, {'is' if len(names) == 1 else 'are'} not defined"
    advice = f"name the source, the object or the library (-l…) that defines this {compiling.linked_by}"
    return ToolError(f"{source} does not link with its harness: {problem}", hint=f"{advice}\n{log}")


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names[:MOST_NAMES]]
    if len(names) > MOST_NAMES:
        quoted.append(f"{len(names) - MOST_NAMES} more")
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _compile(
    compiling: Compiling, harness: str, candidate: Candidate, text: str, folder: Path
) -> tuple[BuiltHarness, Path]:
    with ThreadPoolExecutor(1) as pool:
        compiled = pool.submit(compile_reference, compiling, candidate, text, folder)
        try:
            built = build_harness(compiling, harness, candidate, text, folder)
        except ToolError:  # a harness that includes a source that does not compile has no words of its own
            compiled.result()
            raise
        return built, compiled.result()


def compile_reference(compiling: Compiling, candidate: Candidate, text: str, folder: Path) -> Path:
    """The untouched source's object. Raises ToolError with the compiler's words when it does not compile."""
    target, _, failure = compiling.compile_candidate(candidate, folder, rename_main=mentions_main(text))
    if failure is None:
        return target
    if candidate.text not in (None, text):
        plain = replace(candidate, text=text)
        apart = folder / "untouched"
        apart.mkdir(exist_ok=True)
        _, _, alone = compiling.compile_candidate(plain, apart, rename_main=mentions_main(text))
        if alone is None:
            message = f"{compiling.source} does not compile with the call that its kernel pragma describes"
            raise ToolError(message, hint=failure.log)
    raise not_compiled(compiling.source, failure.log)
