"""Reports of ptxas on each kernel that it assembles (`-Xptxas -v`): registers, spills, stack, memories.

Which fields a line has depends on the architecture and on the kernel; one that is missing counts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tunepass.evaluators.toolchains.mangled import name_of, plain_name

ENTRY = re.compile(r"Compiling entry function '([^']+)' for '([^']+)'")
PROPERTIES = re.compile(r"Function properties for (\S+)")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(.*)")
AMOUNT = re.compile(r"(?:used )?(\d+)(?:\+\d+)?(?: bytes)? (barriers|cumulative stack size|smem|lmem|cmem)")
TOO_MUCH = re.compile(r"Entry function '([^']+)' uses too much (\w+) data \(0x([0-9a-f]+) bytes, 0x([0-9a-f]+) max\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerReport:
    """Report on one kernel, by its name in the object (mangled, where it is). Bytes of spills and stack are of a
    thread, those of shared memory of a block, without what is asked for at the launch. Spills of functions that are
    called count in. `instructions` are those of the object by operation (`FFMA`, `LDS.128`), if a disassembler ran."""

    function: str
    registers: int
    spill_store_byte: int = 0
    spill_load_byte: int = 0
    stack_byte: int = 0
    shared_byte: int = 0
    constant_byte: int = 0
    barriers: int = 0
    instructions: tuple[tuple[str, int], ...] = field(default=(), repr=False)

    @property
    def spill_byte(self) -> int:
        return self.spill_store_byte + self.spill_load_byte


def parse_reports(printed: str) -> tuple[CompilerReport, ...]:
    """The reports in the order in which ptxas printed them."""
    reports: list[CompilerReport] = []
    pending: CompilerReport | None = None  # its registers come after its frame
    for line in printed.splitlines():
        if entry := ENTRY.search(line):
            pending = CompilerReport(function=entry[1], registers=0)
        elif frame := FRAME.search(line):
            stack, stores, loads = (int(amount) for amount in frame.groups())
            if pending is not None:
                pending = _with_frame(pending, stack, stores, loads)
            elif reports:  # of a function that is called, after the kernels that call it
                reports[-1] = _with_frame(reports[-1], 0, stores, loads)
        elif (used := USED.search(line)) and pending is not None:
            reports.append(_with_amounts(replace(pending, registers=int(used[1])), used[2]))
            pending = None
    return tuple(reports)


def _with_frame(report: CompilerReport, stack: int, stores: int, loads: int) -> CompilerReport:
    return replace(
        report,
        stack_byte=report.stack_byte + stack,
        spill_store_byte=report.spill_store_byte + stores,
        spill_load_byte=report.spill_load_byte + loads,
    )


def _with_amounts(report: CompilerReport, amounts: str) -> CompilerReport:
    by_name = {"barriers": 0, "cumulative stack size": report.stack_byte, "smem": 0, "lmem": 0, "cmem": 0}
    for amount, name in AMOUNT.findall(amounts):
        by_name[name] = int(amount) + (by_name[name] if name == "cmem" else 0)  # constant memory has banks
    return replace(
        report,
        barriers=by_name["barriers"],
        stack_byte=by_name["cumulative stack size"],
        shared_byte=by_name["smem"],
        constant_byte=by_name["cmem"],
    )


def too_much(printed: str) -> str | None:
    """The device's limit that a kernel exceeds, in words, where that is why ptxas refused it."""
    refusal = TOO_MUCH.search(printed)
    if refusal is None:
        return None
    function, memory, requested, most = refusal.groups()
    return f"{memory} memory of {plain_name(function)}: {int(requested, 16)} bytes <= {int(most, 16)}"


def report_of(function: str, reports: Iterable[CompilerReport]) -> CompilerReport | None:
    """The report of the function as the source calls it, with a template's arguments: see mangled.name_of."""
    known = {report.function: report for report in reports}
    name = name_of(function, known)
    return None if name is None else known[name]
