"""The source of an attack: an annotated kernel whose parameter ATTACK is 0 for the honest one and 1 for the attack.

Its first lines say what is expected, each a comment: the stages one of which ATTACK=1 has to end with (`measured`: it
need not fail as long as it neither wins nor harms), and if need be the compiler and further options of the build:

    /* expect: crash, run */
    /* compiler: gcc -O2 -fopenmp */
    /* options: --sanitize */

The macro ATTACK_RUN is a number that no other run has, for names and keys. `#include "NAME"` of a file beside it is
replaced by that file's text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HEADER = re.compile(r"/\* *(expect|compiler|options): *(.*?) *\*/")
INCLUDE = re.compile(r'#include "([^"]+)"\n')
OPTIONS = ("--strategy", "exhaustive", "--budget", "90s", "--seed", "1")
# A further honest trial: where flags differ, a trial is made although the object code is the same.
AFTER = """\
#pragma tunepass param AFTER: categorical("-DAFTER=0", "-DAFTER=1") = "-DAFTER=0" flag
#pragma tunepass constraint AFTER == "-DAFTER=0" or ATTACK == 0
"""


@dataclass(frozen=True, slots=True)
class Attack:
    """`text` is the source with a parameter AFTER, whose second value is tried after ATTACK=1."""

    expect: frozenset[str]
    compiler: tuple[str, ...]
    options: tuple[str, ...]
    text: str

    @classmethod
    def read(cls, path: Path) -> Attack:
        text = INCLUDE.sub(lambda match: _beside(path, match), path.read_text())
        lines = text.splitlines(keepends=True)
        head = [line for line in lines[:4] if HEADER.match(line)]
        words = {match[1]: match[2] for line in head if (match := HEADER.match(line))}
        if "expect" not in words:
            raise ValueError(f"{path}: the first line must be /* expect: STAGE[, STAGE...] */")
        compiler = words.get("compiler") or ("g++ -O2" if path.suffix == ".cpp" else "gcc -O2")
        return cls(
            expect=frozenset(re.split(r"[, ]+", words["expect"])),
            compiler=tuple(compiler.split()),
            options=(*OPTIONS, *words.get("options", "").split()),
            text="".join([*head, AFTER, *lines[len(head) :]]),
        )


def _beside(path: Path, include: re.Match[str]) -> str:
    file = path.parent / include[1]
    return file.read_text() if file.exists() else include[0]
