"""What `tunepass cc` makes of the sources of one call: each as its lock has it, or why not.

The lock beside a source comes first, then those beside what it links to (Bazel and Nix compile through links). A source
on stdin is the one of the working folder's lock that has its text.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tunepass.jobs.annotations import annotated, annotated_files, contents
from tunepass.jobs.locks.lookup import Locked
from tunepass.launcher.compiler_call import STDIN, TUNABLE, CompilerCall, CompilerInput
from tunepass.launcher.compiling_tuned import Tuned
from tunepass.launcher.prepared import LOCK, places_of
from tunepass.launcher.statistics import TUNED, UNTUNED, outcome

UNKNOWN = "no word of the command is known as a compiler, and none answers as one"


@dataclass(frozen=True, slots=True)
class CallPlan:
    """The tuned sources of one call, what to tell the user, why the lock does not fit, and lines for the statistics."""

    tuned: tuple[Tuned, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    read: frozenset[str] = frozenset()  # the files that this was worked out from

    @property
    def told(self) -> list[str]:
        return [*lines_of("note", self.notes), *lines_of("warning", self.warnings)]


def lines_of(kind: str, lines: Sequence[str]) -> list[str]:
    return [f"tunepass cc: {kind}: {line}" for line in lines]


def make_plan(compiler: str, call: CompilerCall, *, frozen: bool) -> CallPlan:
    """Look up every source of the compiler's call in its lock."""
    words = (compiler, *call.arguments)
    reads_stdin = any(given.name == STDIN for given in call.compiled) and (frozen or os.path.isfile(LOCK))
    stdin = _replayed(sys.stdin.buffer) if reads_stdin else b""
    tuned, outcomes, lookups = list[Tuned](), list[str](), list[Locked]()
    for given in call.sources:
        lookup = _of_text(words, given, stdin) if given.name == STDIN else _of_file(words, given)
        if lookup is None:
            continue
        lookups.append(lookup)
        if lookup.arguments or lookup.compiler or lookup.text is not None:
            tuned.append(Tuned(given.place, lookup.arguments, lookup.text, lookup.compiler))
        is_tuned = bool(lookup.choices) and not (frozen and lookup.stale)
        why = lookup.choices if is_tuned else dict.fromkeys((*lookup.warnings, *lookup.stale))
        outcomes.append(outcome(given.name, TUNED if is_tuned else UNTUNED, "; ".join(why)))
    slipping = list(_slipping(call, stdin))
    return CallPlan(
        tuned=tuple(tuned),
        notes=tuple(line for lookup in lookups for line in lookup.notes),
        warnings=tuple(line for lookup in lookups for line in lookup.warnings),
        stale=(*(line for lookup in lookups for line in lookup.stale), *(why for _, why in slipping)),
        outcomes=(*outcomes, *(outcome(name, UNTUNED, why) for name, why in slipping)),
        read=frozenset[str]().union(*(lookup.read for lookup in lookups)),
    )


def plan_of_unknown(call: CompilerCall) -> CallPlan:
    """Plan for words without a known compiler: all are passed on as they are, and nothing is tuned."""
    names = [given.name for given in call.sources if annotated(contents(Path(given.name)))]
    notes = tuple(f"{name} is compiled untuned: {UNKNOWN}" for name in names if _with_locks(name))
    return CallPlan(warnings=notes, stale=notes, outcomes=tuple(outcome(name, UNTUNED, UNKNOWN) for name in names))


def _with_locks(source: str) -> list[str]:
    """The source and what it links to, as far as there is a lock beside it."""
    return [place for place in places_of(source) if os.path.isfile(os.path.join(os.path.dirname(place), LOCK))]


def _of_file(words: Sequence[str], given: CompilerInput) -> Locked | None:
    """None for a source without annotations."""
    for place in _with_locks(given.name):
        from tunepass.jobs.locks.tuned_sources import tuned_source

        lookup = tuned_source(place, given.language, words)
        if lookup.known:
            return lookup
    if not annotated(contents(Path(given.name))):
        return None
    links = places_of(given.name)
    places = " or ".join(dict.fromkeys(os.path.join(os.path.dirname(place), LOCK) for place in links))
    why = f"{given.name} has no entry in {places}"
    return Locked(stale=(why,), notes=(f"{why}; it is compiled untuned",) if len(links) > 1 else ())


def _of_text(words: Sequence[str], given: CompilerInput, data: bytes) -> Locked | None:
    """None for a source on stdin without annotations."""
    if not annotated(data):
        return None
    from tunepass.jobs.locks.tuned_sources import source_with_text, tuned_source

    source = source_with_text(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"), Path())
    if source is not None:
        return tuned_source(source, given.language, words)
    why = f"the source on stdin is annotated, and no one entry of {LOCK} here has its text"
    return Locked(stale=(why,), notes=(f"{why}; it is compiled untuned",))


def _slipping(call: CompilerCall, stdin: bytes) -> Iterator[tuple[str, str]]:
    """The files that are annotated and would be compiled untuned, because they are no sources of their own, and why."""
    how = "so no entry of a lock tunes it; compile it as a source of its own"
    folders = [Path(folder) for folder in call.folders]
    for given in call.compiled:
        data = stdin if given.name == STDIN else contents(Path(given.name))
        name = "the source on stdin" if given.name == STDIN else given.name
        if given.language not in TUNABLE and annotated(data):
            yield given.name, f"{name} is annotated and compiled as {given.language}, {how}"
        for path in annotated_files(data, Path(given.name).parent, folders):
            yield str(path), f"{path} is annotated and included by {name}, {how}"
    for name in call.included if call.compiled else ():
        path = next((p for p in (Path(name), *(f / name for f in folders)) if p.is_file()), Path(name))
        if annotated(contents(path)):
            yield str(path), f"{path} is annotated and included by the command line, {how}"


def _replayed(stdin: BinaryIO) -> bytes:
    """All of stdin, which the compiler can then read from its beginning."""
    data = stdin.read()
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
    return data
