"""Files that a compile reads besides its source, and whether they changed.

The compiler itself lists them (`-M -MG`, GCC manual, "Preprocessor Options"): headers of the system too, those that
`-include` names, a new header that hides another, and by name those that are missing. Further sources, `@files` and
what else the command line names as a file (objects, archives, profiles, linker scripts) are read off its words.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tunepass.compilers import options
from tunepass.compilers.asking import ask
from tunepass.compilers.languages import is_source
from tunepass.compilers.responses import expanded, operand
from tunepass.diagnostics import SourceError
from tunepass.evaluators.toolchains.digests import MISSING, Signature, content_digest, signature, text_digest
from tunepass.machine_faults import is_machines
from tunepass.study.manifest import Kind, Manifest, Part

STOPS = ("-c", "--compile", "-S", "--assemble", "-E", "--preprocess")
WRITES = ("-M", "-Wp,-M", *options.SAVE_TEMPS)  # how words begin that make a compiler write what it lists elsewhere
NAME = re.compile(r"(?:\\[ #:\\]|\$\$|[^\s])+")


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that was read: the path by which it was, and what it was then."""

    path: Path
    part: Part
    signature: Signature | None

    @property
    def missing(self) -> bool:
        """Was there no such file, although the compile needs it or asks for it?"""
        return self.part.value == MISSING

    def changed(self) -> bool:
        """Has its content changed? A file that was only touched is the same."""
        if signature(self.path) == self.signature or content_digest(self.path) == self.part.value:
            return False
        return self.part.kind != "source" or _digest_without_mark(self.path) != self.part.value


def _digest_without_mark(path: Path) -> str:
    """The digest of a source as it is parsed, without a byte order mark."""
    try:
        return hashlib.sha256(path.read_bytes().removeprefix(b"\xef\xbb\xbf")).hexdigest()
    except OSError as error:
        if is_machines(error):
            raise
        return ""


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """A source with the text that was parsed, and what its compile reads besides, in that order. Nothing is `listed`
    where the compiler does not tell: the compile itself says why, or it knows no `-M`."""

    source: FileRead
    text: str
    files: tuple[FileRead, ...] = ()
    listed: bool = True

    @property
    def manifest(self) -> Manifest:
        return Manifest(tuple(file.part for file in self.files))

    def check_unchanged(self) -> None:
        """Raises SourceError that names what changed since it was read."""
        check_unchanged((self.source, *self.files))


def check_unchanged(files: Iterable[FileRead]) -> None:
    """Raises SourceError that names what changed since it was read."""
    changed = [file for file in files if file.changed()]
    if changed:
        raise changed_meanwhile([file.part.name for file in changed], gone=signature(changed[0].path) is None)


def changed_meanwhile(names: Sequence[str], *, gone: bool = False) -> SourceError:
    """The error of a build whose files are edited or removed while it searches."""
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return SourceError(
        f"{names[0]}{others} {'vanished' if gone else 'changed'} during the build: what is measured now would be of "
        "neither version",
        hint="every trial so far is kept, under the files it was measured with; run the same command again",
    )


def source_files(command: Sequence[str], source: Path, text: str, defines: Sequence[str] = ()) -> SourceFiles:
    """Asks the compiler, command[0], about the source, which was read as `text`."""
    main_file = FileRead(Path(os.getcwd(), source), Part("source", source.name, text_digest(text)), None)
    names = listed_names(command, source, defines, "-M")
    if names is None:
        return SourceFiles(main_file, text, listed=False)
    words, responses = expanded(command[1:])
    folder = os.path.realpath(source.parent)
    named = [(name, _kind(name)) for name in names]
    named += [(name, "file") for name in (*responses, *named_files(words))]
    once: dict[Part, FileRead] = {}  # a header may be found by two names
    for name, kind in dict.fromkeys(named):
        file = _file_read(name, kind, folder)
        once.setdefault(file.part, file)
    return SourceFiles(main_file, text, tuple(once.values()))


def listed_names(
    command: Sequence[str], source: Path, defines: Sequence[str], word: Literal["-M", "-MM"]
) -> list[str] | None:
    """The headers and further sources of a compile, as the compiler finds them; with `-MM` without the system's."""
    table = options.table_of(command[0])
    flags, _, further = options.split_arguments(listing_words(expanded(command[1:])[0], table), table)
    runs = [(*flags, *defines, named(source)), *((*flags, name) for name in further if not _same(Path(name), source))]
    listed: list[str] = []
    for run in runs:
        reply = ask([command[0], *run, word, "-MG"])
        if not reply.ok:
            return None
        listed += prerequisites(reply.stdout)
    return [name for name in dict.fromkeys(listed) if not _same(Path(name), source)]


def local_files(files: SourceFiles, command: Sequence[str], source: Path, defines: Sequence[str]) -> list[FileRead]:
    """Files that the compiler does not count as the system's."""
    local = {Path(os.getcwd(), name) for name in listed_names(command, source, defines, "-MM") or ()}
    return [file for file in files.files if file.path in local]


def listing_words(words: Sequence[str], takes_value: Collection[str] = options.TAKES_VALUE) -> list[str]:
    """The words with which `-M` lists to stdout, and nothing is written."""

    def lists(word: str, value: str | None) -> bool:
        return not (word in STOPS or word.startswith(WRITES) or options.is_named(word, value, options.OUTPUT))

    return options.kept(words, lists, takes_value)


def named_files(words: Sequence[str]) -> list[str]:
    """Files that words name, alone, after `=` or after an option; sources are listed with what they include."""
    names = list[str]()
    for _, word, value in options.walk(words):
        if not options.is_input(word, value):
            names += [
                word.partition("=")[2],
                "" if word in options.INCLUDED and is_source(value or "") else value or "",
            ]
        elif not is_source(word):
            names.append(word)
    return [name for name in names if name and Path(name).is_file()]


def prerequisites(rules: str) -> list[str]:
    """The names to the right of the colons of make rules, as the compiler means them."""
    names: list[str] = []
    for line in rules.replace("\\\n", " ").splitlines():
        _, _, right = line.partition(": ")
        names += [re.sub(r"\\([ #:\\])", r"\1", name).replace("$$", "$") for name in NAME.findall(right)]
    return names


def _file_read(name: str, kind: Kind, folder: str) -> FileRead:
    path = Path(os.getcwd(), name)
    before = signature(path)  # first: a change while it is read shows later
    return FileRead(path, Part(kind, shown_name(path, folder), content_digest(path)), before)


def named(path: Path) -> str:
    """The path as a word that is a file: no option, and no file of options."""
    return operand(str(path))


def shown_name(path: Path, folder: str) -> str:
    """Relative to the folder where that is shorter: the same in every checkout."""
    absolute = os.path.join(os.path.realpath(path.parent), path.name)
    return min(os.path.relpath(absolute, folder), absolute, key=len)


def _kind(name: str) -> Kind:
    return "source" if is_source(name) else "header"


def _same(one: Path, other: Path) -> bool:
    return one == other or (one.name == other.name and one.resolve() == other.resolve())
