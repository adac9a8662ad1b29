"""Digests of files by content; those of large programs are remembered while the file is the same."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from tunepass.files import user_cache
from tunepass.machine_faults import is_machines

MISSING = "missing"  # in place of the digest of a file that is not there or cannot be read
REMEMBERED = "digests-1"  # the file, in the user's cache folder
MOST_REMEMBERED = 200  # programs
Signature = tuple[int, int, int, int]


def content_digest(path: str | Path) -> str:
    """SHA-256 of the content."""
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        if is_machines(error):
            raise
        return MISSING


def text_digest(text: str) -> str:
    """As content_digest of the file that holds the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def signature(path: str | Path) -> Signature | None:
    """Size, both times and inode: what changes when the content does. None where there is no such file."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino


def program_digest(path: Path) -> str:
    """As content_digest; remembered from run to run by path and signature, since compilers are large."""
    now = signature(path)
    key = f"{' '.join(map(str, now or ()))} {path}"
    known = _remembered()
    if key not in known:
        known = {**known, key: content_digest(path)}
        if known[key] != MISSING:
            _remember(known)
    return known[key]


def _cache() -> Path:
    """The file that remembers; the folder is that of tunepass.hwmodels.cpu.host."""
    return user_cache(REMEMBERED)


def _remembered() -> dict[str, str]:
    """Lines of a digest and a key; what is no such line is passed over."""
    try:
        lines = _cache().read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(" ") for line in lines)
    return {key: digest for digest, _, key in pairs if key and len(digest) == hashlib.sha256().digest_size * 2}


def _remember(known: dict[str, str]) -> None:
    """Replaced whole, so that builds side by side do no harm; where nothing can be written, nothing is remembered."""
    path = _cache()
    lines = [f"{digest} {key}\n" for key, digest in list(known.items())[-MOST_REMEMBERED:] if "\n" not in key]
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{REMEMBERED}.", dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(lines)
        os.replace(temporary, path)
