"""Functions that round to a whole number as the mode says: to the nearest one where the reference is run with others.

`rint(2.3)` is 3 with every operation rounded up. The functions are linked as to_nearest.c has them, and the compiler is
told to call them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import resources
from pathlib import Path

from tunepass.evaluators.harness.harness import BuiltHarness
from tunepass.evaluators.harness.programs.symbols import symbols

NAMES = tuple(f"{name}{suffix}" for name in ("rint", "nearbyint", "lrint", "llrint") for suffix in ("", "f", "l"))
CALLED = tuple(f"-fno-builtin-{name}" for name in NAMES)  # flags with which no instruction takes a call's place
MENTIONED = re.compile(rf"\b(?:{'|'.join(NAMES)})\b")
# A source with a mode of its own means what it calls to follow that.
SETS_MODE = re.compile(r"\b(?:fesetround|fesetenv|feupdateenv|_MM_SET_ROUNDING_MODE|_?mm_setcsr|ldmxcsr|fldcw|fpcr)\b")
WRAP = "__wrap_"


def rounds_to_whole_numbers(text: str) -> bool:
    """Does a source name such a function, and no rounding mode?"""
    return MENTIONED.search(text) is not None and SETS_MODE.search(text) is None


def rounding_to_nearest(harness: BuiltHarness, folder: Path) -> BuiltHarness:
    """A harness that links them; the same where they do not compile."""
    text, target = folder / "to_nearest.c", folder / "to_nearest.o"
    text.write_text((resources.files("tunepass.evaluators.harness.reference") / text.name).read_text())
    words: list[str | Path] = ["-x", "c", "-O1", "-fno-fast-math", "-fno-lto", "-w", "-c", text, "-o", target]
    if harness.compiling.run(words)[1] is not None:
        return harness
    wrapped = sorted(name.removeprefix(WRAP) for name in symbols(target).defined if name.startswith(WRAP))
    words_of_links = (*harness.link_words, *(f"-Wl,--wrap={name}" for name in wrapped))
    return replace(harness, objects=(*harness.objects, target), link_words=words_of_links)
