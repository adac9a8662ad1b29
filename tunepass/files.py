"""Files read with care and written whole.

Read: regular files of a stated size only, found out before anything is waited for. A link to a regular file is as good
as the file; folders, pipes, sockets and devices are refused. Written: under a new name that nobody can have prepared,
forced to the disk, then renamed, so that a reader sees the file as it was or as it is to be. What a writer that was
killed left under such a name goes when the next one writes there: its lock is held no more. Text is UTF-8 whatever the
locale; bytes that are none stand in it as surrogates (`os.fsdecode` does so with names) and are written as they were.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from tunepass.diagnostics import EnvironmentFault, TunepassError
from tunepass.machine_faults import ERRNOS, cannot

_NOTED: ContextVar[set[str] | None] = ContextVar("noted", default=None)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

_LEFT = re.compile(r"\.tunepass-(?:[0-9a-f]{16}\.tmp|[a-z0-9_]{8})")  # how files and folders in the making are called


class NoRegularFile(OSError):
    """What stands at a path is no regular file, or is larger than allowed; `strerror` says which."""


@contextlib.contextmanager
def open_regular(path: str | Path) -> Iterator[BinaryIO]:
    """A regular file opened for reading. Never waits. Raises OSError, which may be NoRegularFile."""
    _check_kind(os.stat(path))  # before it is opened: opening a device may do something
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        _check_kind(os.fstat(descriptor))
        yield file


def read_regular(path: str | Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes. Never waits. Raises OSError, which may be NoRegularFile."""
    with open_regular(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise NoRegularFile(errno.EFBIG, f"it is larger than {_amount(limit)}")
    return data


@contextlib.contextmanager
def noting_reads() -> Iterator[set[str]]:
    """Within, the absolute paths of the files that are read."""
    noted: set[str] = set()
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def note_read(path: str | Path) -> None:
    """Tell whoever notes reads that this file is read."""
    if (noted := _NOTED.get()) is not None:
        noted.add(os.path.abspath(path))


def read_bytes(path: str | Path, limit: int, error: type[TunepassError] = TunepassError) -> bytes:
    """As `read_regular`; raises `error` for what cannot be read."""
    note_read(path)
    try:
        return read_regular(path, limit)
    except (OSError, ValueError) as problem:
        raise cannot_read(path, problem, error) from None


def cannot_read(path: str | Path, problem: OSError | ValueError, kind: type[TunepassError]) -> TunepassError:
    """The error of a file that cannot be read: the machine's fault, or one of `kind`. A ValueError: a zero byte in its
    name."""
    if isinstance(problem, OSError):
        return cannot(f"read {shown(path)}", problem, kind)
    return kind(f"cannot read {shown(path)}: {problem}")


def read_utf8(path: str | Path, limit: int, error: type[TunepassError] = TunepassError) -> str:
    """The text of a regular file, without a byte order mark; raises `error` for what is no UTF-8."""
    data = read_bytes(path, limit, error)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as problem:
        raise error(
            f"{shown(path)} is not UTF-8 text: byte {data[problem.start]:#04x} at offset {problem.start}",
            hint="convert it: iconv -f latin1 -t utf-8",
        ) from None


def check_regular(path: str | Path, error: type[TunepassError] = TunepassError) -> None:
    """Raises `error` where something stands at the path and it is no regular file."""
    try:
        _check_kind(os.stat(path))
    except NoRegularFile as problem:
        raise error(f"cannot read {shown(path)}: {problem.strerror}") from None
    except (OSError, ValueError):
        return  # whoever opens it says why it cannot be


def encoded(text: str) -> bytes:
    """UTF-8, and the bytes that were none as they were."""
    return text.encode("utf-8", "surrogateescape")


def printable(text: str) -> str:
    """UTF-8 for people and programs: bytes that were none as `\\udce9`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def shown(path: str | Path) -> str:
    """A path for people: bytes that are no UTF-8 as `\\xe9`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def writable_folder(path: Path) -> Path:
    """The folder, made if missing. Raises TunepassError when nothing can be written there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as error:
        full = error.errno in ERRNOS - {errno.EROFS}  # which is a folder that was named wrongly
        raise (EnvironmentFault if full else TunepassError)(
            f"cannot write to {shown(path)}: {error.strerror}",
            hint="name another folder with -o, another store with --store",
        ) from None


@contextlib.contextmanager
def scratch_folder(folder: Path, error: type[TunepassError] = TunepassError) -> Iterator[Path]:
    """A private folder within the folder, so that what is finished can be moved into place; removed in any case."""
    _sweep(folder)
    try:
        scratch, descriptor = _new_folder(folder)
    except OSError as problem:
        raise cannot(f"write to {shown(folder)}", problem, error) from None
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Replace the file whole. Raises TunepassError when it cannot be written."""
    write_bytes(path, encoded(text))


def write_bytes(
    path: Path,
    data: bytes | bytearray,
    error: type[TunepassError] = TunepassError,
    hint: str | None = None,
    *,
    durable: bool = True,
) -> None:
    """Replace the file whole, if `durable` on disk when this returns; of a link, the file that it leads to. Permissions
    and, where allowed, owner are those of the file before. Raises `error` when it cannot be written, EnvironmentFault
    when that is the machine's fault."""
    write_parts(path, [data], error, hint, durable=durable)


def write_parts(
    path: Path,
    parts: Iterable[bytes | bytearray],
    error: type[TunepassError] = TunepassError,
    hint: str | None = None,
    *,
    durable: bool = True,
) -> None:
    """As write_bytes, of parts that are made while they are written. Nothing is replaced where making one fails."""
    try:
        _replace(Path(os.path.realpath(path)), parts, durable)
    except OSError as problem:
        raise cannot(f"write {shown(path)}", problem, error, hint) from None


def _replace(path: Path, parts: Iterable[bytes | bytearray], durable: bool) -> None:
    try:
        before = os.stat(path)
        _check_kind(before)
    except FileNotFoundError:
        before = None
    _sweep(path.parent)
    temporary, descriptor = _new_file(path)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if before is not None:
                with contextlib.suppress(OSError):
                    os.fchown(descriptor, before.st_uid, before.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
            file.writelines(parts)
            file.flush()
            if durable:
                os.fsync(descriptor)
            os.replace(temporary, path)  # while its lock is held
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if durable:
        sync_folder(path.parent)


def _new_file(path: Path) -> tuple[Path, int]:
    """A file that was not there before, beside the path, with the permissions that new files have; its lock is held."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        temporary = path.with_name(f".tunepass-{os.urandom(8).hex()}.tmp")
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(temporary, flags, 0o666)
            if _is_open(temporary, descriptor):
                return temporary, descriptor
            os.close(descriptor)


def _new_folder(folder: Path) -> tuple[Path, int]:
    """A folder in the folder, for this user alone; its lock is held."""
    while True:
        new = Path(tempfile.mkdtemp(prefix=".tunepass-", dir=folder))
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(new, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            if _is_open(new, descriptor):
                return new, descriptor
            os.close(descriptor)


def _is_open(path: Path, descriptor: int) -> bool:
    """Hold its lock; False where another has swept it away before it could be held."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
    except OSError:
        return True  # no locks here, so nobody sweeps either


def _sweep(folder: Path) -> None:
    """Remove what was in the making when its writer was killed."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if _LEFT.fullmatch(name):
                _remove_unheld(folder / name)


def _remove_unheld(path: Path) -> None:
    with contextlib.suppress(OSError):  # it is held, gone, or another user's
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)
        finally:
            os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Force the folder's names to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None
    finally:
        os.close(descriptor)


def _check_kind(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise NoRegularFile(errno.EINVAL, f"it is {kind}, not a regular file")


def _amount(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit >> 10} KiB"


def user_cache(name: str) -> Path:
    """A file or folder of the user's cache; TUNEPASS_CACHE names another folder than ~/.cache/tunepass."""
    named = os.environ.get("TUNEPASS_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return (Path(named) if named else Path(home) / "tunepass") / name
