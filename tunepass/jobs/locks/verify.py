"""Locks against what they were made from: for `verify` and `diff`."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.backends.base import Starts
from tunepass.compilers.named import are_harmless, usual_compiler
from tunepass.diagnostics import EnvironmentFault, ToolError, TunepassError
from tunepass.ir.kernel import Kernel
from tunepass.jobs.job import Job, locked_job
from tunepass.jobs.places import file_name, lock_key
from tunepass.jobs.reading import parse
from tunepass.study.ledger import Check, Ledger, unrecorded
from tunepass.study.lock.lock import NAME, Entry, Lock
from tunepass.study.storage.location import StoreLocation


@dataclass(frozen=True, slots=True)
class LockCheck:
    """One kernel of a lock or a source. `problem` says why it could not be compared at all."""

    key: str
    entry: Entry | None
    job: Job | None
    problem: str = ""
    guessed: bool = False  # no compiler was named: the usual one was asked
    store: StoreLocation | None = None  # has the headers behind the lock's digest; None: the usual one

    @property
    def reasons(self) -> list[str]:
        """Why the lock does not fit, a line each; none: it fits."""
        if self.job is None:
            return [self.problem]
        return self.job.stale_reasons(self.store)

    @property
    def checks(self) -> Ledger:
        """Ledger of the locked choice; empty where the lock does not say."""
        return self.entry.checks if self.entry else Ledger()

    def missing_checks(self, waived: Collection[str]) -> tuple[Check, ...]:
        """The checks that the locked choice lacks, all where the lock does not say."""
        return (self.checks or unrecorded()).refused(waived) if self.entry else ()

    @property
    def notes(self) -> list[str]:
        """Notes on identity fields that were not compared, or compared with a guess, each with a remedy."""
        if self.job is None or self.entry is None:
            return []
        locked, now = self.entry.identity, self.job.identity
        if self.job.unasked:
            return [f"{self.key}: its tools are not asked for their versions; only `build` starts them"]
        if not self.guessed or not self.job.backend.compiles:
            return []
        how = "name the right one after `--`"
        if not are_harmless(locked.flags):
            return [f"{self.key}: no compiler is given this lock's flags, so they and headers are not compared; {how}"]
        if locked.changes(replace(now, source=locked.source, space=locked.space, device=locked.device)):
            example = shlex.join([_called(locked.compiler, self.job.kernel), *locked.flags])
            program = usual_compiler(cxx=self.job.kernel.language == "c++")[0]
            return [f"{self.key}: compared with `{program}`, as none was named; {how}: -- {example}"]
        return []


def _called(compiler: str, kernel: Kernel) -> str:
    """A command for the compiler that a lock names, which anything may be written in."""
    cxx = kernel.language == "c++" or compiler.startswith("g++")
    clang = "clang" in compiler.split()
    return ("clang++" if cxx else "clang") if clang else ("g++" if cxx else "gcc")


def check(paths: list[str], compiler: tuple[str, ...]) -> list[LockCheck]:
    """Every kernel of the locks, folders and sources named; of the lock of this folder when none is."""
    checked: list[LockCheck] = []
    for name in paths or ["."]:
        path = Path(name)
        if path.is_dir() or path.name == NAME:
            checked += _check_lock(path / NAME if path.is_dir() else path, compiler)
        else:
            checked += _check_source(path, compiler)
    return checked


def _check_lock(path: Path, compiler: tuple[str, ...]) -> list[LockCheck]:
    if not path.is_file():
        raise TunepassError(f"there is no {path}", hint="`tunepass build SOURCE` makes one, or name a source")
    lock = Lock.read(path)
    sources = dict.fromkeys(name for name in map(file_name, lock.entries) if name is not None)
    checked = [checked for name in sources for checked in _kernels(path.parent / name, lock, compiler, missing=False)]
    outside = [(key, entry) for key, entry in lock.entries.items() if file_name(key) is None]
    return checked + [LockCheck(key, entry, None, "it names no file of the lock's folder") for key, entry in outside]


def _check_source(path: Path, compiler: tuple[str, ...]) -> list[LockCheck]:
    return _kernels(path, Lock.read(path.parent / NAME), compiler, missing=True)


def _kernels(source: Path, lock: Lock, compiler: tuple[str, ...], *, missing: bool) -> list[LockCheck]:
    """The source's kernels and its entries; with `missing`, a source that cannot be read is the caller's mistake."""
    entries = {key: entry for key, entry in lock.entries.items() if file_name(key) == source.name}
    try:
        kernels = parse(source, words=compiler or None).kernels
    except TunepassError as error:
        if missing or isinstance(error, ToolError | EnvironmentFault):
            raise
        return [LockCheck(key, entry, None, error.diagnostics[0].message) for key, entry in entries.items()]
    checked = []
    for kernel in kernels:
        key = lock_key(source, kernel.name)
        entry = entries.pop(key, None)
        checked.append(_checked(key, entry, kernel, lock, compiler))
    return checked + [LockCheck(key, entry, None, f"{source} has no such kernel") for key, entry in entries.items()]


def _checked(key: str, entry: Entry | None, kernel: Kernel, lock: Lock, compiler: tuple[str, ...]) -> LockCheck:
    try:
        return LockCheck(key, entry, locked_job(kernel, lock, Starts.COMPILER, compiler), guessed=not compiler)
    except (ToolError, EnvironmentFault):  # no such compiler: this machine is at fault, not the lock
        raise
    except TunepassError as error:
        return LockCheck(key, entry, None, error.diagnostics[0].message if entry else f"{key} is not in the lock")
