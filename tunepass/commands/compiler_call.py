"""What a C compiler's command line asks for: its inputs and their languages, and how far the compiler is to go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.commands.languages import LANGUAGES, STOPS_EARLY
from tunepass.evaluators.toolchains.responses import operand

TUNABLE = ("c", "c++", "cuda")
SOURCE_SUFFIXES = frozenset(suffix for suffix, language in LANGUAGES.items() if language in TUNABLE)

# gcc's and clang's options whose value is the next argument ("GCC manual", Option Index; clang --help).
TAKES_VALUE = frozenset(
    {
        *("-o", "-x", "-I", "-D", "-U", "-L", "-l", "-T", "-u", "-z", "-e", "-h", "-B", "-G", "-A", "-F", "-arch"),
        *("-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-isysroot"),
        *("-iwithprefixbefore", "-imultilib", "-MF", "-MT", "-MQ", "-MJ", "-Xlinker", "-Xassembler", "-Xpreprocessor"),
        *("-Xclang", "-mllvm", "-target", "--target", "--param", "--sysroot", "-wrapper", "-aux-info", "-dumpbase"),
        *("-dumpdir", "-framework", "-specs", "-working-directory", "-rpath", "-soname", "-install_name"),
        *("-dumpbase-ext", "-Tbss", "-Tdata", "-Ttext", "-resource-dir", "-ivfsoverlay", "-include-pch", "-Xarch_host"),
        *("--output", "--language", "--include", "--imacros", "--include-directory", "--include-directory-after"),
        *("--include-prefix", "--library-directory", "--define-macro", "--undefine-macro", "--for-linker", "--prefix"),
        *(
            "--for-assembler",
            "--entry",
            "--force-link",
            "--specs",
            "--dumpbase",
            "--dumpdir",
            "--serialize-diagnostics",
        ),
    }
)
AS_CXX = {
    "c": "c++",
    "cpp-output": "c++-cpp-output",
    "c-header": "c++-header",
}  # by g++ and clang++, whatever the suffix
UNKNOWN_PRAGMAS = re.compile(r"-W(no-)?(error=)?unknown-pragmas")
STDIN = "-"
Keep = Callable[[int, str, str | None], bool]


@dataclass(frozen=True, slots=True)
class Input:
    """A file that is compiled or linked; `language` is "" for what is the linker's. `stated` by an -x."""

    place: int
    name: str
    language: str
    stated: bool


@dataclass(frozen=True, slots=True)
class CompilerCall:
    """The arguments after the compiler's name; `at` are the places of its sources."""

    arguments: tuple[str, ...]
    at: tuple[int, ...]
    links: bool
    inputs: tuple[Input, ...] = ()
    named_output: bool = False
    included: tuple[str, ...] = ()  # by -include and -imacros
    folders: tuple[str, ...] = ()  # in which quoted includes are looked for

    @property
    def sources(self) -> tuple[Path, ...]:
        return tuple(Path(self.arguments[i]) for i in self.at)

    @property
    def compiled(self) -> tuple[Input, ...]:
        """The inputs that are compiled, sources and others."""
        return tuple(given for given in self.inputs if given.language)

    @property
    def warns_of_pragmas(self) -> bool:
        """Does the compiler warn of pragmas that it does not know, without having been told so by their name?"""
        named = any(UNKNOWN_PRAGMAS.fullmatch(argument) for argument in self.arguments)
        return not named and not {"-Wall", "-Weverything", "--all-warnings"}.isdisjoint(self.arguments)

    @property
    def dry(self) -> bool:
        """Does the compiler only say what it would call?"""
        return "-###" in self.arguments

    def language(self, place: int) -> str:
        return next((given.language for given in self.inputs if given.place == place), "")

    def only(self, place: int) -> list[str]:
        """The arguments without the other inputs that are compiled."""
        others = {given.place for given in self.compiled} - {place}
        return self._words(place, lambda i, argument, value: i not in others)

    def compiling(self, place: int, output: str) -> list[str]:
        """The arguments that only compile the source at `place`, to `output`: no other input, no linking."""
        inputs = {given.place for given in self.inputs} - {place}
        kept = self._words(place, lambda i, argument, value: i not in inputs and not _links(argument, value))
        return [*kept, "-c", "-o", output]

    def _words(self, place: int, keep: Keep) -> list[str]:
        """What is kept of the arguments; an -x stands before the input at `place` alone: elsewhere compilers warn."""
        stated = next((given for given in self.inputs if given.place == place and given.stated), None)
        later = any(given.place > place and keep(given.place, given.name, None) for given in self.inputs)
        words: list[str] = []
        for i, argument, value in _walk(self.arguments):
            if _language(argument, value) is not None or not keep(i, argument, value):
                continue
            if i == place and stated is not None:
                words += ["-x", stated.language, argument, *(["-x", "none"] if later else [])]
            else:
                words += [argument] if value is None else [argument, value]
        return words

    def replaced(self, objects: Mapping[int, str]) -> list[str]:
        """The arguments with objects in place of sources: what an -x said of a source is not said of its object."""
        words: list[str] = []
        for i, argument in enumerate(self.arguments):
            given = next((one for one in self.inputs if one.place == i and i in objects), None)
            if given is None:
                words.append(argument)
                continue
            later = any(one.place > i for one in self.inputs)
            before, after = (["-x", "none"], ["-x", given.language] if later else []) if given.stated else ([], [])
            words += [*before, objects[i], *after]
        return words


def analyse(words: Sequence[str], *, cxx: bool = False) -> CompilerCall:
    """Find the inputs among a compiler's arguments, and whether it is to link. What follows `--` is a file. `cxx`: the
    compiler is one of C++, which takes sources in C for such in C++."""
    arguments = _without_separator(words)
    inputs: list[Input] = []
    included: list[str] = []
    folders: list[str] = []
    stated, links, output = "none", True, False
    for i, argument, value in _walk(arguments):
        links = links and argument not in STOPS_EARLY
        output = output or _names_output(argument)
        stated = _language(argument, value) or stated
        included += _value_of(argument, value, ("-include", "-imacros", "--include", "--imacros"))
        folders += _value_of(argument, value, ("-I", "-iquote", "--include-directory"))
        if value is None and (not argument.startswith("-") or argument == STDIN):
            by_suffix = "c" if argument == STDIN else LANGUAGES.get(Path(argument).suffix, "")
            by_suffix = AS_CXX.get(by_suffix, by_suffix) if cxx else by_suffix
            language = by_suffix if stated == "none" else stated
            inputs.append(Input(i, argument, language, stated != "none"))
    at = tuple(one.place for one in inputs if one.language in TUNABLE and one.name != STDIN)
    return CompilerCall(tuple(arguments), at, links, tuple(inputs), output, tuple(included), tuple(folders))


def options(arguments: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Each argument with its value, if that is the next argument."""
    return ((argument, value) for _, argument, value in _walk(arguments))


def _without_separator(words: Sequence[str]) -> list[str]:
    for i, argument, value in _walk(words):
        if argument == "--" and value is None:
            return [*words[:i], *(name if name == STDIN else operand(name) for name in words[i + 1 :])]
    return list(words)


def _language(argument: str, value: str | None) -> str | None:
    """What `-x LANGUAGE`, in each of its spellings, says; None for any other argument."""
    if argument in ("-x", "--language"):
        return value
    if argument.startswith("--language="):
        return argument.removeprefix("--language=")
    return argument[2:] if argument.startswith("-x") else None


def _names_output(argument: str) -> bool:
    return argument in ("-o", "--output") or argument.startswith(("-o", "--output="))


def _value_of(argument: str, value: str | None, names: Sequence[str]) -> list[str]:
    """The value of an option of these names: the next argument, or what follows the name (and its `=`)."""
    for name in names:
        if argument == name:
            return [value] if value is not None else []
        if argument.startswith(f"{name}=" if name.startswith("--") else name) and not argument.startswith("-include-"):
            return [argument[len(name) :].removeprefix("=")]
    return []


def _links(argument: str, value: str | None) -> bool:
    """Is this about the program, or about files that are written aside?"""
    if argument in ("-l", "-L", "-Xlinker", "-T", "-rpath", "-MF", "-MT", "-MQ", "-MJ", "--for-linker"):
        return value is not None
    aside = ("-MD", "-MMD", "-MP", "-shared", "-static")
    starts = ("-l", "-L", "-Wl,", "-MF", "-MT", "-MQ", "-Wp,-MD,", "-Wp,-MMD,")
    return _names_output(argument) or argument in aside or argument.startswith(starts)


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
