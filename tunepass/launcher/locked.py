"""The calls of `tunepass cc` that the lock is read for, or that nothing annotated may slip through.

A source without an entry in its folder's tunepass.lock is the compiler's alone. One that has an entry is compiled with
the chosen macros and flags after the command line's own. When the source has changed since, the choice stands as long
as it is still a configuration of the space (a note says so), else the source's defaults do (a warning says so): no word
of a lock reaches a compiler but as a value that the source itself lists.

TUNEPASS_FROZEN=1, or --frozen as the first argument, turns a stale or missing entry into status 3, and so what is
annotated but cannot be tuned as it is given: included by another file, preprocessed, behind an unknown compiler.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tunepass.compilers.options import table_of
from tunepass.compilers.responses import expanded
from tunepass.jobs.annotations import annotated, contents
from tunepass.launcher import link_marks, statistics
from tunepass.launcher.calling import become
from tunepass.launcher.compiler import asked, compiler_behind
from tunepass.launcher.compiler_call import CompilerCall, analyse
from tunepass.launcher.compiling_tuned import compile_tuned, prepare
from tunepass.launcher.plan import lines_of, make_plan, plan_of_unknown
from tunepass.launcher.prepared import QUIET, CallQuestion, Prepared
from tunepass.reports.answer import Status


def run(words: Sequence[str], command: str = "cc", question: CallQuestion | None = None) -> int:
    """What is worked out is kept as the answer to the question, if there is one and the call does not link."""
    frozen = os.environ.get("TUNEPASS_FROZEN") == "1"
    if words[:1] == ["--frozen"]:
        frozen, words = True, words[1:]
    behind = compiler_behind(words, command)
    begin = -len(behind.command)
    behind = behind if behind.known else asked(behind)
    compiler, words, begin = behind.command, behind.arguments, begin + len(behind.command)
    call = analyse(expanded(words)[0], cxx=behind.cxx, takes_value=table_of(compiler[-1]))
    if call.dry or (len(call.compiled) > 1 and call.named_output and not call.links):
        return become([*compiler, *words])  # nothing is compiled: the compiler says what it would do, or what is wrong
    plan = make_plan(compiler[-1], call, frozen=frozen) if behind.known else plan_of_unknown(call)
    if frozen and plan.stale:
        sys.stderr.write("".join(f"{line}\n" for line in lines_of("error", plan.stale)))
        statistics.add(plan.outcomes)
        return Status.STALE
    notes = [] if frozen else plan.told
    added = [*([QUIET] if behind.known and _is_noisy(call) else []), *link_marks.needed(call.arguments)]
    if not plan.tuned:
        prepared = Prepared(0, added, "", notes, plan.outcomes)
        _keep(question, call, prepared, plan.read, begin)
        return prepared.run(compiler, call.arguments if "--" in words else words)
    with tempfile.TemporaryDirectory(prefix="tunepass-cc-") as scratch:
        if len(call.compiled) > 1 or (call.links and plan.tuned[0].compiler):  # the call's own compiler links
            sys.stderr.write("".join(f"{line}\n" for line in notes))
            statistics.add(plan.outcomes)
            return compile_tuned(compiler, call, plan.tuned, added, scratch)
        prepared = prepare(call.arguments, plan.tuned[0], added, scratch, notes, plan.outcomes)
        if not prepared.text.startswith(scratch):
            _keep(question, call, prepared, plan.read, begin)
        return prepared.run(compiler, call.arguments, scratch)


def _keep(
    question: CallQuestion | None, call: CompilerCall, prepared: Prepared, read: frozenset[str], begin: int
) -> None:
    """`begin` of the question's words belong to the compiler's command, as was found by asking."""
    if question is not None and not call.links and question.still_holds():
        question.keep(prepared, read, begin)


def _is_noisy(call: CompilerCall) -> bool:
    """Would the compiler warn of our pragmas, though nobody has asked it to?"""
    return call.warns_of_pragmas and any(annotated(contents(Path(given.name))) for given in call.compiled)
