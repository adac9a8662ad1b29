"""Measuring and removing folders in which candidates wrote, however many folders lie one in the other.

Names are opened from the folder that holds them: a path may be longer than Linux takes. Nothing follows a link.
"""

from __future__ import annotations

import os

DEEPEST = 64  # folders, one in the other, that are measured
BEYOND = 1 << 62  # the bytes of what cannot be measured: more than any limit
OPENING = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PREFIX = "removed-"  # of folders that were moved to be removed


def bytes_below(folder: str) -> int:
    """Bytes that the files below a folder take; BEYOND where there are folders deeper than DEEPEST, or ones that this
    user may not list. What vanishes meanwhile takes nothing."""
    try:
        descriptor = os.open(folder, OPENING)
    except OSError:
        return 0
    return _bytes_in(descriptor, DEEPEST)


def _bytes_in(descriptor: int, levels: int) -> int:
    """Closes the descriptor."""
    total = 0
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                total += _bytes_of(entry, descriptor, levels)
                if total >= BEYOND:
                    break
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return total


def _bytes_of(entry: os.DirEntry[str], descriptor: int, levels: int) -> int:
    try:
        total = entry.stat(follow_symlinks=False).st_blocks * 512
        if not entry.is_dir(follow_symlinks=False):
            return total
        if levels == 0:
            return BEYOND
        return total + _bytes_in(os.open(entry.name, OPENING, dir_fd=descriptor), levels - 1)
    except PermissionError:
        return BEYOND
    except OSError:
        return 0


def remove_folder(folder: str | os.PathLike[str]) -> None:
    """Remove a folder and all below it, as far as this user may; no program may write there meanwhile.

    Folders in folders are moved into the first one: neither paths nor the number of open files grow with their depth.
    """
    try:
        root = _open(os.fspath(folder), None)
    except OSError:
        return
    try:
        _remove_all(root)
    except OSError:
        pass
    finally:
        os.close(root)
    try:  # noqa: SIM105 (importing contextlib takes longer than a run should)
        os.rmdir(folder)
    except OSError:
        pass


def _remove_all(root: int) -> None:
    """All that is in the folder."""
    with os.scandir(root) as entries:
        first = list(entries)
    names = {entry.name for entry in first}
    pending = [entry.name for entry in first if _is_folder(entry) or not _unlinked(entry.name, root)]
    moved = 0
    while pending:
        name = pending.pop()
        try:
            below = _open(name, root)
        except OSError:
            continue
        try:
            with os.scandir(below) as entries:
                inner = list(entries)
            for entry in inner:
                if _is_folder(entry):
                    while f"{PREFIX}{moved}" in names:
                        moved += 1
                    if _moved(entry.name, below, f"{PREFIX}{moved}", root):
                        pending.append(f"{PREFIX}{moved}")
                    moved += 1
                else:
                    _unlinked(entry.name, below)
            os.rmdir(name, dir_fd=root)
        except OSError:
            pass
        finally:
            os.close(below)


def _open(name: str, folder: int | None) -> int:
    """A folder, with all permissions of its owner."""
    path = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if os.fstat(path).st_mode & 0o700 != 0o700:
            os.chmod(f"/proc/self/fd/{path}", 0o700)
        return os.open(".", OPENING, dir_fd=path)
    finally:
        os.close(path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _unlinked(name: str, folder: int) -> bool:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        return False
    return True


def _moved(name: str, folder: int, new_name: str, target: int) -> bool:
    """A folder that is moved elsewhere has to be writable itself."""
    try:
        os.close(_open(name, folder))
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=target)
    except OSError:
        return False
    return True
