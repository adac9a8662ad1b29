"""What a compiler that links several sources writes beside the program: dependencies, split debug information, notes of
coverage. What they are called it is asked itself (`-###`), where one of the sources becomes an object of its own first.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tunepass.compilers.options import ASIDE, ASIDE_BY_PREPROCESSOR, ONLY_LISTED, SAVE_TEMPS, walk

ALSO_ASIDE = (
    "-gsplit-dwarf",
    "--coverage",
    "-coverage",
    "-ftest-coverage",
    "-fprofile-",
    *SAVE_TEMPS,
)
NAMING = ("-dumpdir", "-dumpbase", "-dumpbase-ext")  # gcc's, also of its driver
NAMED_BY_CC1 = ("-split-dwarf-file", "-split-dwarf-output", "-coverage-notes-file", "-coverage-data-file")  # clang's


def only_lists(arguments: Sequence[str]) -> bool:
    """Does the compiler list dependencies and compile nothing?"""
    return any(argument in ONLY_LISTED for argument in arguments)


@dataclass(frozen=True, slots=True)
class DependencyFile:
    """The dependency file of one source among several that are linked, and the rule's targets."""

    file: Path
    words: tuple[str, ...]  # what asks for the same rule, but for -MF


def wanted(arguments: Sequence[str]) -> bool:
    """Does the compiler write dependencies beside its output?"""
    return any(option in ASIDE or option.startswith(ASIDE_BY_PREPROCESSOR) for _, option, _ in walk(arguments))


def named_beside(arguments: Sequence[str]) -> bool:
    """Does the compiler write anything else there that is called by the source and the program?"""
    return any(argument.startswith(ALSO_ASIDE) for argument in arguments)


def names_beside(dry_run: str, source: str) -> list[str]:
    """The words by which an object of this source has what is beside it called as the whole call would."""
    for words in _passes(dry_run):
        if source not in words:
            continue
        pairs = [(word, value) for word, value in pairwise(words) if word in (*NAMING, *NAMED_BY_CC1)]
        if "-cc1" in words and "-ftest-coverage" in words and "-coverage-notes-file" not in words:  # before clang 17
            stem = Path.cwd() / Path(source).stem
            pairs += [("-coverage-notes-file", f"{stem}.gcno"), ("-coverage-data-file", f"{stem}.gcda")]
        return [w for p in pairs for w in (p if p[0] in NAMING else ("-Xclang", p[0], "-Xclang", p[1]))]
    return []


def listings(dry_run: str, sources: Sequence[str]) -> dict[str, DependencyFile]:
    """What a compiler says on `-###` that its passes are called with, by source.

    gcc's cc1 takes `-MMD FILE`, of which `-MF` has the last word; clang's `-dependency-file FILE`.
    """
    by_source: dict[str, DependencyFile] = {}
    for words in _passes(dry_run):
        pairs = list(pairwise(words))
        files = [value for kind in ("-dependency-file", "-MF", "-MMD", "-MD") for word, value in pairs if word == kind]
        for source in sources:
            if source in words and files:
                targets = [pair for pair in pairs if pair[0] in ("-MT", "-MQ")] or [("-MQ", f"{Path(source).stem}.o")]
                system = "-MD" if "-MD" in words or "-sys-header-deps" in words else "-MMD"
                phony = ["-MP"] * ("-MP" in words)
                by_source[source] = DependencyFile(
                    Path(files[0]), (system, *phony, *(w for pair in targets for w in pair))
                )
    return by_source


def _passes(dry_run: str) -> Iterator[list[str]]:
    """The words of each line that can be split into some."""
    for line in dry_run.splitlines():
        with contextlib.suppress(ValueError):
            yield shlex.split(line)
