"""What a C compiler's command line asks for: which arguments are sources, and how far the compiler is to go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCE_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".cp", ".CPP"})

# gcc's and clang's options whose value is the next argument ("GCC manual", Option Index; clang --help).
TAKES_VALUE = frozenset(
    {
        *("-o", "-x", "-I", "-D", "-U", "-L", "-l", "-T", "-u", "-z", "-e", "-h", "-B", "-G", "-A", "-F", "-arch"),
        *("-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-isysroot"),
        *("-iwithprefixbefore", "-imultilib", "-MF", "-MT", "-MQ", "-Xlinker", "-Xassembler", "-Xpreprocessor"),
        *("-Xclang", "-mllvm", "-target", "--target", "--param", "--sysroot", "-wrapper", "-aux-info", "-dumpbase"),
        *("-dumpdir", "-framework", "-specs", "-working-directory", "-rpath", "-soname", "-install_name"),
    }
)
# The compiler stops before linking, once a source: such a command line can be split by source.
STOPS_EARLY = frozenset({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"})


@dataclass(frozen=True, slots=True)
class CompilerCall:
    """The arguments after the compiler's name; `at` are the places of its sources."""

    arguments: tuple[str, ...]
    at: tuple[int, ...]
    links: bool

    @property
    def sources(self) -> tuple[Path, ...]:
        return tuple(Path(self.arguments[i]) for i in self.at)

    def only(self, place: int) -> list[str]:
        """The arguments without the other sources."""
        return [a for i, a in enumerate(self.arguments) if i == place or i not in self.at]

    def compiling(self, place: int, output: Path) -> list[str]:
        """The arguments that only compile the source at `place`, to `output`: no other input, no linking."""
        kept: list[str] = []
        for i, argument, value in _walk(self.arguments):
            if argument in ("-o", "-l", "-L", "-Xlinker", "-T", "-rpath", "-MF", "-MT", "-MQ") and value is not None:
                continue
            if argument.startswith(("-l", "-L", "-Wl,", "-o", "-MF", "-Wp,-MD,", "-Wp,-MMD,")) or argument in (
                "-MD",
                "-MMD",
                "-MP",
                "-shared",
                "-static",
            ):
                continue
            if value is None and not argument.startswith("-") and i != place:
                continue  # another source, an object, a library
            kept += [argument] if value is None else [argument, value]
        return [*kept, "-c", "-o", str(output)]


def analyse(arguments: Sequence[str]) -> CompilerCall:
    """Find the sources among a compiler's arguments, and whether it is to link."""
    places, links = [], True
    for i, argument, value in _walk(arguments):
        if argument in STOPS_EARLY:
            links = False
        elif value is None and not argument.startswith("-") and Path(argument).suffix in SOURCE_SUFFIXES:
            places.append(i)
    return CompilerCall(tuple(arguments), tuple(places), links)


def options(arguments: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Each argument with its value, if that is the next argument."""
    return ((argument, value) for _, argument, value in _walk(arguments))


def _walk(arguments: Sequence[str]) -> Iterator[tuple[int, str, str | None]]:
    """(place, argument, its value if that is the next argument)."""
    i = 0
    while i < len(arguments):
        argument = arguments[i]
        if argument in TAKES_VALUE and i + 1 < len(arguments):
            yield i, argument, arguments[i + 1]
            i += 1
        else:
            yield i, argument, None
        i += 1
