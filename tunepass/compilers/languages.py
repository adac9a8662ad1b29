"""The one table of languages: which suffix makes a file a source of which language. Needs no other module but `os`:
every call of `tunepass cc` begins here."""

from __future__ import annotations

import os

# The names are those of -x ("GCC manual", "Overall Options"; clang, Types.def). A compiler that does not know a
# language hands its files to the linker, as all others.
SUFFIXES = {
    "c": (".c",),
    "c++": (".cpp", ".cc", ".cxx", ".c++", ".C", ".cp", ".CPP", ".CC", ".CXX", ".C++"),
    "cuda": (".cu",),
    "hip": (".hip",),
    "cl": (".cl",),
    "objective-c": (".m",),
    "objective-c++": (".mm", ".M"),
    "f95": (".f90", ".f95", ".f03", ".f08", ".f", ".for", ".ftn"),
    "f95-cpp-input": (".F90", ".F95", ".F03", ".F08", ".F", ".FOR", ".FTN", ".fpp", ".FPP"),
    "cpp-output": (".i",),
    "c++-cpp-output": (".ii",),
    "objective-c-cpp-output": (".mi",),
    "objective-c++-cpp-output": (".mii",),
    "cuda-cpp-output": (".cui",),
    "assembler": (".s", ".asm"),
    "assembler-with-cpp": (".S", ".sx"),
    "ir": (".ll", ".bc"),
    "c-header": (".h",),
    "c++-header": (".hh", ".H", ".hp", ".hxx", ".hpp", ".HPP", ".h++", ".tcc"),
}
LANGUAGES = {suffix: language for language, suffixes in SUFFIXES.items() for suffix in suffixes}
SOURCE_SUFFIXES = tuple(suffix for suffix, language in LANGUAGES.items() if not language.endswith("-header"))
C, CXX, CUDA, OPENCL = SUFFIXES["c"], SUFFIXES["c++"], SUFFIXES["cuda"], SUFFIXES["cl"]
FOREIGN = (".rs", ".ml")  # sources of other compilers
USUAL_SUFFIX = {"c": ".c", "c++": ".cpp", "cuda": ".cu", "opencl": ".cl"}  # of a file that is written
OBJECTS = (".o", ".obj", ".lo")
LINKED = frozenset({*OBJECTS, ".a", ".la", ".so", ".ld", ".lds"})


def language_of(name: str) -> str:
    """The language of a file where no -x states one; "" for the linker's files."""
    return LANGUAGES.get(os.path.splitext(name)[1], "")


def is_source(name: str) -> bool:
    """Does a compiler make an object of the file?"""
    return name.endswith(SOURCE_SUFFIXES)


def is_linked(name: str) -> bool:
    """An object, a library (libx.so.1 also) or a linker's script, by its name."""
    return os.path.splitext(name)[1] in LINKED or ".so." in os.path.basename(name)
