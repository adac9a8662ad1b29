"""Built trees: a private copy of the sources for every distinct build, kept while configurations share it."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from tunepass.compilers.languages import FOREIGN, OBJECTS, is_source
from tunepass.diagnostics import SourceError, Span, ToolError
from tunepass.evaluators.process.supervisor.folders import remove_folder
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.toolchains.digests import signature
from tunepass.evaluators.toolchains.source_files import FileRead
from tunepass.machine_faults import cannot
from tunepass.study.lock.lock import NAME as LOCK
from tunepass.study.manifest import Part
from tunepass.study.outcome import Failed

MOST_BYTES = 1 << 30  # of copied sources; what is larger is linked
COUNTS = frozenset({".gcda", ".gcno", ".profraw"})
CONFIGURED = frozenset({"CMakeCache.txt", "config.status", "config.cache"})
MOST_IDLE = 16  # built trees that nobody uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What an application is built from: the files that `patterns` match in `folder`, and folders whole; `linked` is
    not copied. `made` is what the build makes; like other things that an earlier build left, it is not among the
    sources, nor is what tunepass itself writes of the application `name`. `span` is where a pattern that matches
    nothing is complained about."""

    folder: Path
    patterns: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    made: str = ""
    name: str = ""
    span: Span | None = None

    def files(self) -> list[Path]:
        """Relative paths, sorted; hidden files and the linked ones left out. Raises SourceError for an empty match."""
        matches: set[Path] = set()
        for pattern in self.patterns:
            matched = [p for p in sorted(self.folder.glob(pattern)) if not self._left_out(p)]
            if not matched:
                raise SourceError(f"no file matches `{pattern}` in {self.folder}", self.span)
            for path in matched:
                matches |= set(self._below(path)) if path.is_dir() else {path}
        return sorted(without_leftovers(path.relative_to(self.folder) for path in matches if not self._is_made(path)))

    def read(self) -> Iterator[tuple[FileRead, bytes]]:
        """Every file with its content."""
        for path in self.files():
            place = self.folder / path
            before, data = signature(place), place.read_bytes()
            part = Part("source", path.as_posix(), hashlib.sha256(data).hexdigest())
            yield FileRead(place, part, before), data

    def _below(self, folder: Path) -> Iterator[Path]:
        for root, folders, names in os.walk(folder):
            parent = Path(root)
            folders[:] = [name for name in folders if not self._left_out(parent / name)]
            yield from (parent / name for name in names if not self._left_out(parent / name))

    def _is_made(self, path: Path) -> bool:
        is_product = bool(self.made) and path.relative_to(self.folder) == Path(self.made)
        return (
            is_product or path.name == LOCK or (bool(self.name) and f"{path.name}.".startswith(f"{self.name}.tuned."))
        )

    def _left_out(self, path: Path) -> bool:
        relative = path.relative_to(self.folder).as_posix()
        return path.name.startswith(".") or any(fnmatch(relative, pattern) for pattern in self.linked)

    def copy(self, target: Path) -> None:
        """The files, and links to what is linked."""
        files, total = self.files(), 0
        for path in files:
            total += (self.folder / path).stat().st_size
            if total > MOST_BYTES:
                raise SourceError(f"the sources are larger than {MOST_BYTES >> 30} GiB", self.span, "`link` the data")
        try:
            for path in files:
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.folder / path, target / path)
            for name in self.linked:
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).symlink_to((self.folder / name).resolve())
        except OSError as error:
            raise cannot(f"copy the sources to {target}", error, ToolError) from None


def without_leftovers(paths: Iterable[Path]) -> list[Path]:
    """Paths but for what an earlier build has left: objects of sources that are there too, what a compiler has counted,
    and how the tree was configured. A build that found them would make nothing anew."""
    known = list(paths)
    sources = {path.stem for path in known if is_source(path.name) or path.suffix in FOREIGN}
    return [path for path in known if not (_is_leftover(path) or (path.suffix in OBJECTS and path.stem in sources))]


def _is_leftover(path: Path) -> bool:
    return path.suffix in COUNTS or path.name in CONFIGURED or "CMakeFiles" in path.parts


@dataclass(slots=True)
class BuildTree:
    """One build: its folder, or why there is none."""

    folder: Path
    failure: Failed | None = None
    seconds: float = 0.0
    users: int = 0
    last_used: int = 0
    done: threading.Lock = field(default_factory=threading.Lock)
    built: bool = False


class BuildTrees:
    """`take` builds what was not built yet; several threads may take different trees at once."""

    def __init__(self, workspace: Workspace, kept: int = MOST_IDLE):
        self.workspace, self.kept = workspace, kept
        self._trees: dict[str, BuildTree] = {}
        self._lock = threading.Lock()
        self._clock = 0

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return key in self._trees

    def take(self, key: str, build: Callable[[Path], Failed | None]) -> BuildTree:
        with self._lock:
            tree = self._trees.get(key)
            if tree is None:
                tree = self._trees[key] = BuildTree(self.workspace.new())
            self._clock += 1
            tree.users, tree.last_used = tree.users + 1, self._clock
        try:
            with tree.done:
                if not tree.built:
                    started = time.monotonic()
                    tree.failure = build(tree.folder)
                    tree.seconds, tree.built = time.monotonic() - started, True
        except BaseException:
            with self._lock:
                tree.users -= 1
                self._trees.pop(key, None)
            remove_folder(tree.folder)
            raise
        if tree.failure is not None:
            remove_folder(tree.folder)
        return tree

    def release(self, tree: BuildTree) -> None:
        """The tree is no longer used; of those that nobody uses, the ones used last are kept."""
        with self._lock:
            tree.users -= 1
            idle = sorted((t.last_used, key) for key, t in self._trees.items() if t.users == 0 and t.failure is None)
            released = [self._trees.pop(key) for _, key in idle[: max(0, len(idle) - self.kept)]]
        for old in released:
            remove_folder(old.folder)


def copied(source: Path, target: Path) -> Path:
    """A copy of a built tree, so that what a run writes does not reach the next."""
    shutil.copytree(source, target, symlinks=True)
    return target
