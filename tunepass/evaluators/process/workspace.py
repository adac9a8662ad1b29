"""Temporary folders that go away: at close, and those of a killed process at the next start."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tunepass.evaluators.process.supervisor.folders import remove_folder

PREFIX = "tunepass-work-"


@contextmanager
def temporary_folder(within: Path) -> Iterator[Path]:
    """A new folder in that one for as long as the block lasts, whatever candidates make in it."""
    folder = Path(tempfile.mkdtemp(dir=within))
    try:
        yield folder
    finally:
        remove_folder(folder)


class Workspace:
    """A private folder, with a numbered folder in it for each evaluation.

    The folder is its owner's as long as he holds a lock (flock) on it, which the kernel ends with the process: also
    where processes do not see one another, as in two containers with one /tmp.
    """

    def __init__(self) -> None:
        sweep_abandoned(Path(tempfile.gettempdir()))
        self.folder, self._held = _owned_folder()
        self._pid = os.getpid()
        self._making = threading.Lock()

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder for as long as the block lasts."""
        folder = self.new()
        try:
            yield folder
        finally:
            remove_folder(folder)

    def new(self) -> Path:
        """An empty folder; the workspace is made again where somebody removed it."""
        try:
            return Path(tempfile.mkdtemp(dir=self.folder))
        except FileNotFoundError:
            with self._making:
                if not self.folder.exists():
                    self._release()
                    self.folder, self._held = _owned_folder()
            return Path(tempfile.mkdtemp(dir=self.folder))

    def close(self) -> None:
        if os.getpid() == self._pid:  # not a fork's business
            remove_folder(self.folder)
        self._release()

    def _release(self) -> None:
        if self._held >= 0:
            os.close(self._held)
        self._held = -1


def _owned_folder() -> tuple[Path, int]:
    """A new folder and the descriptor that holds its lock. One that a sweep took before it was locked is left to it.
    Where nothing can be locked the descriptor is -1, and no sweep removes anything."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid():07}-"))
        try:
            descriptor = _lock(folder)
        except OSError:
            return folder, -1
        if descriptor >= 0:
            return folder, descriptor


def _lock(folder: Path) -> int:
    """The descriptor that holds the folder's lock; -1 where another holds it, or the folder is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return -1
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), folder.lstat()):  # not removed before it was locked
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return -1


def sweep_abandoned(root: Path) -> None:
    """Remove the folders of this user whose owner lives no more."""
    with contextlib.suppress(OSError):  # whoever cannot list it has nothing there
        for folder in root.glob(f"{PREFIX}*"):
            _sweep(folder)


def _sweep(folder: Path) -> None:
    with contextlib.suppress(OSError):  # another sweep was faster, or it is another user's
        if folder.lstat().st_uid == os.getuid() and (descriptor := _lock(folder)) >= 0:
            try:
                remove_folder(folder)
            finally:
                os.close(descriptor)
