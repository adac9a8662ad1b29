"""Programs that make an object file, by their binaries, and meanings of words that depend on this machine.

A version tells neither a rebuilt compiler from the one before nor one processor from another: `-march=native` is what
`gcc -### -march=native` and `clang -### -march=native` print. The driver, the compiler proper and the assembler that
`-###` names are identified by content, and of clang also the libraries that it is made of.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from tunepass.compilers.asking import ask
from tunepass.compilers.cc import Family, identify
from tunepass.compilers.finding import compiler_at
from tunepass.evaluators.toolchains.digests import program_digest
from tunepass.study.manifest import Manifest, Part

NATIVE = re.compile(r"-m(?:arch|cpu|tune)=native\b")
WRAPPERS = ("ccache", "distcc", "sccache", "icecc")  # they call the compiler of their own name further down the PATH
LIBRARY = re.compile(r"=> (\S*/lib(?:LLVM|clang)[^/\s]*)")  # in what the dynamic loader lists
# What linking and loading read of the environment. Where headers and programs are looked for shows in what is found.
VARIABLES = ("LIBRARY_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD")
DRIVING = ("-m", "-B", "-specs=", "--target=", "--sysroot=", "-fno-integrated-as", "-fintegrated-as")
CLANG_TARGET = ("-target-cpu", "-tune-cpu", "-target-feature")


def toolchain(
    program: str, language: str, flags: Sequence[str], searched: Iterable[str] = (), others: Iterable[str] = ()
) -> Manifest:
    """Of the compiler with its `flags`; `searched` are texts that hold the flags that are being tuned, `others` further
    compilers that candidates are built by."""
    native = native_words((*flags, *searched))
    parts = compiler_parts(program, language, flags, native)
    for other in others:
        parts += compiler_parts(other, language, flags, native, f"{other}: ")
    return Manifest((*parts, *variables()))


def tools(programs: Iterable[str], native: Sequence[str], *, named: bool) -> Manifest:
    """Of the tools of an application: of compilers all that they are made of, of others, if `named`, the binary."""
    parts: list[Part] = []
    for program in programs:
        compiler = identify(program)
        if compiler.family != "other":
            language = "c++" if "++" in Path(program).name else "c"
            parts += compiler_parts(program, language, (), native, f"{program}: ")
        elif named:
            parts.append(Part("program", program, program_digest(found(compiler.path))))
    return Manifest((*parts, *variables()))


def native_words(texts: Iterable[str]) -> tuple[str, ...]:
    """The words in the texts that mean the processor of this machine."""
    return tuple(dict.fromkeys(word for text in texts for word in NATIVE.findall(text)))


def compiler_parts(
    program: str, language: str, flags: Sequence[str], native: Sequence[str], prefix: str = ""
) -> list[Part]:
    words = (program, *flags)  # `ccache gcc -O2`
    at = compiler_at(words) or 0
    program, flags = words[at], words[at + 1 :]
    compiler = identify(program)
    lines = _called([compiler.path, *_driving(flags), *native, "-x", language])
    programs = {"compiler driver": real_driver(compiler.path)}
    programs |= {Path(line[0]).name: found(line[0]) for line in lines}
    if compiler.family == "clang":
        programs |= {library.name: library for library in libraries(compiler.path)}
    parts = [Part("program", prefix + name, program_digest(path)) for name, path in programs.items()]
    if native:
        target = target_words(lines[0] if lines else (), compiler.family)
        parts.append(Part("flag", prefix + " ".join(native), target))
    return parts


def variables() -> list[Part]:
    return [Part("variable", name, value) for name in VARIABLES if (value := os.environ.get(name))]


def real_driver(path: str) -> Path:
    """The compiler's own file behind links and wrappers such as ccache."""
    name, real = Path(path).name, Path(path).resolve()
    if real.name not in WRAPPERS:
        return real
    places = (Path(folder, name) for folder in os.get_exec_path())
    behind = (place.resolve() for place in places if os.access(place, os.X_OK))
    return next((place for place in behind if place.name not in WRAPPERS), real)


def found(program: str) -> Path:
    """As a driver finds a program that it names."""
    return Path(shutil.which(program) or program).resolve()


def libraries(path: str) -> list[Path]:
    """The libraries of LLVM that the dynamic loader gives this program."""
    printed = ask([path, "--version"], {"LD_TRACE_LOADED_OBJECTS": "1"}).stdout
    return [Path(library).resolve() for library in LIBRARY.findall(printed)]


def target_words(words: Sequence[str], family: Family) -> str:
    """Words about the processor for the compiler proper, sorted."""
    if family == "clang":
        return " ".join(sorted(value for word, value in pairwise(words) if word in CLANG_TARGET))
    return " ".join(sorted(word for word in words if word.startswith(("-m", "l1-cache", "l2-cache"))))


def _driving(flags: Sequence[str]) -> list[str]:
    """The flags that change which programs are called and for what processor."""
    return [word for word in flags if word.startswith(DRIVING)]


def _called(words: Sequence[str]) -> list[list[str]]:
    """The command lines of the programs that a compile would call, the compiler proper first."""
    printed = ask([*words, "-###", "-c", os.devnull, "-o", os.devnull]).stderr
    lines = [line for line in printed.splitlines() if line.startswith(" ")]
    called = []
    for line in lines:
        try:
            split = shlex.split(line)
        except ValueError:
            continue
        if split and shutil.which(split[0]):
            called.append(split)
    return called
