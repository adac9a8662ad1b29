"""What this user's own commands remember from run to run, believed only under his seal.

What is remembered steers a compiler, so nobody else may have written it. Folder, files and key must be the user's and
closed to others, and each record carries a keyed digest (BLAKE2b). The key lies outside the cache folder: caches are
carried about, and restored from where others can write. What does not fit is as if it were not there.
"""

from __future__ import annotations

import os
import stat
import time

try:  # where hashlib has it from, without the OpenSSL that hashlib loads, which takes a tenth of a call's time
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False  # of `typing`, which takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = "cc-1"
DIGEST = 32  # bytes, also of the key
MOST = 4000  # records and texts; from there on the older half goes
IDLE_S = 3600  # what was used since stays in any case: a compiler may be reading it
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def digest(parts: Iterable[bytes], key: bytes = b"") -> bytes:
    """Digest of the parts and their lengths."""
    hasher = blake2b(digest_size=DIGEST, key=key)
    for part in parts:
        hasher.update(len(part).to_bytes(8, "little") + part)
    return hasher.digest()


def recall(name: str) -> bytes | None:
    """The record of that name; None where there is none that can be believed."""
    key = _key()
    data = _read(os.path.join(folder(), name)) if key else b""
    seal, content = data[:DIGEST], data[DIGEST:]
    return content if data and key and digest([name.encode(), content], key) == seal else None


def remember(name: str, content: bytes) -> None:
    """Replaced whole, so that builds side by side do no harm; where nothing can be written, nothing is remembered."""
    key = _key() or _new_key()
    if key and open_folder(folder()):
        _write(os.path.join(folder(), name), digest([name.encode(), content], key) + content)
        _thin(folder())


def keep_text(text: bytes, file: str) -> str | None:
    """A file called `file` that holds the text, in a folder called by its digest, which therefore never changes."""
    place = os.path.join(folder(), _called(text, file))
    path = os.path.join(place, file)
    if holds(path, text):
        return path
    if not (open_folder(folder()) and open_folder(place) and _write(path, text)):
        return None
    return path


def _called(text: bytes, file: str) -> str:
    """Half of the digest: compilers fold rules for make by the length of names, and 128 bits do not meet by chance."""
    return digest([text, os.fsencode(file)])[: DIGEST // 2].hex()


def holds(path: str, text: bytes) -> bool:
    """Is the file ours, with the same text? Its folder then counts as used."""
    if not text or _read(path) != text:
        return False
    os.utime(os.path.dirname(path))
    return True


def text_of(path: str) -> bytes:
    """What the file holds if it is a text of ours and unchanged since it was kept; else nothing."""
    text = _read(path)
    place, file = os.path.split(path)
    ours = os.path.dirname(place) == folder() and os.path.basename(place) == _called(text, file)
    return text if ours else b""


def folder() -> str:
    """In TUNEPASS_CACHE, else the user's cache folder."""
    named = os.environ.get("TUNEPASS_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(os.path.abspath(named or os.path.join(home, "tunepass")), FOLDER)


def key_path() -> str:
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(os.path.abspath(home), "tunepass", "seal")


def _key() -> bytes:
    """Empty where there is none that only this user can read."""
    key = _read(key_path(), 0o077)
    return key if len(key) == DIGEST else b""


def _new_key() -> bytes:
    """A new key; two processes that create one at the same time both get the first."""
    path = key_path()
    if open_folder(os.path.dirname(path)) and not os.path.lexists(path):
        _write(path, os.urandom(DIGEST), replace=False)
    return _key()


def open_folder(path: str) -> bool:
    """Make it where it is missing; False where others may write in it, or it cannot be made."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        facts = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o022


def _read(path: str, closed: int = 0o022) -> bytes:
    """A regular file of this user's that lacks these permissions; else nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    with open(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        ours = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & closed
        return file.read() if ours else b""


def _write(path: str, content: bytes, *, replace: bool = True) -> bool:
    temporary = f"{path}.{os.urandom(8).hex()}"
    try:
        with open(os.open(temporary, NEW, 0o600), "wb") as file:
            file.write(content)
        if replace:
            os.replace(temporary, path)
        else:
            os.link(temporary, path)
            os.unlink(temporary)
        return True
    except OSError:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        return False


def _thin(path: str) -> None:
    names = os.listdir(path)
    if len(names) <= MOST:
        return
    ages = sorted((os.lstat(os.path.join(path, name)).st_mtime, name) for name in names)
    for modified, name in ages[: MOST // 2]:
        if modified < time.time() - IDLE_S:
            _remove(os.path.join(path, name))


def _remove(path: str) -> None:
    """A record, or the folder of a text; another process may have been first."""
    try:
        if os.path.isdir(path):
            for name in os.listdir(path):
                os.unlink(os.path.join(path, name))
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        pass
