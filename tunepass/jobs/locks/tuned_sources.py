"""A source as the lock says it is to be compiled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from tunepass.backends.base import Starts, backend_class, backend_for
from tunepass.compilers.cc import identify
from tunepass.diagnostics import Source, SpaceError, ToolError
from tunepass.files import noting_reads
from tunepass.frontends.c.parameters.compilers import is_plain
from tunepass.frontends.cfamily.syntax.tree import UnreadableError
from tunepass.ir.kernel import Kernel
from tunepass.jobs.annotations import annotated, contents
from tunepass.jobs.locks.definitions import changed_definitions
from tunepass.jobs.locks.lookup import Locked
from tunepass.jobs.places import file_name, key_name, lock_key, lock_path
from tunepass.jobs.reading import parse
from tunepass.passes.apply_schedule import scheduled
from tunepass.passes.base import Compilation
from tunepass.space.membership import checked_configuration
from tunepass.study.identity import source_hash
from tunepass.study.lock.lock import NAME as LOCK
from tunepass.study.lock.lock import Entry, Lock
from tunepass.study.space_description import space_hash


def tuned_source(source: str | Path | Source, language: str = "", words: Sequence[str] | None = None) -> Locked:
    """The choices for `source`, a path or its text, in the lock of its folder. Of the identity, only source and space
    are compared: the flags are the Makefile's, and a compiler of another version still compiles the choice. A choice
    that is none of the kernel's configurations is not used at all. `language` is that of a source whose suffix is
    unknown. The compiler's `words` name folders of headers and define macros; if they are None, those of the lock do.
    Words that define a macro of the source otherwise than when it was tuned make its entry stale, with a note; the
    choice is used."""
    with noting_reads() as read:
        return replace(_tuned_source(source, language, words, read), read=frozenset(read))


def source_with_text(text: str, folder: Path) -> Source | None:
    """The source that the folder's lock was made from with this very text; None where there is none or several."""
    hashed = source_hash(text)
    keys = [key for key, entry in Lock.read(folder / LOCK).entries.items() if entry.identity.source == hashed]
    names = {name for key in keys if (name := file_name(key)) is not None}
    return Source(str(folder / names.pop()), text) if len(names) == 1 else None


def _tuned_source(
    given: str | Path | Source, language: str, words: Sequence[str] | None, read: Collection[str]
) -> Locked:
    source = given.name if isinstance(given, Source) else given
    lock = Lock.read(lock_path(source), only=key_name(Path(source).name))
    if not any(file_name(key) == Path(source).name for key in lock.entries):
        return Locked(stale=_unlocked(source), known=False)
    chosen: list[Kernel] = []
    choices: list[str] = []
    notes: list[str] = []
    warnings: list[str] = []
    stale: list[str] = []
    try:
        kernels = parse(given, language=language, words=words).kernels
    except (UnreadableError, ToolError) as error:  # the compiler says what is wrong, or takes what cannot be read here
        why = f"{source} cannot be read: {error.diagnostics[0].message}"
        return Locked(stale=(why,), notes=(f"{why}; it is compiled untuned",))
    for kernel in kernels:
        entry = lock.entries.get(lock_key(source, kernel.name))
        if entry is None:
            stale.append(f"{source}: kernel {kernel.name} is not in the lock")
            continue
        changes = _changes(kernel, entry)
        stale += changes
        changed = f"{source} changed since {kernel.name} was tuned"
        try:
            choice = checked_configuration(kernel.parameters, kernel.constraints, entry.choice)
        except SpaceError as error:
            why = f"the locked choice of {kernel.name} is not one of its configurations: {error.diagnostics[0].message}"
            stale.append(f"{lock_path(source)}: {why}")
            begin = f"{changed}, and " if changes else f"{lock_path(source)}: "
            warnings.append(f"{begin}{why}; its defaults are used (tunepass build tunes it again)")
            continue
        defined = _definitions(kernel, entry, words, read)
        stale += [f"{source}: {line}" for line in defined]
        if changes or defined:
            why = changed if changes else f"{source} is compiled with {'; '.join(defined)}"
            notes.append(f"{why}; the locked choice is used (tunepass build tunes it again)")
        chosen.append(scheduled(kernel, choice))
        choices.append(f"{kernel.name}: {', '.join(f'{name}={value}' for name, value in choice.items())}")
    summary = Locked(notes=tuple(notes), warnings=tuple(warnings), stale=tuple(stale), choices=tuple(choices))
    if not chosen:
        return summary
    target = backend_class(chosen[0]).target_of(lock.entries[lock_key(source, chosen[0].name)].identity, ())
    target = replace(target, compiler=(), starts=Starts.NOTHING)
    candidate = backend_for(chosen[0], target).candidate(chosen)
    locked = replace(
        summary, arguments=candidate.compiler_words, text=candidate.text, text_but_hints=candidate.text_but_hints
    )
    return _by_compiler(locked, candidate.compiler, lock_path(source)) if candidate.compiler else locked


def _by_compiler(locked: Locked, name: str, path: Path) -> Locked:
    """With the compiler of the choice; where this machine has none of that name, the call's own compiles the choice."""
    try:
        available = is_plain(name) and identify(name).family != "other"
    except ToolError:
        available = False
    if available:
        return replace(locked, compiler=name)
    missing = f"{path}: the chosen compiler {name} is no gcc or clang of this machine"
    warning = f"{missing}; the choice is compiled by the one that was called"
    return replace(locked, stale=(*locked.stale, missing), warnings=(*locked.warnings, warning))


def _unlocked(source: str | Path) -> tuple[str, ...]:
    """An annotated source that has no entry is missing one; any other source has no need of it."""
    return (f"{source} has no entry in {lock_path(source)}",) if annotated(contents(Path(source))) else ()


def _definitions(kernel: Kernel, entry: Entry, words: Sequence[str] | None, read: Collection[str]) -> Sequence[str]:
    """The macros that the call's words define otherwise than the build's, as far as the kernel was read from them."""
    if words is None:
        return ()
    files = [file for file in read if Path(file).name != LOCK]
    chosen = [name for p in kernel.parameters for name, _ in p.assignments(p.default)]
    return changed_definitions(entry.identity.flags, words[1:], kernel.source.text, files, chosen)


def _changes(kernel: Kernel, entry: Entry) -> list[str]:
    """Why the entry is stale. An unchanged source needs no space."""
    if source_hash(kernel.source.text) == entry.identity.source:
        return []
    from tunepass.passes.extract_space import ExtractSpace

    space = ExtractSpace().run(Compilation(kernel=kernel)).space
    assert space is not None
    reasons = [f"{kernel.source.name}: the source of {kernel.name} changed since it was tuned"]
    if space_hash(space) != entry.identity.space:
        reasons.append(f"{kernel.source.name}: the space of {kernel.name} changed since it was tuned")
    return reasons
