"""The compiler's calls in which some sources have macros, flags or text of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tunepass.launcher import link_marks, sealed
from tunepass.launcher.calling import missing
from tunepass.launcher.compiler_call import STDIN, CompilerCall
from tunepass.launcher.dependency_files import listings, named_beside, names_beside, only_lists, wanted
from tunepass.launcher.prepared import Prepared
from tunepass.launcher.rewritten import edit, for_make, listed, text_for


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a source is compiled with: further arguments, its text where that had to be rewritten, and the compiler
    where that is chosen too."""

    place: int
    arguments: tuple[str, ...]
    text: str | None = None
    compiler: str = ""


def prepare(
    arguments: Sequence[str],
    tuned: Tuned,
    added: Sequence[str],
    scratch: str,
    told: Sequence[str] = (),
    outcomes: Sequence[str] = (),
) -> Prepared:
    """The call with its one source as it was tuned. What depends on what does not depend on how loops are written."""
    source, text = arguments[tuned.place], None if only_lists(arguments) else tuned.text
    path = "" if text is None else _file_of(text_for(source, text), _file_name(source), scratch)
    return Prepared(tuned.place, [*tuned.arguments, *added], path, told, outcomes, compiler=tuned.compiler)


def _file_name(source: str) -> str:
    """File name of a source; for stdin one from which compilers derive theirs: -.o, -.d."""
    return "-.c" if source == STDIN else os.path.basename(source)


def _file_of(text: bytes, name: str, scratch: str) -> str:
    """Named like the source, as is what the compiler writes; in the cache folder, else in the scratch one."""
    sealed_path = sealed.keep_text(text, name)
    if sealed_path is not None:
        return sealed_path
    path = os.path.join(scratch, sealed.digest([text]).hex(), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text)
    return path


def compile_tuned(
    compiler: list[str], call: CompilerCall, tuned: Sequence[Tuned], added: Sequence[str], scratch: str
) -> int:
    """Several sources. Before linking: a call for each. Linked: the tuned ones become objects first, so that a macro of
    one does not reach the others."""
    if call.links:
        return _compile_and_link(compiler, call, tuned, added, scratch)
    change_of = {change.place: change for change in tuned}
    statuses = []
    for given in call.compiled:
        words = call.only(given.place)
        change = change_of.get(given.place, Tuned(given.place, ()))
        prepared = prepare(words, replace(change, place=_last(words, given.name)), added, scratch)
        statuses.append(prepared.run(compiler, words, scratch))
    return max(statuses)


def _compile_and_link(
    compiler: list[str], call: CompilerCall, tuned: Sequence[Tuned], added: Sequence[str], scratch: str
) -> int:
    names = [given.name for given in call.compiled]
    lists = wanted(call.arguments)
    dry_run = _dry_run([*compiler, "-###", *call.arguments]) if lists or named_beside(call.arguments) else ""
    listed_for = listings(dry_run, names) if lists else {}
    objects: dict[int, str] = {}
    rules: dict[int, tuple[str, str]] = {}
    for change in tuned:
        name, target = call.arguments[change.place], os.path.join(scratch, f"{change.place}.o")
        listing, rule = listed_for.get(name), os.path.join(scratch, f"{change.place}.d")
        words = [*call.compiling(change.place, target), *names_beside(dry_run, name)]
        words += [] if listing is None else [*listing.words, "-MF", rule]
        prepared = prepare(words, replace(change, place=_last(words, name)), added, scratch)
        status = prepared.run(compiler, words, scratch)
        if status:
            return status
        objects[change.place], rules[change.place] = target, (rule, prepared.text)
    runtime = link_marks.needed([*call.arguments, *added], objects.values())
    status = Prepared(0, [*added, *runtime]).run(compiler, call.replaced(objects), scratch)
    last = {listing.file: name for name, listing in listed_for.items()}  # a shared file keeps the last source's
    for change in tuned:
        name = call.arguments[change.place]
        if name in listed_for and last[listed_for[name].file] == name:
            rule, text = rules[change.place]
            edit([rule] if text else [], for_make(text), for_make(listed(name)))
            shutil.move(rule, listed_for[name].file)
    return status


def _last(words: Sequence[str], name: str) -> int:
    return max(i for i, word in enumerate(words) if word == name)


def _dry_run(words: list[str]) -> str:
    """The calls of a dry run, which the compiler prints on stderr."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False, errors="surrogateescape").stderr
    except OSError as error:
        raise missing(words[0], error) from None
