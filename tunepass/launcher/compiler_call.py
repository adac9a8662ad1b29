"""Reading of a C compiler's command line: its inputs and their languages, and how far the compiler is to go."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tunepass.compilers import options
from tunepass.compilers.languages import language_of
from tunepass.compilers.responses import operand

TUNABLE = ("c", "c++", "cuda")

AS_CXX = {
    "c": "c++",
    "cpp-output": "c++-cpp-output",
    "c-header": "c++-header",
}  # by g++ and clang++, whatever the suffix
UNKNOWN_PRAGMAS = re.compile(r"-W(no-)?(error=)?unknown-pragmas")
STDIN = "-"
Keep = Callable[[int, str, str | None], bool]


@dataclass(frozen=True, slots=True)
class CompilerInput:
    """A file that is compiled or linked; `language` is "" for what is the linker's. `stated` by an -x."""

    place: int
    name: str
    language: str
    stated: bool


@dataclass(frozen=True, slots=True)
class CompilerCall:
    """The arguments after the compiler's name."""

    arguments: tuple[str, ...]
    links: bool
    inputs: tuple[CompilerInput, ...] = ()
    named_output: bool = False
    included: tuple[str, ...] = ()  # by -include and -imacros
    folders: tuple[str, ...] = ()  # in which quoted includes are looked for
    takes_value: frozenset[str] = options.TAKES_VALUE  # of the compiler's options

    @property
    def sources(self) -> tuple[CompilerInput, ...]:
        """The inputs that may be tuned; stdin too."""
        return tuple(given for given in self.inputs if given.language in TUNABLE)

    @property
    def compiled(self) -> tuple[CompilerInput, ...]:
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

    def only(self, place: int) -> list[str]:
        """The arguments without the other inputs that are compiled."""
        others = {given.place for given in self.compiled} - {place}
        return self._words(place, lambda i, argument, value: i not in others)

    def compiling(self, place: int, output: str) -> list[str]:
        """The arguments that only compile the source at `place`, to `output`: no other input, no linking."""
        inputs = {given.place for given in self.inputs} - {place}
        arguments = self._words(place, lambda i, argument, value: i not in inputs and not _is_aside(argument, value))
        return [*arguments, "-c", "-o", output]

    def _words(self, place: int, keep: Keep) -> list[str]:
        """Arguments that pass the test; an -x stands before the input at `place` alone: elsewhere compilers warn."""
        stated = next((given for given in self.inputs if given.place == place and given.stated), None)
        later = any(given.place > place and keep(given.place, given.name, None) for given in self.inputs)
        words: list[str] = []
        for i, argument, value in options.walk(self.arguments, self.takes_value):
            if options.is_named(argument, value, options.LANGUAGE) or not keep(i, argument, value):
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


def analyse(
    words: Sequence[str], *, cxx: bool = False, takes_value: frozenset[str] = options.TAKES_VALUE
) -> CompilerCall:
    """Find the inputs among a compiler's arguments, and whether it is to link. What follows `--` is a file. `cxx`: the
    compiler is one of C++, which takes sources in C for such in C++; `takes_value`: its options with a value."""
    arguments = _without_separator(words, takes_value)
    inputs: list[CompilerInput] = []
    included: list[str] = []
    folders: list[str] = []
    stated, links, output = "none", True, False
    for i, argument, value in options.walk(arguments, takes_value):
        links = links and argument not in options.STOPS_EARLY
        output = output or options.is_named(argument, value, options.OUTPUT)
        stated = options.value_of(argument, value, options.LANGUAGE) or stated
        included += filter(None, [options.value_of(argument, value, options.INCLUDED)])
        folders += filter(None, [options.value_of(argument, value, options.HEADER_FOLDERS)])
        if options.is_input(argument, value):
            by_suffix = "c" if argument == STDIN else language_of(argument)
            by_suffix = AS_CXX.get(by_suffix, by_suffix) if cxx else by_suffix
            language = by_suffix if stated == "none" else stated
            inputs.append(CompilerInput(i, argument, language, stated != "none"))
    known = (tuple(inputs), output, tuple(included), tuple(folders), takes_value)
    return CompilerCall(tuple(arguments), links, *known)


def _without_separator(words: Sequence[str], takes_value: frozenset[str]) -> list[str]:
    for i, argument, value in options.walk(words, takes_value):
        if argument == "--" and value is None:
            return [*words[:i], *(name if name == STDIN else operand(name) for name in words[i + 1 :])]
    return list(words)


def _is_aside(argument: str, value: str | None) -> bool:
    """Is this about the program, or about files that are written aside?"""
    aside = argument in options.ASIDE or argument == "-MP" or argument.startswith(options.ASIDE_BY_PREPROCESSOR)
    return (
        aside
        or options.is_linking(argument)
        or options.is_named(argument, value, (*options.OUTPUT, *options.RULE_VALUES))
    )
