"""Kernels whose candidates are built by several compilers: the default one, and whether their objects go together."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from tunepass.compilers.asking import ask
from tunepass.compilers.cc import Compiler, identify
from tunepass.compilers.finding import is_cxx
from tunepass.compilers.named import same_program
from tunepass.diagnostics import SourceError, Span, ToolError
from tunepass.evaluators.toolchains.compiling import Compiling, Language
from tunepass.frontends.c.parameters.compilers import compilers_of, with_default
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel

# What links only where both agree about names, layouts and the library: a string by value in C++, a struct in C.
PROBES = {
    "c": (
        "struct tp_two { double a; int b; };\n",
        "struct tp_two tp_other(struct tp_two x) { x.b++; return x; }\n",
        "struct tp_two tp_other(struct tp_two);\n"
        "int main(void) { struct tp_two x = {1.0, 1}; return tp_other(x).b != 2; }\n",
    ),
    "c++": (
        "#include <string>\n",
        "std::string tp_other(std::string x) { return x + x; }\n",
        'std::string tp_other(std::string);\nint main() { return tp_other("ab") != "abab"; }\n',
    ),
}


def resolved(kernel: Kernel, program: str, *, asked: bool) -> Kernel:
    """The kernel with the value that `program`, the compiler after `--`, is as its default. Raises SourceError where it
    is none of them, if the program is `asked` anything; else the first stays the default."""
    named = compilers_of(kernel)
    if named is None:
        return kernel
    parameter, span = named
    match = next((str(v) for v in parameter.domain if same_program(str(v), program)), None)
    if match is not None:
        return with_default(kernel, match)
    if not asked:
        return kernel
    listed = ", ".join(str(value) for value in parameter.domain)
    raise SourceError(
        f"the compiler after `--`, {program}, is the default and none of the values of `{parameter.name}`: {listed}",
        span,
        f"list it too, or build with one of them: -- {parameter.domain[0]}",
    )


def others(kernel: Kernel, program: str) -> tuple[str, ...]:
    """The compilers that candidates may be built by besides `program`."""
    named = compilers_of(kernel)
    return () if named is None else tuple(str(v) for v in named[0].domain if not same_program(str(v), program))


def identified(kernel: Kernel, program: str) -> str:
    """The version of `program`, and of all others by their names. Raises SourceError at the parameter for a name that
    is not found or no gcc or clang."""
    named = compilers_of(kernel)
    lines = [identify(program).version]
    for name in others(kernel, program):
        assert named is not None
        lines.append(f"{name}: {_identified(name, named[1]).version}")
    return "; ".join(lines)


def check_together(kernel: Kernel, command: Sequence[str]) -> None:
    """Raises SourceError at the parameter for a compiler that builds for another machine or language, does not take the
    words of the command, or whose objects do not link with the command's."""
    named = compilers_of(kernel)
    if named is None:
        return
    language: Language = "c++" if kernel.language == "c++" else "c"
    machine = _machine(command[0])
    for name in others(kernel, command[0]):
        if is_cxx(name) != is_cxx(command[0]):
            raise SourceError(f"{name} and {command[0]} are compilers of different languages", named[1])
        if _machine(name) != machine:
            raise SourceError(f"{name} builds for {_machine(name)}, {command[0]} for {machine}", named[1])
        with tempfile.TemporaryDirectory(prefix="tunepass-") as folder:
            _link(Path(folder), tuple(command), name, language, named[1])


def _link(folder: Path, command: tuple[str, ...], name: str, language: Language, span: Span | None) -> None:
    suffix = {"c": ".c", "c++": ".cpp"}[language]
    first, source, main = PROBES[language]
    compiling = Compiling(command=command, source=folder / f"probe{suffix}", language=language)
    objects = []
    for number, (text, compiler) in enumerate(((source, name), (main, ""))):
        place = folder / str(number)
        place.mkdir()
        candidate = Candidate(text=first + text, compiler=compiler)
        compiled, _, failure = compiling.compile_object(candidate, place, rename_main=False)
        if failure is not None and compiler:
            hint = f"{failure.log.strip()}\nwords after `--` are for all compilers of the parameter"
            raise SourceError(f"{name} does not take the words after `--`: {' '.join(command[1:])}", span, hint)
        if failure is not None:
            return  # the source's own compile says what is wrong
        objects.append(compiled)
    _, failure = compiling.link(objects, folder / "probe", Candidate())
    if failure is not None:
        raise SourceError(f"objects of {name} do not link with those of {command[0]}", span, failure.log.strip())


def _identified(name: str, span: Span | None) -> Compiler:
    try:
        compiler = identify(name)
    except ToolError as error:
        first = error.diagnostics[0]
        raise SourceError(first.message, span, first.hint) from None
    if compiler.family == "other":
        raise SourceError(f"{name} is neither gcc nor clang: it says {compiler.version!r}", span)
    return compiler


def _machine(program: str) -> str:
    """The processor and the system of what it builds: gcc leaves out the maker that clang names."""
    words = ask([identify(program).path, "-dumpmachine"]).stdout.strip().split("-")
    return "-".join([words[0], *words[-2:]]) if len(words) > 2 else "-".join(words)
