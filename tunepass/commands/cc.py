"""`tunepass cc`: the compiler, plus what the lock says of each source. Never searches, and is as quiet as the compiler.

A source without an entry in its folder's tunepass.lock is the compiler's alone. One that has an entry is compiled with
the chosen macros and flags after the command line's own. When the source has changed since, the choice stands as long
as it is still a configuration of the space (a note says so), else the source's defaults do (a warning says so): no word
of a lock reaches a compiler but as a value that the source itself lists.

TUNEPASS_CC names the compiler behind it (default: cc). TUNEPASS_FROZEN=1, or --frozen as the first argument, turns a
stale or missing entry into status 3.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.commands.answer import Status
from tunepass.commands.compiler_call import CompilerCall, analyse
from tunepass.commands.dependency_files import listings, only_lists, rename, wanted, written_for
from tunepass.diagnostics import ToolError
from tunepass.evaluators.toolchains.named import named_compiler

LOCK = "tunepass.lock"  # tunepass.study.lock.lock.NAME, not imported: most calls of a compiler have no lock to read
MARK = b"tunepass"
PEEK = 16 << 20  # bytes of a source looked through for an annotation


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a source is compiled with: further arguments, and its text where that had to be rewritten."""

    place: int
    arguments: tuple[str, ...]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The tuned sources of one call, what to tell the user, and why the lock does not fit."""

    tuned: tuple[Tuned, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()


def run(words: Sequence[str]) -> int:
    frozen = os.environ.get("TUNEPASS_FROZEN") == "1"
    if words[:1] == ["--frozen"]:
        frozen, words = True, words[1:]
    compiler = list(named_compiler())
    call = analyse(words)
    plan = make_plan(call, frozen=frozen)
    if not frozen:
        _tell("note", plan.notes)
        _tell("warning", plan.warnings)
    elif plan.stale:
        _tell("error", plan.stale)
        return Status.STALE
    if not plan.tuned:
        return _become([*compiler, *words])
    with tempfile.TemporaryDirectory(prefix="tunepass-cc-") as scratch:
        return _compile(compiler, call, plan.tuned, Path(scratch))


def _tell(kind: str, lines: Sequence[str]) -> None:
    for line in lines:
        sys.stderr.write(f"tunepass cc: {kind}: {line}\n")


def make_plan(call: CompilerCall, *, frozen: bool) -> Plan:
    """Look up every source of the call in the lock beside it."""
    tuned: list[Tuned] = []
    notes: list[str] = []
    warnings: list[str] = []
    stale: list[str] = []
    for place, source in zip(call.at, call.sources):
        if not (source.parent / LOCK).is_file():
            if frozen and _annotated(source):
                stale.append(f"{source} has no entry in {source.parent / LOCK}")
            continue
        from tunepass.jobs.locked import tuned_source

        lookup = tuned_source(source)
        notes += lookup.notes
        warnings += lookup.warnings
        stale += lookup.stale
        if lookup.arguments or lookup.text is not None:
            tuned.append(Tuned(place, lookup.arguments, lookup.text))
    return Plan(tuple(tuned), tuple(notes), tuple(warnings), tuple(stale))


def _annotated(source: Path) -> bool:
    try:
        with source.open("rb") as file:
            return MARK in file.read(PEEK)
    except OSError:
        return False  # the compiler says it better


def _compile(compiler: list[str], call: CompilerCall, tuned: Sequence[Tuned], scratch: Path) -> int:
    """One source: one call. Several that stop before linking: a call for each. Several that are linked: the tuned ones
    become objects first, so that a macro of one does not reach the others."""
    change_of = {change.place: change for change in tuned}
    if len(call.at) == 1:
        return _compile_one(compiler, call.arguments, tuned[0], scratch, links=call.links)
    if not call.links:
        statuses = [0]
        for place in call.at:
            change = change_of.get(place, Tuned(place, ()))
            alone = Tuned(call.only(place).index(call.arguments[place]), change.arguments, change.text)
            statuses.append(_compile_one(compiler, call.only(place), alone, scratch / str(place), links=False))
        return max(statuses)
    return _compile_and_link(compiler, call, tuned, scratch)


def _compile_and_link(compiler: list[str], call: CompilerCall, tuned: Sequence[Tuned], scratch: Path) -> int:
    arguments = list(call.arguments)
    names = [call.arguments[place] for place in call.at]
    listed = listings(_dry_run([*compiler, "-###", *arguments]), names) if wanted(arguments) else {}
    for change in tuned:
        target = scratch / f"{change.place}.o"
        words = CompilerCall(_with(call.arguments, change, scratch), call.at, call.links).compiling(
            change.place, target
        )
        listing = listed.get(call.arguments[change.place])
        aside = () if listing is None else (*listing.words, "-MF", str(target.with_suffix(".d")))
        status = _run([*compiler, *words, *change.arguments, *aside])
        if status:
            return status
        arguments[change.place] = str(target)
    status = _run([*compiler, *arguments])
    last = {listing.file: name for name, listing in listed.items()}  # a shared file keeps the last source's
    for change in tuned:
        name = call.arguments[change.place]
        if name in listed and last[listed[name].file] == name:
            made = scratch / f"{change.place}.d"
            rename([made], _rewritten(Path(name), change, scratch), Path(name))
            shutil.move(made, listed[name].file)
    return status


def _compile_one(compiler: list[str], arguments: Sequence[str], tuned: Tuned, scratch: Path, *, links: bool) -> int:
    """The only source of a call. What depends on what does not depend on how its loops are written."""
    if tuned.text is None or only_lists(arguments):
        return _run([*compiler, *arguments, *tuned.arguments])
    status = _run([*compiler, *_with(arguments, tuned, scratch), *tuned.arguments])
    source = Path(arguments[tuned.place])
    rename(written_for(arguments, source, links=links), _rewritten(source, tuned, scratch), source)
    return status


def _with(arguments: Sequence[str], tuned: Tuned, scratch: Path) -> tuple[str, ...]:
    """The arguments with the tuned text in place of its source; `#line` keeps diagnostics and debuggers right."""
    if tuned.text is None:
        return tuple(arguments)
    source = Path(arguments[tuned.place])
    rewritten = _rewritten(source, tuned, scratch)
    rewritten.parent.mkdir(parents=True, exist_ok=True)
    name = str(source).replace("\\", "\\\\").replace('"', '\\"')
    rewritten.write_text(f'#line 1 "{name}"\n{tuned.text}')
    changed = list(arguments)
    changed[tuned.place] = str(rewritten)
    return (*changed, "-iquote", str(source.parent))


def _rewritten(source: Path, tuned: Tuned, scratch: Path) -> Path:
    """Named like the source: the compiler names what it writes after it."""
    return scratch / str(tuned.place) / source.name


def _become(words: list[str]) -> int:
    """Hand over to the compiler altogether: its status, signals and output are its own."""
    sys.stdout.flush()
    try:
        os.execvp(words[0], words)
    except OSError as error:
        raise _missing(words[0], error) from None


def _run(words: list[str]) -> int:
    try:
        status = subprocess.run(words, check=False).returncode
    except OSError as error:
        raise _missing(words[0], error) from None
    return status if status >= 0 else 128 - status  # as a shell tells a signal


def _dry_run(words: list[str]) -> str:
    """What the compiler would call, as it says on stderr."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False).stderr
    except OSError as error:
        raise _missing(words[0], error) from None


def _missing(name: str, error: OSError) -> ToolError:
    return ToolError(f"cannot run the compiler {name}: {error.strerror}", hint="set TUNEPASS_CC to a C compiler")
