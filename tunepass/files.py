"""Writing files whole: a reader sees the file as it was or as it is to be, never a part of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tunepass.diagnostics import TunepassError


def writable_folder(path: Path) -> Path:
    """The folder, made if missing. Raises TunepassError when nothing can be written there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as error:
        raise TunepassError(
            f"cannot write to {path}: {error.strerror}", hint="name another folder with -o, another store with --store"
        ) from None


@contextlib.contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """A folder within the folder, so that what is finished can be moved into place; removed in any case."""
    scratch = Path(tempfile.mkdtemp(prefix=".tunepass-", dir=folder))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Replace the file whole. Raises TunepassError when it cannot be written."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise TunepassError(f"cannot write {path}: {error.strerror}") from None
