"""The files that a search compiles, as they were when it started.

The snapshot is a folder with the same paths below it as the real ones below `/`. The source and its headers are copies;
whatever else lies beside them, or beside a folder on the way to them, is a link to the real one. Compiles run in the
snapshot's image of the working folder: relative names, `-I.`, `#include "x.h"` and `#include_next` find what they
always find, and what the compiler says of a file has the name that the user gave it. Absolute names are given as those
of their image.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.evaluators.toolchains.source_files import FileRead, SourceFiles, changed_meanwhile
from tunepass.machine_faults import is_machines, raise_machines

SEARCHED = re.compile(r"(-I|-isystem|-iquote|-idirafter|-include|-imacros|)(/.*)", re.DOTALL)
PATHS = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`folders` are the real folders that have an image which is no link."""

    root: str
    folders: frozenset[str]

    @property
    def working_folder(self) -> str:
        return self.root + os.path.realpath(os.getcwd())

    def image(self, path: str) -> str:
        """Image of the absolute path in the snapshot; the path itself if its folder is not in the snapshot."""
        real = os.path.realpath(path)
        in_snapshot = real in self.folders or os.path.dirname(real) in self.folders
        return self.root + real if in_snapshot else path

    def words(self, words: Sequence[str | Path]) -> list[str]:
        """The compiler's words, with the images of the absolute paths among them."""
        return [self._word(os.fspath(word)) for word in words]

    def _word(self, word: str) -> str:
        match = SEARCHED.fullmatch(word)
        if match is None or match[2].startswith(self.root):
            return word
        return match[1] + self.image(match[2])

    def environment(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment, with the images of the folders in which headers are looked for."""
        images = {
            name: ":".join(self.image(place) if place.startswith("/") else place for place in value.split(":"))
            for name in PATHS
            if (value := environment.get(name))
        }
        return {**environment, **images}

    def original(self, text: str) -> str:
        """Compiler output with the original paths of files."""
        return text.replace(self.root + "/", "/")


def take_snapshot(root: Path, sources: SourceFiles, local: Sequence[FileRead]) -> Snapshot:
    """A snapshot in the empty folder `root`. Raises SourceError where a file is no longer what was identified. A file
    that is missing, and was from the beginning, is missing in the snapshot: the compiler says so at its `#include`."""
    local = [file for file in local if not (file.missing and not file.changed())]
    copied = {os.path.realpath(sources.source.path): sources.text.encode("utf-8", "surrogateescape")}
    copied |= {os.path.realpath(file.path): _content(file) for file in local}
    spelled = [os.getcwd(), *(str(file.path.parent) for file in (sources.source, *local))]
    folders = [os.path.realpath(folder) for folder in spelled] + [os.path.dirname(path) for path in copied]
    mirrored = frozenset(ancestor for folder in folders for ancestor in _upwards(folder))
    for folder in sorted(mirrored - {"/"}):
        os.mkdir(f"{root}{folder}")
    for folder in mirrored:
        _link_others(str(root), folder, mirrored, copied)
    for path, data in copied.items():
        target = Path(f"{root}{path}")
        target.write_bytes(data)
        os.utime(target, ns=_times(path))  # precompiled headers and `#pragma once` look at it
    return Snapshot(str(root), mirrored)


def _link_others(root: str, folder: str, mirrored: Collection[str], copied: Collection[str]) -> None:
    """Link all entries of the folder that are neither folders of the snapshot nor copied, or their images."""
    try:
        entries = list(os.scandir(folder))
    except OSError as error:  # may be passed through and not be listed
        raise_machines(error)
        return
    for entry in entries:
        if entry.path in mirrored or entry.path in copied:
            continue
        real = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
        os.symlink(root + real if real in mirrored or real in copied else real, f"{root}{entry.path}")


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        if folder == "/":
            return
        folder = os.path.dirname(folder)


def _content(file: FileRead) -> bytes:
    try:
        data = file.path.read_bytes()
    except OSError as error:
        if is_machines(error):
            raise
        raise changed_meanwhile([file.part.name]) from None
    if hashlib.sha256(data).hexdigest() != file.part.value:
        raise changed_meanwhile([file.part.name])
    return data


def _times(path: str) -> tuple[int, int]:
    try:
        facts = os.stat(path)
    except OSError:
        return 0, 0
    return facts.st_atime_ns, facts.st_mtime_ns
