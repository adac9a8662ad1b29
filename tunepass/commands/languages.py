"""What a file's name says to a C compiler, and the words by which it stops early. Needs no other module: every call of
`tunepass cc` begins here."""

from __future__ import annotations

import os

# The suffixes of a language where no -x states one ("GCC manual", "Overall Options"); any other file is the linker's.
SUFFIXES = {
    "c": (".c",),
    "c++": (".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".CPP"),
    "cpp-output": (".i",),
    "c++-cpp-output": (".ii",),
    "assembler": (".s",),
    "assembler-with-cpp": (".S", ".sx"),
    "objective-c": (".m",),
    "objective-c++": (".mm", ".M"),
    "cuda": (".cu",),
    "c-header": (".h", ".hh", ".hp", ".hxx", ".hpp", ".HPP", ".h++", ".H", ".tcc"),
}
LANGUAGES = {suffix: language for language, suffixes in SUFFIXES.items() for suffix in suffixes}
LINKED = frozenset({".o", ".lo", ".obj", ".a", ".la", ".so", ".ld", ".lds"})
# The compiler stops before linking, once a source: such a command line can be split by source.
STOPS_EARLY = frozenset(
    {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--compile", "--assemble", "--preprocess", "--precompile"}
)


def is_linked(name: str) -> bool:
    """An object, a library (libx.so.1 also) or a linker's script, by its name."""
    return os.path.splitext(name)[1] in LINKED or ".so." in os.path.basename(name)
