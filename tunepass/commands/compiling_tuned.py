"""The compiler's calls in which some sources have macros, flags or text of their own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.commands.compiler_call import CompilerCall
from tunepass.commands.dependency_files import listings, only_lists, rename, wanted, written_for
from tunepass.diagnostics import ToolError
from tunepass.evaluators.toolchains.responses import joined

LONG = 64 << 10  # bytes of a command line from which its words stand in a file: systems bound them


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a source is compiled with: further arguments, and its text where that had to be rewritten."""

    place: int
    arguments: tuple[str, ...]
    text: str | None = None


def compile_tuned(compiler: list[str], call: CompilerCall, tuned: Sequence[Tuned], scratch: Path) -> int:
    """One source: one call. Several that stop before linking: a call for each. Several that are linked: the tuned ones
    become objects first, so that a macro of one does not reach the others."""
    if len(call.compiled) == 1:
        return _compile_one(compiler, call.arguments, tuned[0], scratch, links=call.links)
    if call.links:
        return _compile_and_link(compiler, call, tuned, scratch)
    change_of = {change.place: change for change in tuned}
    statuses = []
    for given in call.compiled:
        words = call.only(given.place)
        change = change_of.get(given.place, Tuned(given.place, ()))
        place = max(i for i, word in enumerate(words) if word == given.name)
        own = scratch / str(given.place)
        own.mkdir()
        statuses.append(_compile_one(compiler, words, replace(change, place=place), own, links=False))
    return max(statuses)


def _compile_and_link(compiler: list[str], call: CompilerCall, tuned: Sequence[Tuned], scratch: Path) -> int:
    names = [given.name for given in call.compiled]
    listed = listings(_dry_run([*compiler, "-###", *call.arguments]), names) if wanted(call.arguments) else {}
    objects: dict[int, str] = {}
    for change in tuned:
        target = scratch / f"{change.place}.o"
        changed = replace(call, arguments=_with(call.arguments, change, scratch))
        words = changed.compiling(change.place, target)
        listing = listed.get(call.arguments[change.place])
        aside = () if listing is None else (*listing.words, "-MF", str(target.with_suffix(".d")))
        status = _run(compiler, [*words, *change.arguments, *aside], scratch)
        if status:
            return status
        objects[change.place] = str(target)
    status = _run(compiler, call.replaced(objects), scratch)
    last = {listing.file: name for name, listing in listed.items()}  # a shared file keeps the last source's
    for change in tuned:
        name = call.arguments[change.place]
        if name in listed and last[listed[name].file] == name:
            made = scratch / f"{change.place}.d"
            rename([made], _rewritten(name, change, scratch), _listed(name))
            shutil.move(made, listed[name].file)
    return status


def _compile_one(compiler: list[str], arguments: Sequence[str], tuned: Tuned, scratch: Path, *, links: bool) -> int:
    """The only source of a call. What depends on what does not depend on how its loops are written."""
    if tuned.text is None or only_lists(arguments):
        return _run(compiler, [*arguments, *tuned.arguments], scratch)
    status = _run(compiler, [*_with(arguments, tuned, scratch), *tuned.arguments], scratch)
    source = arguments[tuned.place]
    rename(written_for(arguments, Path(source), links=links), _rewritten(source, tuned, scratch), _listed(source))
    return status


def _with(arguments: Sequence[str], tuned: Tuned, scratch: Path) -> tuple[str, ...]:
    """The arguments with the tuned text in place of its source; `#line` keeps diagnostics and debuggers right."""
    if tuned.text is None:
        return tuple(arguments)
    source = arguments[tuned.place]
    rewritten = _rewritten(source, tuned, scratch)
    rewritten.parent.mkdir(parents=True, exist_ok=True)
    name = source.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    rewritten.write_bytes(f'#line 1 "{name}"\n{tuned.text}'.encode("utf-8", "surrogateescape"))
    changed = list(arguments)
    changed[tuned.place] = str(rewritten)
    return (*changed, "-iquote", str(Path(source).parent))


def _rewritten(source: str, tuned: Tuned, scratch: Path) -> Path:
    """Named like the source: the compiler names what it writes after it."""
    return scratch / str(tuned.place) / Path(source).name


def _listed(source: str) -> str:
    """As compilers write a name into make's rules: without `./` before it."""
    return re.sub(r"^(?:\./+)+", "", source)


def become(words: list[str]) -> int:
    """Hand over to the compiler altogether: its status, signals and output are its own."""
    sys.stdout.flush()
    try:
        os.execvp(words[0], words)
    except OSError as error:
        raise _missing(words[0], error) from None


def _run(compiler: list[str], words: Sequence[str], scratch: Path) -> int:
    if sum(len(word) + 1 for word in words) > LONG:
        file = scratch / "words"
        file.write_bytes(os.fsencode(joined(words)))
        words = [f"@{file}"]
    try:
        status = subprocess.run([*compiler, *words], check=False).returncode
    except OSError as error:
        raise _missing(compiler[0], error) from None
    return status if status >= 0 else 128 - status  # as a shell tells a signal


def _dry_run(words: list[str]) -> str:
    """What the compiler would call, as it says on stderr."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False, errors="surrogateescape").stderr
    except OSError as error:
        raise _missing(words[0], error) from None


def _missing(name: str, error: OSError) -> ToolError:
    return ToolError(f"cannot run the compiler {name}: {error.strerror}", hint="set TUNEPASS_CC to a C compiler")
