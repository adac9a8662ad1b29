"""Faults of the machine: no space, no memory, no descriptors, no threads. Told from mistakes of the user here alone.

An error is the machine's by its type and number, a program's failure by its words. Both end a command with status 4,
one line that says what failed, and a remedy.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from tunepass.diagnostics import EnvironmentFault, TunepassError

# What the machine lacks or does not do, whatever is asked of it.
ERRNOS = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.ESTALE, errno.ENOLCK),
        *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ETXTBSY),
    }
)
NO_THREAD, NO_FOLDER = "can't start new thread", "No usable temporary directory"  # Python's words

# Words of a machine that fails, as the C library, gcc, clang, linkers, make and this package say them; what to do then.
REMEDIES = {
    r"No space left on device|Disk quota exceeded": (
        "free some space (TMPDIR names another temporary folder, --store another store, -o another output folder)"
    ),
    r"Read-only file system": "name a folder that can be written: TMPDIR for temporary files, --store, -o",
    (
        r"Cannot allocate memory|Resource temporarily unavailable|Killed signal terminated|virtual memory exhausted|"
        r"was ended by SIG(?:KILL|BUS)|the supervisor of .* died|cannot fork|vfork: |unable to create a? ?thread|"
        r"can't start new thread|no memory is left"
    ): "close other programs, or compile fewer side by side (--jobs)",
    r"Too many open files": "close other programs, or raise the limit (ulimit -n)",
    r"Text file busy|Stale file handle|Input/output error|Transport endpoint|Remote I/O error|No locks available": (
        "is the disk well?"
    ),
    NO_FOLDER: "free some space, or name a folder that can be written: TMPDIR",
    r"mounted noexec": "TMPDIR names another temporary folder, one whose programs may be run",
    r"[Cc]annot create temporary file|cannot execute|unable to execute command|posix_spawn": (
        "is the compiler still whole, and is the temporary folder (TMPDIR) there?"
    ),
    r"the supervisor of programs cannot be started": "may this user start the Python that tunepass runs in?",
    r"cannot run .* cannot be set up: ": "`tunepass doctor` says what this machine permits",
}
OF_THE_MACHINE = re.compile("|".join(REMEDIES))


def of_the_machine(text: str) -> bool:
    """Are the words those of a machine that fails, whatever runs on it?"""
    return OF_THE_MACHINE.search(text) is not None


def remedy(text: str) -> str:
    """Remedy for a machine with this failure."""
    return next((words for pattern, words in REMEDIES.items() if re.search(pattern, text)), "find out why")


def is_machines(error: BaseException) -> bool:
    """Is the error the machine's fault, whatever raised it? Also a module that cannot be loaded for such a reason."""
    if isinstance(error, OSError):
        return error.errno in ERRNOS or NO_FOLDER in str(error)
    by_words = isinstance(error, ImportError) or (isinstance(error, RuntimeError) and NO_THREAD in str(error))
    return isinstance(error, MemoryError) or (by_words and of_the_machine(str(error)))


def words_of(error: BaseException) -> str:
    """The error in one line: the file, if it names one, and what is wrong with it."""
    if isinstance(error, OSError) and NO_FOLDER in str(error):
        return ": ".join(filter(None, [str(error.strerror or error), _why_no_folder()]))
    if isinstance(error, OSError) and error.strerror:
        name = os.fsencode(error.filename).decode("utf-8", "backslashreplace") if _is_path(error.filename) else ""
        return f"{name}: {error.strerror}" if name else error.strerror
    lines = str(error).splitlines()
    if isinstance(error, MemoryError):
        return "no memory is left"
    return lines[0] if lines else type(error).__name__


def _why_no_folder() -> str:
    """Why nothing can be written where temporary files are usual: Python does not say."""
    import tempfile  # takes long to load, for a compiler's call

    try:
        with tempfile.TemporaryFile(dir=os.environ.get("TMPDIR") or "/tmp") as file:
            file.write(b"text")
            file.flush()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _is_path(name: object) -> bool:
    return isinstance(name, str | bytes) and bool(name)


def machine_fault(error: BaseException, summary: str = "") -> EnvironmentFault:
    """The error as users see it, with a remedy; `summary` says what was being done."""
    words = f"{summary}: {words_of(error)}" if summary else words_of(error)
    return EnvironmentFault(words, hint=remedy(words))


def cannot(action: str, error: OSError, kind: type[TunepassError], hint: str | None = None) -> TunepassError:
    """The error of an action that fails: the machine's where its number is, else one of `kind` with the hint."""
    reason = error.strerror or str(error)
    if error.errno in ERRNOS:
        return EnvironmentFault(f"cannot {action}: {reason}", hint=remedy(reason))
    return kind(f"cannot {action}: {reason}", hint=hint)


def raise_machines(error: Exception) -> None:
    """Raise the error again where it is the machine's fault: what it kept from being read may be there all the same."""
    if is_machines(error):
        raise error


@contextmanager
def doing(action: str) -> Iterator[None]:
    """Within, an error of the operating system says that the action is not possible; a closed pipe stays what it is."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot(action, error, TunepassError) from None
