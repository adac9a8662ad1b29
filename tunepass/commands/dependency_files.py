"""Dependency files (`-MMD` and its kin) of a source that was compiled from rewritten text: they must name the source.

Names as in the GCC manual, "Preprocessor Options", -M to -MMD: the value of `-MF`, else the output's name with the
suffix `.d`, else the source's in the working folder. Of several sources that are linked, the compiler itself is asked.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tunepass.commands.compiler_call import options
from tunepass.files import write_bytes

WRITTEN_ASIDE = frozenset({"-MD", "-MMD"})
ASIDE_BY_PREPROCESSOR = ("-Wp,-MD,", "-Wp,-MMD,")
ONLY_LISTED = frozenset({"-M", "-MM"})


def only_lists(arguments: Sequence[str]) -> bool:
    """Does the compiler list dependencies and compile nothing?"""
    return any(argument in ONLY_LISTED for argument in arguments)


def written_for(arguments: Sequence[str], source: Path, *, links: bool) -> list[Path]:
    """The files that may hold the dependencies of the one source of this call."""
    named, output, aside = [], None, False
    for option, value in options(arguments):
        aside = aside or option in WRITTEN_ASIDE
        if option == "-MF" and value is not None:
            named.append(Path(value))
        elif option.startswith("-MF"):
            named.append(Path(option[3:]))
        elif option.startswith(ASIDE_BY_PREPROCESSOR):
            named.append(Path(option.split(",")[2]))
        elif option == "-o" and value is not None:
            output = Path(value)
        elif option.startswith("-o"):
            output = Path(option[2:])
    if aside and not named:
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


@dataclass(frozen=True, slots=True)
class Listing:
    """The dependency file of one source among several that are linked, and the rule's targets."""

    file: Path
    words: tuple[str, ...]  # what asks for the same rule, but for -MF


def wanted(arguments: Sequence[str]) -> bool:
    """Does the compiler write dependencies beside its output?"""
    return any(option in WRITTEN_ASIDE or option.startswith(ASIDE_BY_PREPROCESSOR) for option, _ in options(arguments))


def listings(dry_run: str, sources: Sequence[str]) -> dict[str, Listing]:
    """What a compiler says on `-###` that its passes are called with, by source.

    gcc's cc1 takes `-MMD FILE`, of which `-MF` has the last word; clang's `-dependency-file FILE`.
    """
    by_source: dict[str, Listing] = {}
    for line in dry_run.splitlines():
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        pairs = list(pairwise(words))
        files = [value for kind in ("-dependency-file", "-MF", "-MMD", "-MD") for word, value in pairs if word == kind]
        for source in sources:
            if source in words and files:
                targets = [pair for pair in pairs if pair[0] in ("-MT", "-MQ")] or [("-MQ", f"{Path(source).stem}.o")]
                system = "-MD" if "-MD" in words or "-sys-header-deps" in words else "-MMD"
                phony = ["-MP"] * ("-MP" in words)
                by_source[source] = Listing(Path(files[0]), (system, *phony, *(w for pair in targets for w in pair)))
    return by_source


def rename(files: Sequence[Path], old: str | Path, new: str | Path) -> None:
    """Let the dependency files name `new` where they name `old`; each is changed whole or not at all."""
    for file in files:
        if not file.is_file():
            continue
        text = os.fsdecode(file.read_bytes())
        changed = text.replace(_escaped(old), _escaped(new))
        if changed != text:
            write_bytes(file, os.fsencode(changed), durable=False)


def _escaped(path: str | Path) -> str:
    """As make reads it."""
    return str(path).replace(" ", "\\ ").replace("#", "\\#").replace("$", "$$")
