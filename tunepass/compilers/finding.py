"""The compiler among the words of a command: a launcher before it (nice, env A=1, ccache, a script) only starts it.
Needs no module that takes long to load: every call of `tunepass cc` begins here."""

from __future__ import annotations

import os

from tunepass.compilers.languages import LANGUAGES, is_linked
from tunepass.compilers.options import OUTPUT

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence

# What compilers are called, without the target before (x86_64-linux-gnu-) and the version behind (-13.2).
NAMES = frozenset(
    {
        *("cc", "gcc", "clang", "c++", "g++", "clang++", "c89", "c99", "icc", "icpc", "icx", "icpx", "nvc", "nvc++"),
        *("nvcc", "hipcc", "amdclang", "amdclang++", "armclang", "armclang++", "tcc", "emcc", "em++"),
        *("mpicc", "mpicxx", "mpic++"),
    }
)
CXX_NAMES = ("++", "mpicxx", "icpc", "icpx")
THREADS_OF_WINDOWS = ("-posix", "-win32")  # x86_64-w64-mingw32-gcc-posix


def compiler_at(words: Sequence[str]) -> int | None:
    """The place of the first word that names a compiler and is a program: no output, and no name that another
    compiler's command follows at once."""
    for i, word in enumerate(words):
        if _is_compiler(word) and (i == 0 or words[i - 1] not in OUTPUT):
            while i + 1 < len(words) and _is_compiler(words[i + 1]):
                i += 1
            return i
    return None


def is_cxx(word: str) -> bool:
    return _bare(word).endswith(CXX_NAMES)


def is_program(word: str) -> bool:
    """As shutil.which finds it, whose loading takes longer than all the rest; no file that is compiled or linked."""
    if not word or word.startswith(("-", "@")) or is_linked(word) or os.path.splitext(word)[1] in LANGUAGES:
        return False
    paths = [word] if "/" in word else [os.path.join(folder, word) for folder in os.get_exec_path()]
    return any(os.path.isfile(path) and os.access(path, os.X_OK) for path in paths)


def _is_compiler(word: str) -> bool:
    name = os.path.basename(word).removesuffix(".exe").rpartition("-")[2]
    return (name in NAMES or _bare(word).rpartition("-")[2] in NAMES) and is_program(word)


def _bare(word: str) -> str:
    """The name without version: clang++-19.1 is clang++."""
    name = os.path.basename(word).removesuffix(".exe")
    for threads in THREADS_OF_WINDOWS:
        name = name.removesuffix(threads)
    return name.rstrip("-.0123456789")
