"""The machine's instructions of CUDA objects, counted: nvdisasm prints them, where it is installed.

It is in the CUDA toolkit, and by itself in the Python package nvidia-cuda-nvdisasm (`pip install 'tunepass[cuda]'`).
An instruction counts once, however often it runs. Widths of loads and stores stay in its name, other suffixes do not:
`LDG.E.128.CONSTANT` is `LDG.128`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from tunepass.compilers.asking import ask, base_environment
from tunepass.evaluators.process.run import Limits, run_limited
from tunepass.evaluators.toolchains.toolkits import toolkits

Mix = tuple[tuple[str, int], ...]  # instructions by operation, the most frequent first

SECTION = re.compile(r"^//-+ \.text\.(\S+)\s+-+$")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
ITSELF = re.compile(r"^\.(L_x_\d+):")
BRANCH = re.compile(r"\bBRA\b.*`\(\.(L_x_\d+)\)")
WIDTHS = ("64", "128")
FILLING = ("NOP",)
LIMITS = Limits(wall_s=60.0, output_bytes=1 << 25)
KINDS = {  # by what is before an operation's first dot
    "arithmetic": ("FFMA", "FADD", "FMUL", "DFMA", "DADD", "DMUL", "HFMA2", "HADD2", "HMUL2", "HMMA", "IMMA", "DMMA"),
    "special": ("MUFU",),
    "global": ("LDG", "STG", "LD", "ST", "RED", "REDG", "ATOM", "ATOMG", "LDGSTS"),
    "shared": ("LDS", "STS", "ATOMS", "LDSM"),
    "local": ("LDL", "STL"),
    "control": ("BRA", "BAR", "EXIT", "BSSY", "BSYNC", "RET", "CALL", "WARPSYNC"),
}
REST = "integer and moves"


def find() -> str | None:
    """The path of the disassembler; None where there is none."""
    path = shutil.which("nvdisasm")
    places = (str(folder / "bin" / "nvdisasm") for folder in toolkits())
    return path or next((place for place in places if os.access(place, os.X_OK)), None)


@lru_cache(maxsize=8)
def version(path: str) -> str:
    """For identities of what is kept."""
    return ask([path, "--version"]).stdout.strip()


def mixes(cubin: Path, disassembler: str) -> dict[str, Mix]:
    """Instruction mix of each kernel in the object, by its name in it; none if the disassembler fails."""
    done = run_limited([disassembler, "-c", str(cubin)], limits=LIMITS, env=base_environment(), trust="tool")
    return parse_mixes(done.stdout) if done.ok else {}


def parse_mixes(printed: str) -> dict[str, Mix]:
    """What nvdisasm prints of each section of code. The branch to itself behind the end of a kernel, and the filling
    after it, run never and do not count."""
    counts: dict[str, Counter[str]] = {}
    section, label = "", ""
    for line in printed.splitlines():
        if header := SECTION.match(line):
            section = header[1]
        elif at := ITSELF.match(line):
            label = at[1]
        elif (instruction := INSTRUCTION.match(line)) and section:
            branch = BRANCH.search(line)
            if instruction[1] not in FILLING and not (branch and branch[1] == label):
                counts.setdefault(section, Counter())[_operation(instruction[1])] += 1
            label = ""
    return {name: tuple(count.most_common()) for name, count in counts.items()}


def _operation(name: str) -> str:
    first, *suffixes = name.split(".")
    return ".".join((first, *(suffix for suffix in suffixes if suffix in WIDTHS)))


def by_kind(mix: Iterable[tuple[str, int]]) -> Mapping[str, int]:
    """Sums of KINDS, and the rest."""
    sums = dict.fromkeys((*KINDS, REST), 0)
    for operation, count in mix:
        name = operation.partition(".")[0]
        sums[next((kind for kind, names in KINDS.items() if name in names), REST)] += count
    return sums


def described(mix: Mix) -> str:
    """In words; empty where nothing was disassembled."""
    total = sum(count for _, count in mix)
    parts = ", ".join(f"{count} {kind}" for kind, count in by_kind(mix).items() if count)
    return f"{total} instructions: {parts}" if total else ""
