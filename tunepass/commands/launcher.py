"""The compiler behind `tunepass cc` and `tunepass c++`: the one whose command follows, as of a launcher (CMake's
CMAKE_C_COMPILER_LAUNCHER, ccache), else the one that the environment names."""

from __future__ import annotations

import os

from tunepass.compilers.languages import LANGUAGES, is_linked

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence

CXX = "c++"  # the command
OTHER_LAUNCHERS = frozenset({"ccache", "sccache", "distcc", "icecc", "buildcache"})  # what follows them is the compiler
QUOTES = frozenset("'\"\\#")


def compiler_behind(words: Sequence[str], command: str) -> tuple[list[str], list[str], bool]:
    """The compiler's command, its arguments, and whether it is one of C++. The first word is the compiler where it is a
    program and no input; of another launcher so is the second. ToolError where the environment names none."""
    launched = 0
    while launched < len(words) and _is_program(words[launched]):
        launched += 1
        if os.path.basename(words[launched - 1]) not in OTHER_LAUNCHERS:
            break
    if launched:
        compiler = list(words[:launched])
        name = os.path.basename(compiler[-1]).rstrip("-.0123456789")  # clang++-19.1
        return compiler, list(words[launched:]), name.endswith("++")
    return _named(command), list(words), command == CXX


def _named(command: str) -> list[str]:
    text = os.environ.get("TUNEPASS_CXX" if command == CXX else "TUNEPASS_CC", "")
    if QUOTES.isdisjoint(text):
        return text.split() or [command]
    from tunepass.evaluators.toolchains.named import CXX_VARIABLE, VARIABLE, named_compiler

    return list(named_compiler(CXX_VARIABLE if command == CXX else VARIABLE, command))


def _is_program(word: str) -> bool:
    """As shutil.which finds it, whose loading takes longer than all the rest."""
    if not word or word.startswith(("-", "@")) or is_linked(word) or os.path.splitext(word)[1] in LANGUAGES:
        return False
    paths = [word] if "/" in word else [os.path.join(folder, word) for folder in os.get_exec_path()]
    return any(os.path.isfile(path) and os.access(path, os.X_OK) for path in paths)
