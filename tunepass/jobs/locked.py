"""A source as the lock says it is to be compiled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tunepass.backends.base import backend_class, backend_for
from tunepass.ir.kernel import Kernel
from tunepass.jobs.places import lock_key, lock_path
from tunepass.jobs.reading import parse
from tunepass.passes.apply_schedule import scheduled
from tunepass.passes.base import Compilation
from tunepass.passes.extract_space import ExtractSpace
from tunepass.study.identity import source_hash
from tunepass.study.lock.lock import Entry, Lock
from tunepass.study.space_description import space_hash


@dataclass(frozen=True, slots=True)
class Locked:
    """The compiler's further arguments and, if it had to be rewritten, the text; what to tell; why it is stale."""

    arguments: tuple[str, ...] = ()
    text: str | None = None
    notes: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


def tuned_source(source: Path) -> Locked:
    """What the lock beside `source` says of its kernels. Of the identity, only source and space are looked at: the
    flags are the Makefile's, and a compiler of another version still compiles the choice."""
    lock = Lock.read(lock_path(source))
    prefix = lock_key(source, "")
    if not any(key.startswith(prefix) for key in lock.entries):
        return Locked(stale=_unlocked(source))
    chosen: list[Kernel] = []
    notes: list[str] = []
    stale: list[str] = []
    for kernel in parse(source).kernels:
        entry = lock.entries.get(lock_key(source, kernel.name))
        if entry is None:
            stale.append(f"{source}: kernel {kernel.name} is not in the lock")
            continue
        reasons, possible = _compare(kernel, entry)
        stale += reasons
        if reasons:
            what = "the locked choice is used" if possible else "its defaults are used"
            notes.append(f"{source} changed since {kernel.name} was tuned; {what} (tunepass build tunes it again)")
        if possible:
            chosen.append(scheduled(kernel, entry.choice))
    if not chosen:
        return Locked(notes=tuple(notes), stale=tuple(stale))
    target = backend_class(chosen[0]).target_of(lock.entries[lock_key(source, chosen[0].name)].identity, ())
    candidate = backend_for(chosen[0], target).candidate(chosen)
    return Locked(candidate.compiler_words, candidate.text, tuple(notes), tuple(stale))


def _unlocked(source: Path) -> tuple[str, ...]:
    """An annotated source that has no entry is missing one; any other source has no need of it."""
    try:
        data = source.read_bytes()
    except OSError:
        return ()
    return (f"{source} has no entry in {lock_path(source)}",) if b"tunepass" in data else ()


def _compare(kernel: Kernel, entry: Entry) -> tuple[list[str], bool]:
    """Why the entry is stale, and whether its choice is still possible. An unchanged source needs no space."""
    if source_hash(kernel.source.text) == entry.identity.source:
        return [], True
    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    reasons = [f"{kernel.source.name}: the source of {kernel.name} changed since it was tuned"]
    if space_hash(space) != entry.identity.space:
        reasons.append(f"{kernel.source.name}: the space of {kernel.name} changed since it was tuned")
    known = set(entry.choice) == {p.name for p in space.parameters}
    return reasons, known and space.contains(entry.choice)
