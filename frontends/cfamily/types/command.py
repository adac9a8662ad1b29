"""The user's compiler command, made one that writes debug data of a source and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

LANGUAGE_WORDS = {"c": "c", "c++": "c++", "cuda": "c++", "hls": "c++", "opencl": "cl"}

# Options whose next word belongs to them, and which go with it.
DROPPED_WITH_WORD = frozenset(
    {"-o", "-x", "-MF", "-MT", "-MQ", "-MJ", "-aux-info", "-dumpbase", "-dumpdir", "-dumpbase-ext", "-l", "-L", "-u"}
    | {"-T", "-z", "-e", "-Xlinker", "-Xassembler", "--serialize-diagnostics", "-wrapper"}
)
KEPT_WITH_WORD = frozenset(
    {"-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-isysroot", "-imultilib"}
    | {"-iprefix", "-iwithprefix", "-iwithprefixbefore", "-include-pch", "-Xclang", "-Xpreprocessor", "-mllvm"}
    | {"-target", "-arch", "--param", "-B", "--sysroot", "-cxx-isystem", "-A", "-F", "-iframework", "-gcc-toolchain"}
)
DROPPED = frozenset(
    {"-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MG", "-MP", "-P", "-C", "-CC", "-H", "-p", "-pg", "-v", "-###"}
    | {"-fsyntax-only", "-pedantic-errors", "-emit-llvm", "-s", "-shared", "-static", "-rdynamic", "-r", "-Q"}
    | {"-pie", "-no-pie", "-coverage", "--coverage", "-Wfatal-errors", "-Winvalid-pch", "-fverbose-asm"}
)
DROPPED_PREFIXES = (
    *(
        "-g",
        "-O",
        "-o",
        "-x",
        "-Werror",
        "-Wl,",
        "-Wa,",
        "-l",
        "-L",
        "-save-temps",
        "--save-temps",
        "-MF",
        "-MT",
        "-MQ",
    ),
    *("-flto", "-fno-lto", "-ffat-lto", "-fwhole-program", "-fprofile", "-fno-profile", "-fauto-profile", "-fcoverage"),
    *("-ftest-coverage", "-fbranch-probabilities", "-fsanitize", "-fno-sanitize", "-fdump", "-fopt-info", "-ftime"),
    *("-fdiagnostics", "-fno-diagnostics", "-fcolor-diagnostics", "-fmax-errors", "-ferror-limit", "-fmessage-length"),
    *("-fdebug", "-fno-debug", "-femit-", "-feliminate-", "-fno-eliminate-", "-fstandalone-debug", "-flimit-debug"),
    *("-fno-standalone-debug", "-fvar-tracking", "-fkeep-inline", "-fembed-bitcode", "-fopenmp-targets", "-foffload"),
    *("-fsave-optimization-record", "-foptimization-record", "-fstack-usage", "-fcallgraph", "-Rpass", "-specs="),
    *("-fsplit-dwarf", "-fuse-ld", "-dump", "-fpch-", "-finstrument", "-fxray"),
)
TOOLCHAIN = ("-gcc-toolchain", "-gcc-install-dir")  # begin with `-g` and tell nothing of debug data
INPUT_SUFFIXES = frozenset(
    {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cu", ".cl", ".i", ".ii", ".s", ".S", ".o", ".a", ".so", ".h", ".hpp"}
)
FOR_TYPES = ("-g", "-gdwarf-5", "-O0", "-w", "-c", "-fdiagnostics-color=never")
BY_CLANG = ("-fstandalone-debug", "-ferror-limit=0")
BY_GCC = ("-fmax-errors=0",)
ASK_S = 20.0


def debug_command(command: Sequence[str], language: str, source: Path, beside: Path, output: Path) -> list[str] | str:
    """The words that compile `source` into `output`; a text that says why not, where the compiler cannot.

    `source` is a copy: `#include "x.h"` is looked up in the folder `beside` first, where the user's file lies.
    """
    compiler, *words = command
    if os.path.basename(compiler).startswith("nvcc"):
        return "nvcc does not write types of device code: name its host compiler and stub headers"
    clang = is_clang(compiler)
    if language == "opencl":
        found = compiler if clang else shutil.which("clang")
        if found is None:
            return "OpenCL C is compiled by clang, and there is none: types are those of the declared text"
        compiler, clang = found, True
        words = [*words, "-Xclang", "-finclude-default-header", "-fgnu89-inline"]  # `inline` functions are emitted
    extra = BY_CLANG if clang else BY_GCC
    place = ("-iquote", str(beside), "-x", LANGUAGE_WORDS[language], str(source), "-o", str(output))
    return [compiler, *_kept(words), *FOR_TYPES, *extra, *place]


def _kept(words: Sequence[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word in DROPPED_WITH_WORD:
            next(rest, None)
        elif word in KEPT_WITH_WORD:
            yield word
            yield from (each for each in [next(rest, None)] if each is not None)
        elif _is_kept(word):
            yield word


def _is_kept(word: str) -> bool:
    if not word.startswith("-"):
        return os.path.splitext(word)[1] not in INPUT_SUFFIXES
    if word in DROPPED or word == "-":
        return False
    return word.startswith(TOOLCHAIN) or not word.startswith(DROPPED_PREFIXES)


@lru_cache(maxsize=64)
def is_clang(compiler: str) -> bool:
    """Whether the program is a clang, by its name or by its version's text; one that cannot be run is none."""
    if "clang" in os.path.basename(compiler):
        return True
    if os.path.basename(compiler).startswith(("gcc", "g++")):
        return False
    try:
        done = subprocess.run(
            [compiler, "--version"], capture_output=True, timeout=ASK_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return b"clang" in done.stdout
