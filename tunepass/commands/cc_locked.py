"""The calls of `tunepass cc` that the lock is read for, or that nothing annotated may slip through.

A source without an entry in its folder's tunepass.lock is the compiler's alone. One that has an entry is compiled with
the chosen macros and flags after the command line's own. When the source has changed since, the choice stands as long
as it is still a configuration of the space (a note says so), else the source's defaults do (a warning says so): no word
of a lock reaches a compiler but as a value that the source itself lists.

TUNEPASS_FROZEN=1, or --frozen as the first argument, turns a stale or missing entry into status 3, and so what is
annotated but cannot be tuned as it is given: from stdin, included by another file, preprocessed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tunepass.commands import link_marks
from tunepass.commands.answer import Status
from tunepass.commands.compiler_call import STDIN, CompilerCall, analyse
from tunepass.commands.compiling_tuned import Tuned, compile_tuned, prepare
from tunepass.commands.launcher import compiler_behind
from tunepass.commands.prepared import LOCK, QUIET, Prepared, Question, become
from tunepass.compilers.responses import expanded
from tunepass.jobs.annotations import annotated, annotated_files, contents


@dataclass(frozen=True, slots=True)
class Plan:
    """The tuned sources of one call, what to tell the user, and why the lock does not fit."""

    tuned: tuple[Tuned, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    read: frozenset[str] = frozenset()  # the files that this was worked out from

    @property
    def told(self) -> list[str]:
        return [*_lines("note", self.notes), *_lines("warning", self.warnings)]


def run(words: Sequence[str], command: str = "cc", question: Question | None = None) -> int:
    """What is worked out is kept as the answer to the question, if there is one and the call does not link."""
    frozen = os.environ.get("TUNEPASS_FROZEN") == "1"
    if words[:1] == ["--frozen"]:
        frozen, words = True, words[1:]
    compiler, words, cxx = compiler_behind(words, command)
    call = analyse(expanded(words)[0], cxx=cxx)
    if call.dry or (len(call.compiled) > 1 and call.named_output and not call.links):
        return become([*compiler, *words])  # nothing is compiled: the compiler says what it would do, or what is wrong
    plan = make_plan(call, frozen=frozen)
    if frozen and (stale := [*plan.stale, *_slipping(call)]):
        sys.stderr.write("".join(f"{line}\n" for line in _lines("error", stale)))
        return Status.STALE
    told = [] if frozen else plan.told
    added = [*([QUIET] if _is_noisy(call) else []), *link_marks.needed(call.arguments)]
    if not plan.tuned:
        prepared = Prepared(0, added, "", told)
        _keep(question, call, prepared, plan.read)
        return prepared.run(compiler, call.arguments if "--" in words else words)
    with tempfile.TemporaryDirectory(prefix="tunepass-cc-") as scratch:
        if len(call.compiled) > 1:
            sys.stderr.write("".join(f"{line}\n" for line in told))
            return compile_tuned(compiler, call, plan.tuned, added, scratch)
        prepared = prepare(call.arguments, plan.tuned[0], added, scratch, told)
        if not prepared.text.startswith(scratch):
            _keep(question, call, prepared, plan.read)
        return prepared.run(compiler, call.arguments, scratch)


def _keep(question: Question | None, call: CompilerCall, prepared: Prepared, read: frozenset[str]) -> None:
    if question is not None and not call.links and question.still_holds():
        question.keep(prepared, read)


def _is_noisy(call: CompilerCall) -> bool:
    """Would the compiler warn of our pragmas, though nobody has asked it to?"""
    return call.warns_of_pragmas and any(annotated(contents(Path(given.name))) for given in call.compiled)


def _lines(kind: str, lines: Sequence[str]) -> list[str]:
    return [f"tunepass cc: {kind}: {line}" for line in lines]


def make_plan(call: CompilerCall, *, frozen: bool) -> Plan:
    """Look up every source of the call in the lock beside it."""
    tuned: list[Tuned] = []
    notes: list[str] = []
    warnings: list[str] = []
    stale: list[str] = []
    read: frozenset[str] = frozenset()
    for place, source in zip(call.at, call.sources):
        if not (source.parent / LOCK).is_file():
            if frozen and annotated(contents(source)):
                stale.append(f"{source} has no entry in {source.parent / LOCK}")
            continue
        from tunepass.jobs.locked import tuned_source

        lookup = tuned_source(call.arguments[place], call.language(place), call.arguments)
        read |= lookup.read
        notes += lookup.notes
        warnings += lookup.warnings
        stale += lookup.stale
        if lookup.arguments or lookup.text is not None:
            tuned.append(Tuned(place, lookup.arguments, lookup.text))
    return Plan(tuple(tuned), tuple(notes), tuple(warnings), tuple(stale), read)


def _slipping(call: CompilerCall) -> Iterator[str]:
    """What is annotated and would be compiled untuned, because only a source by its own name has an entry."""
    how = "so no entry of a lock tunes it; compile it as a source of its own"
    folders = [Path(folder) for folder in call.folders]
    for given in call.compiled:
        if given.name == STDIN:
            data = _replayed(sys.stdin.buffer)
            if annotated(data):
                yield f"the source on stdin is annotated and has no name, {how}"
            beside = Path()
        else:
            data, beside = contents(Path(given.name)), Path(given.name).parent
            if given.place not in call.at and annotated(data):
                yield f"{given.name} is annotated and compiled as {given.language}, {how}"
        for path in annotated_files(data, beside, folders):
            yield f"{path} is annotated and included by {given.name}, {how}"
    for name in call.included if call.compiled else ():
        path = next((p for p in (Path(name), *(f / name for f in folders)) if p.is_file()), Path(name))
        if annotated(contents(path)):
            yield f"{path} is annotated and included by the command line, {how}"


def _replayed(stdin: BinaryIO) -> bytes:
    """All of stdin, which the compiler can then read from its beginning."""
    data = stdin.read()
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
    return data
