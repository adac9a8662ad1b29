"""Compiling a generated harness: alone where it can be, else with the source included, whose types it needs.

System headers declare names that the source may define otherwise. Where both do, the kernel has an alias in the
harness, and the source's other names are replaced while it is included (frontends/c/harness/isolation.py). Macros of
these headers that the source uses as names are undefined meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tunepass.compilers.languages import USUAL_SUFFIX
from tunepass.compilers.options import PREPROCESSING, is_named, kept
from tunepass.diagnostics import ToolError
from tunepass.evaluators.harness.harness import BuiltHarness
from tunepass.evaluators.harness.programs.header_macros import macros_as_names
from tunepass.evaluators.harness.programs.symbols import symbols
from tunepass.evaluators.toolchains.compiling import WRAPPED, Compiling
from tunepass.files import encoded
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed

OLD = re.compile(
    r"-ansi$|-std=(?:c|gnu|iso9899:)(?:89|9\d|19\d\d|1x|11|2011)$"
)  # older than what the harness is written in
STANDARD = {"c": "-std=gnu11", "c++": "-std=gnu++17"}
PREFIX = "tunepass_included_"
RENAMES = "renames.h"
KERNEL, NAMING = "tunepass_kernel", "tunepass_kernel_is_"  # symbols of a harness that leaves the kernel its name
# What gcc and clang say of a name that is declared twice; g++ quotes the whole declaration.
TWICE = re.compile(
    r"(?:conflicting (?:types|declaration|type qualifiers)(?: for| of)?|redefinition of|declaration of|redeclaration of"
    r"|ambiguates old declaration|error:) (?:enumerator )?['‘]([^'’\n]+)['’](?= |;|$|\n| follows| redeclared)",
    re.MULTILINE,
)
NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\(.*|\[.*)?$")


def build_harness(compiling: Compiling, harness: str, reference: Candidate, text: str, folder: Path) -> BuiltHarness:
    """Without the candidate's flags, and at -O1, which takes half of -O2's time."""
    path = folder / f"harness{USUAL_SUFFIX[compiling.language]}"
    path.write_bytes(encoded(harness))
    target = folder / "harness.o"
    link_words = ["-lm", *(f"-Wl,--wrap={name}" for name in WRAPPED)]
    alone: list[str | Path] = ["-O1", "-w", *compiling.sections, "-DTP_WRAP_MALLOC", "-c", path, "-o", target]
    _, failure = compiling.run_patiently([*alone, STANDARD[compiling.language]])
    if failure is not None:
        _, failure = compiling.run_patiently([*_including(compiling, reference, folder), *alone])
        if failure is not None and not _compile_apart(compiling, reference, alone, failure, folder):
            linkage_name = _compile_unrenamed(compiling, reference, alone, target, folder)
            if not linkage_name:
                raise ToolError(f"the harness for {compiling.source} does not compile", hint=failure.log)
            link_words.append(f"-Wl,--defsym={KERNEL}={linkage_name}")
        link_words.append("-Wl,--allow-multiple-definition")  # the candidate's object comes first, so it wins
    further = compiling.compile_further(folder)
    before = _compile_boundary(compiling, folder)
    return BuiltHarness(compiling, (target, *further), tuple(link_words), folder, text, symbols(target).needed, before)


def _compile_boundary(compiling: Compiling, folder: Path) -> tuple[Path, ...]:
    """An object behind which the next one's code begins at a multiple of 64 bytes: where in its lines of the cache a
    loop lies can change its time by a third and more, and would depend on the length of the harness. Empty where the
    compiler does not know these words of GNU's assembler."""
    path, target = folder / f"boundary{USUAL_SUFFIX[compiling.language]}", folder / "boundary.o"
    path.write_text('__asm__(".text\\n\\t.p2align 6");\n')
    _, failure = compiling.run_patiently(["-w", "-c", path, "-o", target])
    return () if failure else (target,)


def _including(compiling: Compiling, reference: Candidate, folder: Path) -> list[str]:
    """The words for a harness that includes the source, which may be in a newer language."""
    source, include_words = compiling.place_of(compiling.source), list[str]()
    if '"' in source:  # no `#include` can name it
        link = folder / f"included{compiling.source.suffix}"
        link.unlink(missing_ok=True)
        link.symlink_to(source)
        source, include_words = str(link), ["-iquote", str(Path(source).parent)]
    return [f'-DTP_INCLUDE_SOURCE="{source}"', *include_words, *_words(compiling, reference)]


def _words(compiling: Compiling, reference: Candidate) -> list[str]:
    """The words that decide how the source is read. In C++ types may be private."""
    includes = kept(compiling.flags, lambda word, value: is_named(word, value, PREPROCESSING))
    access = ["-fno-access-control"] if compiling.language == "c++" else []
    return [*includes, *reference.defines, *_standard(compiling), *access]


def _standard(compiling: Compiling) -> list[str]:
    stated = [word for word in compiling.flags if word.startswith(("-std=", "-ansi"))]
    if compiling.language == "c++":
        return [STANDARD["c++"], *stated]
    return [STANDARD["c"]] if any(OLD.match(word) for word in stated) else stated


def _compile_apart(
    compiling: Compiling, reference: Candidate, alone: list[str | Path], failure: Failed, folder: Path
) -> bool:
    """Once more, with names that were declared twice kept apart, and without macros that the source has as names."""
    aliased = ["-DTP_ALIASED"] if compiling.language == "c" else []
    if aliased and compiling.run_patiently([*alone, STANDARD["c"], *aliased])[1] is None:
        return True
    names = dict.fromkeys(_declared_twice(failure.log))
    renames = folder / RENAMES
    harness = folder / f"harness{USUAL_SUFFIX[compiling.language]}"
    macros = macros_as_names(compiling, _words(compiling, reference), harness, folder)
    undefined = "".join(f"#undef {name}\n" for name in macros)
    for _ in range(3):  # a compiler may stop before it has named all
        renames.write_text(undefined + "".join(f"#define {name} {PREFIX}{name}\n" for name in names))
        including = [*_including(compiling, reference, folder), f'-DTP_RENAMES="{renames}"', *aliased]
        _, again = compiling.run_patiently([*including, *alone])
        if again is None:
            return True
        further = [name for name in _declared_twice(again.log) if name not in names]
        if not further:
            return False
        names |= dict.fromkeys(further)
    return False


def _compile_unrenamed(
    compiling: Compiling, reference: Candidate, alone: list[str | Path], target: Path, folder: Path
) -> str:
    """At last with the kernel's own name, which headers use too: the linkage name of the kernel; empty if it fails."""
    renames = folder / RENAMES
    lines = renames.read_text().splitlines(keepends=True)
    renames.write_text("".join(line for line in lines if line.startswith("#undef")))
    words = [*_including(compiling, reference, folder), "-DTP_OWN_NAME", f'-DTP_RENAMES="{renames}"']
    if compiling.run_patiently([*words, *alone])[1] is not None:
        return ""
    defined = symbols(target).defined
    names = [name.removeprefix(NAMING) for name in defined if name.startswith(NAMING)]
    mangled = tuple(f"_Z{len(name)}{name}" for name in names)
    linked = [name for name in defined if name in names or name.startswith(mangled)]
    return linked[0] if len(linked) == 1 else ""


def _declared_twice(log: str) -> Iterator[str]:
    for quoted in TWICE.findall(log):
        name = NAME.search(quoted)
        if name is not None and not name[1].startswith(PREFIX):
            yield name[1]
