"""A source's choice as a file that a build gives to its compiler, with no wrapper around it.

| format | given as | says |
|---|---|---|
| include | `-include FILE` (gcc, clang) | macros; gcc's options by pragmas, where checked |
| response | `@FILE` (gcc, clang) | all words |
| config | `--config ./FILE` (clang) | all words; the command line's win |
| specs | `-specs=FILE` (gcc) | all words but `=native`, as options of the driver itself |

Sources: "GCC manual", Overall Options (`@file`), Spec Files; "Clang Compiler User's Manual", Configuration files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.compilers.asking import ask
from tunepass.compilers.cc import identify
from tunepass.compilers.options import DEFINES, value_of, walk
from tunepass.compilers.responses import joined
from tunepass.diagnostics import Source, SourceError, ToolError
from tunepass.files import read_utf8, scratch_folder
from tunepass.jobs.locks.lookup import Locked
from tunepass.jobs.locks.tuned_sources import tuned_source
from tunepass.jobs.places import lock_path

SOURCE_LIMIT = 64 << 20  # bytes
UNDEFINES = ("-U", "--undefine-macro")
OPENMP = "-fopenmp"
INCLUDE, CONFIG, SPECS = "include", "config", "specs"
WRAPPER = "compile with `tunepass cc`, or compile the NAME.tuned.c that `tunepass build -o DIR` writes"
HINTS = "`tunepass cc` and the plugins of `tunepass gcc-plugin` and `clang-plugin` do"


@dataclass(frozen=True, slots=True)
class Words:
    """A choice's words for the compiler: `macros` as (NAME, text), text None of one that is to be undefined; `options`
    are all others."""

    macros: tuple[tuple[str, str | None], ...]
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlagsFile:
    """The text of the file, what it says of the choice, and warnings: what of the choice it lacks."""

    text: str
    locked: Locked
    warnings: tuple[str, ...] = ()


def flags_file(source: Path, form: str, words: Sequence[str] = ()) -> FlagsFile:
    """The choice of a source in its folder's lock, in one of FORMATS.

    Args:
        source: the path of a source with an entry in its folder's lock.
        form: a name of FORMATS.
        words: the compiler with the words of the build. By it the options in an `include` are checked.

    Returns:
        The file's text and what it lacks. Without a usable choice, the source's defaults: no words.

    Raises:
        SourceError: the choice rewrites the source's text, which no file of words can say.
    """
    locked = tuned_source(source, words=words or None)
    check_words_suffice(source, locked)
    choice_words = split_words(locked.arguments)
    missing_parts = list(lacks_compiler(locked))
    if locked.text is not None:
        missing_parts.append(f"no macro or flag gives loops their hints: {HINTS}")
    if form == INCLUDE:
        checked, why = _checked_pragmas(source, choice_words, words) if choice_words.options else ("", "")
        missing_parts += [why] if why else []
        return FlagsFile(_include(source, locked, choice_words, checked), locked, tuple(missing_parts))
    if OPENMP in choice_words.options:
        missing_parts.append(f"the program needs {OPENMP} where it is linked, too")
    sayable = tuple(word for word in locked.arguments if form != SPECS or not word.endswith("=native"))
    missing_parts += [
        f"a specs file cannot say {word}: give it to gcc" for word in locked.arguments if word not in sayable
    ]
    if form == CONFIG and sayable:
        missing_parts.append("the command line wins over a configuration file's: @FILE after them wins")
    return FlagsFile(FORMATS[form](sayable), locked, tuple(missing_parts))


def check_words_suffice(source: Path, locked: Locked) -> None:
    """SourceError, at the first place that is written anew, where words of a command line cannot say the choice."""
    if locked.text_but_hints is None:
        return
    whole = Source(str(source), read_utf8(source, SOURCE_LIMIT, SourceError).removeprefix("\ufeff"))
    pairs = enumerate(zip(whole.text, locked.text_but_hints))
    at = next((i for i, (old, new) in pairs if old != new), min(len(whole.text), len(locked.text_but_hints)) - 1)
    raise SourceError(
        "the lock's choice rewrites the source here, which no macro or flag says", whole.span(at, at + 1), WRAPPER
    )


def lacks_compiler(locked: Locked) -> tuple[str, ...]:
    if not locked.compiler:
        return ()
    return (f"the lock chooses the compiler {locked.compiler}, which no flag can name: call it, or use `tunepass cc`",)


def split_words(words: Sequence[str]) -> Words:
    """Macros, the last word about each, and the options in their order."""
    macros: dict[str, str | None] = {}
    options: list[str] = []
    for _, word, value in walk(words):
        defined, undefined = value_of(word, value, DEFINES), value_of(word, value, UNDEFINES)
        if defined is not None:
            name, equals, text = defined.partition("=")
            macros.pop(name, None)
            macros[name] = text if equals else "1"
        elif undefined is not None:
            macros.pop(undefined, None)
            macros[undefined] = None
        else:
            options += [word] if value is None else [word, value]
    return Words(tuple(macros.items()), tuple(options))


def _include(source: Path, locked: Locked, choice_words: Words, pragmas: str) -> str:
    """The header. It takes the place of definitions on the command line without a warning of the compiler."""
    comment = [f"{source.name} as {lock_path(source).name} has it, by tunepass flags-file.", *locked.choices]
    lines = [f"/* {line.replace('*/', '* /')} */" for line in comment]
    for name, text in choice_words.macros:
        lines.append(f"#undef {name.partition('(')[0]}")
        lines += [] if text is None else [f"#define {name} {text}".rstrip()]
    return "\n".join([*lines, *([pragmas] if pragmas else []), ""])


def _checked_pragmas(source: Path, choice_words: Words, words: Sequence[str]) -> tuple[str, str]:
    """Pragmas that make the compiler's own assembly of the source what the options make it, for this version of gcc
    alone; else why there are none."""
    options = " ".join(choice_words.options)
    lacks = f"a header cannot say {options}: give the compiler these words, or use --format response"
    if not words:
        return "", f"{lacks}; with the build's gcc and its words after -- it is checked whether pragmas can"
    try:
        if identify(words[0]).family != "gcc":
            return "", f"{lacks} ({words[0]} is no gcc)"
    except ToolError as error:
        return "", f"{lacks} ({error.diagnostics[0].message})"
    pragmas = _pragmas(choice_words.options)
    if pragmas is None:
        return "", f"{lacks} (only -O, -f and -m options have a pragma)"
    with scratch_folder(source.parent, SourceError) as folder:
        header = folder / "choice.h"
        header.write_text(_include(source, Locked(), choice_words, pragmas), encoding="utf-8", errors="surrogateescape")
        command = [*words, "-S", "-o", "-"]
        macros = [f"-U{name}" if text is None else f"-D{name}={text}" for name, text in choice_words.macros]
        by_words = ask([*command, *choice_words.options, *macros, source])
        by_header = ask([*command, "-include", header, source])
    if not by_words.ok or not by_header.ok:
        line = next(iter((by_words if not by_words.ok else by_header).stderr.strip().splitlines()), "it failed")
        return "", f"{lacks} (not checked: {line})"
    if _code(by_words.stdout) != _code(by_header.stdout):
        return "", f"{lacks} (checked: pragmas make other code of {source.name} than these words)"
    version = ask([words[0], "-dumpfullversion"]).stdout.strip()
    return _guarded(pragmas, version, source.name), ""


def _guarded(pragmas: str, version: str, name: str) -> str:
    """For the compiler that was asked; any other is told."""
    numbers = [*version.split("."), "0", "0"][:3]
    macros = ("__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")
    is_it = " && ".join(f"{macro} == {int(number)}" for macro, number in zip(macros, numbers))
    lacks = f"#warning tunepass: the options chosen for {name} were checked with gcc {version} alone: they are not set"
    return f"#if {is_it} && !defined __clang__\n{pragmas}\n#else\n{lacks}\n#endif"


def _pragmas(options: Sequence[str]) -> str | None:
    """One pragma an option; None where one has none."""
    lines = []
    for option in options:
        if not re.fullmatch(r"-(?:O\w*|[fm][\w.=,+-]+)", option):
            return None
        kind, text = ("target", option[2:]) if option.startswith("-m") else ("optimize", option[1:])
        lines.append(f'#pragma GCC {kind} ("{text}")')
    return "\n".join(lines)


def _code(assembly: str) -> list[str]:
    return [line for line in assembly.splitlines() if not line.lstrip().startswith((".file", ".ident"))]


def _specs(words: Sequence[str]) -> str:
    """Words that the driver takes after its own. A blank, a percent and a backslash would be read as a spec's."""
    escaped = [re.sub(r"([\\% \t{}|;:*])", lambda m: "%%" if m[1] == "%" else f"\\{m[1]}", word) for word in words]
    return f"*self_spec:\n+ {' '.join(escaped)}\n\n" if words else "\n"


FORMATS: Mapping[str, Callable[[Sequence[str]], str]] = {
    INCLUDE: joined,  # made by _include
    "response": joined,
    CONFIG: joined,
    SPECS: _specs,
}
