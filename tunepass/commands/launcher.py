"""The compiler behind `tunepass cc` and `tunepass c++`: the one whose command follows, as of a launcher (CMake's
CMAKE_C_COMPILER_LAUNCHER, ccache), else the one that the environment names."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence

from tunepass.commands.compiler_call import LANGUAGES
from tunepass.evaluators.toolchains.named import CXX_VARIABLE, VARIABLE, named_compiler

CXX = "c++"  # the command, and the language
OTHER_LAUNCHERS = frozenset({"ccache", "sccache", "distcc", "icecc", "buildcache"})  # what follows them is the compiler
LINKED = re.compile(r"\.(o|lo|obj|a|la|so(\.\d+)*|ld|lds)$")


def compiler_behind(words: Sequence[str], command: str) -> tuple[list[str], list[str], bool]:
    """The compiler's command, its arguments, and whether it is one of C++. The first word is the compiler where it is a
    program and no input; of another launcher so is the second."""
    launched = 0
    while launched < len(words) and _is_program(words[launched]):
        launched += 1
        if os.path.basename(words[launched - 1]) not in OTHER_LAUNCHERS:
            break
    if launched:
        compiler = list(words[:launched])
        name = os.path.basename(compiler[-1])
        return compiler, list(words[launched:]), re.search(r"\+\+(-[\d.]+)?$", name) is not None
    named = named_compiler(CXX_VARIABLE, "c++") if command == CXX else named_compiler(VARIABLE, "cc")
    return list(named), list(words), command == CXX


def _is_program(word: str) -> bool:
    if word.startswith(("-", "@")) or os.path.splitext(word)[1] in LANGUAGES or LINKED.search(word):
        return False
    return shutil.which(word) is not None
