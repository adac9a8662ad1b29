"""Locations of a source's store and lock, and keys of its kernels there."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.files import writable_folder, write_text
from tunepass.study.lock import lock
from tunepass.study.storage.location import StoreLocation

STORE_FOLDER = ".tunepass"

_ESCAPE = re.compile(r"\\(\\|x[0-9a-f]{2})")


def lock_key(source: str | Path, kernel: str) -> str:
    """`matmul.c::matmul`. Bytes of a name that are no UTF-8 are written `\\xe9`; in such a name, and in one that looks
    like it, a backslash is `\\\\`."""
    return f"{key_name(Path(source).name)}::{kernel}"


def key_name(name: str) -> str:
    """A file's name as it stands in keys."""
    data = os.fsencode(name)
    try:
        if b"\\x" not in data:
            return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    return data.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def file_name(key: str) -> str | None:
    """The file that a key is of; None where it is none in the lock's own folder."""
    written = key.rpartition("::")[0]
    name = written
    if "\\x" in written:
        data = _ESCAPE.sub(lambda m: "\\" if m[1] == "\\" else chr(0xDC00 + int(m[1][1:], 16)), written)
        name = os.fsdecode(data.encode("utf-8", "surrogateescape"))
    return name if name not in ("", ".", "..") and "/" not in name and "\0" not in name else None


def lock_path(source: str | Path) -> Path:
    """The lock of the folder that holds the source."""
    return Path(source).parent / lock.NAME


def store_location(source: str | Path, named: str | None) -> StoreLocation:
    """`--store`, else TUNEPASS_STORE, else `.tunepass/store.db` beside the source. The folder of a server's database is
    `.tunepass` beside the source."""
    folder = Path(source).parent / STORE_FOLDER
    return StoreLocation.named(named or os.environ.get("TUNEPASS_STORE") or folder / "store.db", folder)


def prepare_folder(folder: Path) -> None:
    """Make the folder of a store; a new one of our own tells git to leave it alone, if there is room for that.
    TunepassError where the folder cannot be."""
    new = folder.name == STORE_FOLDER and not folder.exists()
    writable_folder(folder)
    if new:
        with contextlib.suppress(TunepassError):  # a courtesy: the store tells what is wrong
            write_text(folder / ".gitignore", "*\n")
