"""Temporary folders that go away: at close, and those of a killed process at the next start."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "tunepass-run-"


class Workspace:
    """A private folder, with a numbered folder in it for each evaluation."""

    def __init__(self) -> None:
        sweep_abandoned(Path(tempfile.gettempdir()))
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        self._pid = os.getpid()

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder for as long as the block lasts."""
        folder = self.new()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def new(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self.folder))

    def close(self) -> None:
        if os.getpid() == self._pid:  # not a fork's business
            shutil.rmtree(self.folder, ignore_errors=True)


def sweep_abandoned(root: Path) -> None:
    """Remove the folders of this user's processes that no longer exist."""
    for folder in root.glob(f"{PREFIX}*"):
        match = re.fullmatch(rf"{PREFIX}(\d+)-\w+", folder.name)
        if match and not Path(f"/proc/{match[1]}").exists() and folder.stat().st_uid == os.getuid():
            shutil.rmtree(folder, ignore_errors=True)
