"""Locks against what they were made from: for `verify` and `diff`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tunepass.diagnostics import ToolError, TunepassError
from tunepass.ir.kernel import Kernel
from tunepass.jobs.job import Job, locked_job
from tunepass.jobs.reading import parse
from tunepass.study.lock.lock import NAME, Entry, Lock


@dataclass(frozen=True, slots=True)
class Checked:
    """One kernel of a lock or a source. `problem` says why it could not be compared at all."""

    key: str
    entry: Entry | None
    job: Job | None
    problem: str = ""

    @property
    def reasons(self) -> list[str]:
        """Why the lock does not fit, a line each; none: it fits."""
        if self.job is None:
            return [self.problem]
        return self.job.misfits()


def check(paths: list[str], compiler: tuple[str, ...]) -> list[Checked]:
    """Every kernel of the locks, folders and sources named; of the lock of this folder when none is."""
    checked: list[Checked] = []
    for name in paths or ["."]:
        path = Path(name)
        if path.is_dir() or path.name == NAME:
            checked += _check_lock(path / NAME if path.is_dir() else path, compiler)
        else:
            checked += _check_source(path, compiler)
    return checked


def _check_lock(path: Path, compiler: tuple[str, ...]) -> list[Checked]:
    if not path.is_file():
        raise TunepassError(f"there is no {path}", hint="`tunepass build SOURCE` makes one, or name a source")
    lock = Lock.read(path)
    sources = dict.fromkeys(key.rpartition("::")[0] for key in lock.entries)
    return [checked for name in sources for checked in _kernels(path.parent / name, lock, compiler, missing=False)]


def _check_source(path: Path, compiler: tuple[str, ...]) -> list[Checked]:
    return _kernels(path, Lock.read(path.parent / NAME), compiler, missing=True)


def _kernels(source: Path, lock: Lock, compiler: tuple[str, ...], *, missing: bool) -> list[Checked]:
    """The source's kernels and its entries; with `missing`, a source that cannot be read is the caller's mistake."""
    entries = {key: entry for key, entry in lock.entries.items() if key.rpartition("::")[0] == source.name}
    try:
        kernels = parse(source).kernels
    except TunepassError as error:
        if missing:
            raise
        return [Checked(key, entry, None, error.diagnostics[0].message) for key, entry in entries.items()]
    checked = []
    for kernel in kernels:
        key = f"{source.name}::{kernel.name}"
        entry = entries.pop(key, None)
        checked.append(_checked(key, entry, kernel, lock, compiler))
    gone = [Checked(key, entry, None, f"{source} has no such kernel") for key, entry in entries.items()]
    return checked + gone


def _checked(key: str, entry: Entry | None, kernel: Kernel, lock: Lock, compiler: tuple[str, ...]) -> Checked:
    try:
        return Checked(key, entry, locked_job(kernel, lock, compiler or None))
    except ToolError:  # no such compiler: this machine is at fault, not the lock
        raise
    except TunepassError as error:
        return Checked(key, entry, None, error.diagnostics[0].message if entry else f"{key} is not in the lock")
