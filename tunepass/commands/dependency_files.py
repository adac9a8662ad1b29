"""Dependency files (`-MMD` and its kin) of a source that was compiled from rewritten text: they must name the source.

Names as in the GCC manual, "Preprocessor Options", -M to -MMD: the value of `-MF`, else the output's name with the
suffix `.d`, else the source's in the working folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tunepass.commands.compiler_call import options

WRITTEN_ASIDE = frozenset({"-MD", "-MMD"})
ONLY_LISTED = frozenset({"-M", "-MM"})


def only_lists(arguments: Sequence[str]) -> bool:
    """Does the compiler list dependencies and compile nothing?"""
    return any(argument in ONLY_LISTED for argument in arguments)


def written_for(arguments: Sequence[str], source: Path, *, links: bool) -> list[Path]:
    """The files that may hold the dependencies of the one source of this call."""
    named, output, wanted = [], None, False
    for option, value in options(arguments):
        wanted = wanted or option in WRITTEN_ASIDE
        if option == "-MF" and value is not None:
            named.append(Path(value))
        elif option.startswith("-MF"):
            named.append(Path(option[3:]))
        elif option.startswith(("-Wp,-MD,", "-Wp,-MMD,")):
            named.append(Path(option.split(",")[2]))
        elif option == "-o" and value is not None:
            output = Path(value)
        elif option.startswith("-o"):
            output = Path(option[2:])
    if wanted and not named:
        own = Path(source.name).with_suffix(".d")
        named = [own] if output is None else [output.with_suffix(".d")]
        if links:  # gcc 11 and later put the program's name before the source's
            program = output or Path("a.out")
            named += [
                own,
                program.with_name(f"{program.stem}-{own.name}"),
                program.with_name(f"{program.name}-{own.name}"),
            ]
    return named


def rename(files: Sequence[Path], old: Path, new: Path) -> None:
    """Let the dependency files name `new` where they name `old`; each is changed whole or not at all."""
    for file in files:
        if not file.is_file():
            continue
        text = file.read_text(errors="surrogateescape")
        changed = text.replace(_escaped(old), _escaped(new))
        if changed != text:
            aside = file.with_name(f"{file.name}.tunepass-{os.getpid()}")
            aside.write_text(changed, errors="surrogateescape")
            aside.replace(file)


def _escaped(path: Path) -> str:
    """As make reads it."""
    return str(path).replace(" ", "\\ ").replace("#", "\\#").replace("$", "$$")
