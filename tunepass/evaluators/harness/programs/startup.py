"""Code of an object that runs before main or after it: constructors, destructors, and what a program starts with.

Such code of a candidate could change the words that its program was started with, or how the processor rounds. Flags
may add it (`--coverage`, `-fprofile-generate`, `-fsanitize=`): the untouched source is compiled with these as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tunepass.evaluators.harness.programs.symbols import (
    ELF64_LITTLE,
    section_names_of,
    sections_of,
    symbols,
    text_at,
)
from tunepass.evaluators.toolchains.compiling import Compiling, mentions_main
from tunepass.ir.candidate import Candidate

# Sections that linkers gather for the code around main, by name; the last names the program that loads this one.
AROUND_MAIN = re.compile(r"(\.(?:(?:pre)?init_array|fini_array|ctors|dtors)(?=\.|$)|\.(?:init|fini|interp)$)")
OF_TYPE = {14: ".init_array", 15: ".fini_array", 16: ".preinit_array"}  # SHT_INIT_ARRAY and the following
# Flags of the compiler and the linker that define nothing which a source could test for.
ADDING = re.compile(r"-(?:[fOg].*|m(?!llvm).*|-coverage|coverage|p|pg|pie|no-pie|pthread|static\S*)$")


def startup_sections(path: Path) -> Counter[str]:
    """Bytes in each kind of section that runs around main. Empty for a file of another format."""
    raw, sizes = path.read_bytes(), Counter[str]()
    if not raw.startswith(ELF64_LITTLE):
        return sizes
    try:
        sections = sections_of(raw)
        names = section_names_of(raw, sections)
        for section in sections:
            named = AROUND_MAIN.match(text_at(names, int(section["name"])))
            kind = named[1] if named else OF_TYPE.get(int(section["type"]), "")
            if kind:
                sizes[kind] += int(section["size"])
    except (ValueError, IndexError):
        return Counter()
    return sizes


@dataclass(frozen=True, slots=True)
class StartupCheck:
    """Compares candidates with the untouched source: its candidate, text, sections of its object, and its program.
    `sections` None: they are not known, since it does not compile without link-time optimisation."""

    compiling: Compiling
    reference: Candidate
    text: str
    sections: Counter[str] | None
    program: Path

    @classmethod
    def prepare(
        cls, compiling: Compiling, reference: Candidate, text: str, target: Path, program: Path
    ) -> StartupCheck:
        """`target` is the object, and `program` is linked of it."""
        check = cls(compiling, reference, text, startup_sections(target), program)
        if symbols(target).readable:
            return check
        compiled = check.compile_at_once(reference, target.parent / "startup")
        return replace(check, sections=None if compiled is None else startup_sections(compiled))

    def added(self, candidate: Candidate, target: Path, program: Path, folder: Path) -> list[str]:
        """Kinds of sections of which the candidate's object has more than the untouched source has with its flags.

        An object that is compiled when it is linked shows them in the program. Libraries have some there, too, and
        those of the source are made one: where there may be more, it is compiled once more, at once.
        """
        at_once = symbols(target).readable
        sections = self.sections or Counter[str]()
        more = (
            startup_sections(target) - sections
            if at_once
            else startup_sections(program) - startup_sections(self.program)
        )
        if not more and (at_once or self.sections == Counter()):
            return []
        flags = tuple(flag for flag in candidate.flags if ADDING.match(flag))
        untouched = replace(self.reference, flags=flags, compiler=candidate.compiler)
        explained = self.compile_at_once(untouched, folder / "untouched")
        compiled = target if at_once else self.compile_at_once(candidate, folder / "at-once")
        if explained is None or compiled is None:
            return sorted(more) or ["it does not compile without -flto"]
        return sorted(startup_sections(compiled) - startup_sections(explained))

    def compile_at_once(self, candidate: Candidate, folder: Path) -> Path | None:
        """Its object, with nothing left to the link; None where it does not compile."""
        folder.mkdir(exist_ok=True)
        rename = mentions_main(self.text if candidate.text is None else candidate.text)
        watched = self.compiling.watched(candidate)
        target, _, failure = self.compiling.compile_object(watched, folder, rename_main=rename)
        return target if failure is None else None


def words_of(kinds: Sequence[str]) -> str:
    """The reason to refuse a candidate that has these."""
    return f"it has code that runs before or after main ({', '.join(kinds)}); the untouched source has less or none"
