"""The user's compiler command, made one that writes debug data of a source and nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tunepass.compilers.cc import identify
from tunepass.compilers.options import kept
from tunepass.diagnostics import ToolError
from tunepass.frontends.cfamily.preprocessing.command import read_words

LANGUAGE_WORDS = {"c": "c", "c++": "c++", "cuda": "c++", "hls": "c++", "opencl": "cl"}

# What says how code is made or reported, none of which types depend on; the command's other words are read.
ABOUT_CODE = frozenset(
    {"-P", "-C", "-CC", "-H", "-p", "-pg", "-v", "-###", "-pedantic-errors", "-emit-llvm", "-r", "-Q", "-pie",
     "-no-pie", "-coverage", "--coverage", "-Wfatal-errors", "-Winvalid-pch", "-fverbose-asm", "-aux-info", "-dumpbase",
     "-dumpdir", "-dumpbase-ext", "-wrapper", "--serialize-diagnostics"}
)  # fmt: skip
ABOUT_CODE_PREFIXES = (
    *("-g", "-O", "-Werror", "-Wa,", "-flto", "-fno-lto", "-ffat-lto", "-fwhole-program", "-fprofile", "-fno-profile"),
    *("-fauto-profile", "-fcoverage", "-ftest-coverage", "-fbranch-probabilities", "-fsanitize", "-fno-sanitize"),
    *("-fdump", "-fopt-info", "-ftime", "-fdiagnostics", "-fno-diagnostics", "-fcolor-diagnostics", "-fmax-errors"),
    *("-ferror-limit", "-fmessage-length", "-fdebug", "-fno-debug", "-femit-", "-feliminate-", "-fno-eliminate-"),
    *("-fstandalone-debug", "-flimit-debug", "-fno-standalone-debug", "-fvar-tracking", "-fkeep-inline"),
    *("-fembed-bitcode", "-fopenmp-targets", "-foffload", "-fsave-optimization-record", "-foptimization-record"),
    *("-fstack-usage", "-fcallgraph", "-Rpass", "-specs=", "-fsplit-dwarf", "-fuse-ld", "-dump", "-fpch-"),
    *("-finstrument", "-fxray"),
)
TOOLCHAIN = ("-gcc-toolchain", "-gcc-install-dir")  # begin with `-g` and tell nothing of debug data
FOR_TYPES = ("-g", "-gdwarf-5", "-O0", "-w", "-c", "-fdiagnostics-color=never")
BY_CLANG = ("-fstandalone-debug", "-ferror-limit=0")
BY_GCC = ("-fmax-errors=0",)
BY_GXX = ("-femit-class-debug-always",)  # classes with virtual functions that are defined in another file too


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
    extra = BY_CLANG if clang else (*BY_GCC, *BY_GXX) if LANGUAGE_WORDS[language] == "c++" else BY_GCC
    place = ("-iquote", str(beside), "-x", LANGUAGE_WORDS[language], str(source), "-o", str(output))
    return [compiler, *kept(read_words(words), _is_about_types), *FOR_TYPES, *extra, *place]


def _is_about_types(word: str, value: str | None) -> bool:
    """Whether types may depend on the option."""
    about_code = word in ABOUT_CODE or word.startswith(ABOUT_CODE_PREFIXES)
    return word.startswith(TOOLCHAIN) or not about_code


def is_clang(compiler: str) -> bool:
    """Whether the program is a clang; one that does not answer is none."""
    try:
        return identify(compiler).family == "clang"
    except ToolError:
        return False
