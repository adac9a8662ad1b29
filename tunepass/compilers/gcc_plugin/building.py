"""The plugin of gcc, built from the source beside this module against the headers of the gcc that is to load it.

A plugin fits exactly the gcc whose headers it was made from, and is a derived work of gcc: it is built where it is used
("GCC Internals", Plugins). Needs a C++ compiler; the one of the same gcc is taken. Its references to gcc are weak:
another gcc lacks some of the functions, loads it nevertheless, and is told which gcc it fits.
"""

from __future__ import annotations

import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path

from tunepass.compilers.asking import ask
from tunepass.compilers.cc import identify
from tunepass.diagnostics import ToolError
from tunepass.files import scratch_folder, write_bytes

NAME = "tunepass.so"  # gcc takes the arguments' prefix, -fplugin-arg-tunepass-, from it
SOURCE = "tunepass.cc"
PLUGIN_BYTE = 16 << 20
WORDS = ("-fPIC", "-fno-rtti", "-fno-exceptions", "-O2", "-c")
COMPILE_S = 120.0


def build_plugin(compiler: str, output: Path) -> str:
    """Build the plugin for one gcc.

    Args:
        compiler: gcc or g++, as builds call it.
        output: the plugin's path. Its name is to be tunepass.so: gcc derives the prefix of arguments from it.

    Returns:
        The version of the gcc that the plugin fits.

    Raises:
        ToolError: no gcc, no headers or no C++ compiler; or the plugin does not compile, with the compiler's message.
    """
    identified = identify(compiler)
    if identified.family != "gcc":
        raise ToolError(
            f"{compiler} is no gcc: {identified.version}", hint="--compiler names a gcc; clang has `flags-file`"
        )
    version = ask([compiler, "-dumpfullversion"]).stdout.strip()
    headers = Path(ask([compiler, "-print-file-name=plugin"]).stdout.strip(), "include")
    if not (headers / "gcc-plugin.h").is_file():
        raise ToolError(f"{compiler} {version} has no headers for plugins here", hint=_package(version))
    with scratch_folder(output.parent, ToolError) as folder:
        _make(compiler, headers, folder)
        write_bytes(output, (folder / NAME).read_bytes(), ToolError)
    return version


def _make(compiler: str, headers: Path, folder: Path) -> None:
    """Compile and link the plugin; make its references to gcc weak, and link again."""
    cxx, compiled, built, listed = _cxx(compiler), folder / "tunepass.o", folder / NAME, folder / "symbols"
    objcopy, nm = (ask([compiler, f"-print-prog-name={name}"]).stdout.strip() for name in ("objcopy", "nm"))

    def run(*words: str | Path) -> str:
        reply = ask(words, patience_s=COMPILE_S)
        if not reply.ok:
            text = f"{words[0]} does not make the plugin for {compiler}"
            raise ToolError(text, hint=_first_error(reply.stderr))
        return reply.stdout

    with as_file(files(__package__) / SOURCE) as source:
        run(cxx, *WORDS, f"-I{headers}", source, "-o", compiled)
    run(cxx, "-shared", compiled, "-o", built)
    undefined = [line.split()[-1] for line in run(nm, "-D", "--undefined-only", built).splitlines()]
    listed.write_text("".join(f"{name}\n" for name in undefined if "@" not in name))  # a library's have versions
    run(objcopy, f"--weaken-symbols={listed}", compiled)
    run(cxx, "-shared", compiled, "-o", built)


def _cxx(compiler: str) -> str:
    """The C++ compiler of the same gcc: g++-12 of gcc-12, beside it or on the PATH."""
    folder, _, name = compiler.rpartition("/")
    names = [re.sub(r"gcc(?=-[\d.]+$|$)|^cc$", lambda m: "c++" if m[0] == "cc" else "g++", name), "g++", "c++"]
    for candidate in dict.fromkeys([f"{folder}/{names[0]}" if folder else names[0], *names]):
        if shutil.which(candidate) is not None:
            return candidate
    raise ToolError(f"no C++ compiler to build the plugin for {compiler}", hint="Debian, Ubuntu: apt-get install g++")


def _package(version: str) -> str:
    major = version.partition(".")[0]
    return f"Debian, Ubuntu: apt-get install gcc-{major}-plugin-dev; Fedora: dnf install gcc-plugin-devel"


def _first_error(messages: str) -> str:
    lines = messages.splitlines()
    return next((line.strip() for line in lines if "error" in line), lines[0].strip() if lines else "it said nothing")
