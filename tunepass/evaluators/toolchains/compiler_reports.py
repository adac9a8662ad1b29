"""Compiler reports by content: the same text, words and compiler give the same report, also in later sessions.

Kept in the user's cache folder, a small file a compile, with digests of the headers that it read: one that changed
makes the file worthless. A new header that would hide another is not noticed.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.evaluators.object_cache import digest
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.toolchains import sass
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.evaluators.toolchains.digests import content_digest
from tunepass.evaluators.toolchains.mangled import with_values
from tunepass.evaluators.toolchains.nvcc import CudaObject, compile_cuda, identify
from tunepass.evaluators.toolchains.ptxas import CompilerReport, report_of
from tunepass.files import encoded, read_utf8, write_bytes
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed, Infeasible

FOLDER = "nvcc-reports-1"  # the folder, in the user's cache folder
LARGEST = 1 << 20  # characters of a file that is believed
AMOUNTS = ("registers", "spill_store_byte", "spill_load_byte", "stack_byte", "shared_byte", "constant_byte", "barriers")


@dataclass(frozen=True, slots=True)
class Compiled:
    """Report of one candidate's compile on the kernel, its seconds, and whether it was known before."""

    outcome: CompilerReport | Failed | Infeasible
    seconds: float
    known: bool = False


@dataclass(slots=True)
class CompilerReports:
    """The reports of one kernel's candidates for one architecture. Safe to ask from several threads. `function` is as
    the source calls it, with a template's arguments."""

    compiling: Compiling
    function: str
    arch: str
    folder: Path | None = None  # where reports are kept; None: nowhere
    workspace: Workspace = field(default_factory=Workspace)

    def report(self, candidate: Candidate) -> Compiled:
        """Looked up, else compiled."""
        started = time.monotonic()
        if (known := self.known(candidate)) is not None:
            return Compiled(known, time.monotonic() - started, known=True)
        place, function = self._place(candidate), with_values(self.function, candidate.defines)
        with self.workspace.scratch() as folder:
            compiled = compile_cuda(self.compiling, candidate, self.arch, folder)
        if isinstance(compiled, CudaObject):
            if place is not None:
                _keep(place, compiled)
            return Compiled(compiled.report(function), time.monotonic() - started)
        return Compiled(compiled, time.monotonic() - started)

    def known(self, candidate: Candidate) -> CompilerReport | None:
        """Report of an earlier compile of the same candidate; nothing is started."""
        place = self._place(candidate)
        reports = None if place is None else _cached(place)
        return None if reports is None else report_of(with_values(self.function, candidate.defines), reports)

    def close(self) -> None:
        self.workspace.close()

    def _place(self, candidate: Candidate) -> Path | None:
        if self.folder is None:
            return None
        source = self.compiling.source
        text = source.read_bytes() if candidate.text is None else candidate.text
        words = (*self.compiling.flags, *candidate.compiler_words)
        compiler = identify(self.compiling.command[0])
        counts = () if (disassembler := sass.find()) is None else (sass.version(disassembler),)
        key = digest(compiler.path, compiler.version, *counts, self.arch, os.fspath(source.absolute()), text, *words)
        return self.folder / key[:2] / key  # few files a folder


def _cached(path: Path) -> tuple[CompilerReport, ...] | None:
    """None where there is no such file, or it is not what _keep wrote, or a header is another now."""
    try:
        stored = json.loads(read_utf8(path, LARGEST))
        if any(content_digest(name) != value for name, value in stored["files"]):
            return None
        return tuple(_report(fields) for fields in stored["reports"])
    except (TunepassError, OSError, ValueError, TypeError, KeyError):
        return None


def _report(fields: dict[str, object]) -> CompilerReport:
    amounts = {name: fields[name] for name in AMOUNTS}
    function, instructions = fields["function"], fields["instructions"]
    if not isinstance(function, str) or not isinstance(instructions, list):
        raise ValueError("not a report")
    if not all(type(amount) is int and amount >= 0 for amount in amounts.values()):
        raise ValueError("an amount is a whole number")
    mix = tuple((str(name), int(count)) for name, count in instructions)
    return CompilerReport(function=function, instructions=mix, **{name: int(str(n)) for name, n in amounts.items()})


def _keep(path: Path, compiled: CudaObject) -> None:
    """Store the reports; nothing is stored in a folder that cannot be written."""
    files: Sequence[tuple[str, str]] = [(os.fspath(file), content_digest(file)) for file in compiled.files]
    stored = {"files": files, "reports": [asdict(report) for report in compiled.reports]}
    with contextlib.suppress(OSError, TunepassError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_bytes(path, encoded(json.dumps(stored) + "\n"), durable=False)
