"""Plugins of gcc and clang, built from the sources beside this module against the headers of the compiler that is to
load them.

A plugin fits exactly the compiler whose headers it was made from, and that of gcc is a derived work of gcc: plugins are
built where they are used ("GCC Internals", Plugins; "Clang documentation", Clang Plugins). Building needs a C++
compiler; the one of the same gcc or clang is taken. The plugins' references to the compiler are weak: another version
lacks some of the functions, loads the plugin nevertheless, and is told which version it fits.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from tunepass.compilers.asking import ask
from tunepass.compilers.cc import identify
from tunepass.diagnostics import ToolError
from tunepass.files import read_bytes, scratch_folder, write_bytes

NAME = "tunepass.so"  # gcc takes the arguments' prefix, -fplugin-arg-tunepass-, from it
WORDS = ("-fPIC", "-fno-rtti", "-fno-exceptions", "-O2", "-c")
CLANG_WORDS = ("-std=c++17", "-DNDEBUG", "-fvisibility-inlines-hidden", "-w")  # as distributions build clang
# cc1 has a C++ library of its own: without these words each call of gcc would load another, which takes 1 ms
STATIC_LIBRARY = ("-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL")
COMPILE_S = 600.0  # a loaded machine of two cores took more than 120
HEADER_BYTE = 1 << 20
# symbols that only a clang with, or without, LLVM's assertions has: the other kind is to refuse the plugin
STRONG = "ABIBreakingChecks"


@dataclass(frozen=True, slots=True)
class _Recipe:
    """The plugin's source, the words that compile it, the names of C++ compilers to try, and words that link it where
    the linker takes them: a static C++ library is not installed everywhere."""

    source: str
    words: tuple[str, ...]
    cxx: tuple[str, ...]
    preferred_link: tuple[str, ...] = ()


def build_plugin(compiler: str, family: str, output: Path) -> str:
    """Build the plugin for one gcc or clang.

    Args:
        compiler: a C or C++ compiler, as builds call it.
        family: gcc or clang, which the compiler is to be.
        output: the plugin's path. Its name is to be tunepass.so: gcc derives the prefix of arguments from it.

    Returns:
        The version of the compiler that the plugin fits.

    Raises:
        ToolError: the compiler is of another family, its headers or a C++ compiler are missing; or the plugin does not
            compile, with the compiler's message.

    Example:
        >>> build_plugin("gcc", "gcc", Path("tools/tunepass.so"))  # doctest: +SKIP
        '12.2.0'
    """
    identified = identify(compiler)
    if identified.family != family:
        other = f": {identified.family} has `tunepass {identified.family}-plugin`" * (identified.family != "other")
        raise ToolError(f"{compiler} is no {family}: {identified.version}", hint=f"--compiler names a {family}{other}")
    version = ask([compiler, "-dumpfullversion" if family == "gcc" else "-dumpversion"]).stdout.strip()
    recipe = _gcc(compiler, version) if family == "gcc" else _clang(compiler, version)
    with scratch_folder(output.parent, ToolError) as folder:
        _make(compiler, recipe, folder)
        write_bytes(output, (folder / NAME).read_bytes(), ToolError)
    return version


def clang_headers(compiler: str, version: str) -> Path | None:
    """The folder with the headers of exactly this clang, and LLVM's; None where it is not installed."""
    resources = Path(ask([compiler, "-print-resource-dir"]).stdout.strip())  # PREFIX/lib/clang/VERSION
    for prefix in (*resources.parents[2:3], Path("/usr"), Path("/usr/local")):
        stated, llvm = prefix / "include/clang/Basic/Version.inc", prefix / "include/llvm/Config/llvm-config.h"
        if not (stated.is_file() and llvm.is_file()):
            continue
        text = read_bytes(stated, HEADER_BYTE, ToolError).decode("utf-8", "replace")
        if f'CLANG_VERSION_STRING "{version}"' in text:
            return prefix / "include"
    return None


def _gcc(compiler: str, version: str) -> _Recipe:
    headers = Path(ask([compiler, "-print-file-name=plugin"]).stdout.strip(), "include")
    if not (headers / "gcc-plugin.h").is_file():
        major = version.partition(".")[0]
        hint = f"Debian, Ubuntu: apt-get install gcc-{major}-plugin-dev; Fedora: dnf install gcc-plugin-devel"
        raise ToolError(f"{compiler} {version} has no headers for plugins here", hint=hint)
    return _Recipe("gcc.cc", (f"-I{headers}",), ("g++", "c++"), STATIC_LIBRARY)


def _clang(compiler: str, version: str) -> _Recipe:
    headers = clang_headers(compiler, version)
    if headers is None:
        major = version.partition(".")[0]
        hint = f"Debian, Ubuntu: apt-get install libclang-{major}-dev llvm-{major}-dev; Fedora: dnf install clang-devel"
        raise ToolError(f"{compiler} {version} has no headers for plugins here", hint=hint)
    return _Recipe("clang.cc", (f"-I{headers}", *CLANG_WORDS), ("clang++", "g++", "c++"))


def _make(compiler: str, recipe: _Recipe, folder: Path) -> None:
    """Compile and link the plugin; make its references to the compiler weak, and link again."""
    cxx, compiled, built, listed = _cxx(compiler, recipe.cxx), folder / "tunepass.o", folder / NAME, folder / "symbols"
    objcopy, nm = (_binary_tool(compiler, name) for name in ("objcopy", "nm"))

    def run(*words: str | Path) -> str:
        reply = ask(words, patience_s=COMPILE_S)
        if not reply.ok:
            text = f"{words[0]} does not make the plugin for {compiler}"
            raise ToolError(text, hint=_first_error(reply.stderr))
        return reply.stdout

    with as_file(files(__package__)) as sources:
        run(cxx, *WORDS, *recipe.words, sources / recipe.source, "-o", compiled)
    link: list[str | Path] = [cxx, "-shared", compiled, "-o", built]
    preferred = [*link, *recipe.preferred_link]
    if ask(preferred, patience_s=COMPILE_S).ok:
        link = preferred
    else:
        run(*link)
    undefined = [line.split()[-1] for line in run(nm, "-D", "--undefined-only", built).splitlines()]
    weak = (name for name in undefined if "@" not in name and STRONG not in name)  # a library's have versions
    listed.write_text("".join(f"{name}\n" for name in weak))
    run(objcopy, f"--weaken-symbols={listed}", compiled)
    run(*link)


def _cxx(compiler: str, names: Sequence[str]) -> str:
    """The C++ compiler of the same release: g++-12 of gcc-12, beside it or on the PATH. Else the first of `names`."""
    for candidate in _candidates(compiler, names):
        if shutil.which(candidate) is not None:
            return candidate
    raise ToolError(f"no C++ compiler to build the plugin for {compiler}", hint="Debian, Ubuntu: apt-get install g++")


def _candidates(compiler: str, names: Sequence[str]) -> Iterator[str]:
    folder, _, name = compiler.rpartition("/")
    counterparts = {"gcc": "g++", "clang": "clang++", "cc": "c++"}
    counterpart = re.sub(r"(gcc|clang|^cc)(?=-[\d.]+$|$)", lambda m: counterparts[m[0]], name)
    yield f"{folder}/{counterpart}" if folder else counterpart
    yield counterpart
    yield from names


def _binary_tool(compiler: str, name: str) -> str:
    """A program beside the compiler's own; clang names one that is not on its path by its bare name."""
    return ask([compiler, f"-print-prog-name={name}"]).stdout.strip() or name


def _first_error(messages: str) -> str:
    lines = messages.splitlines()
    return next((line.strip() for line in lines if "error" in line), lines[0].strip() if lines else "it said nothing")
