"""Reports of synthesis by content: the same text, headers, words and tool give the same report, also in later sessions.

A synthesis takes minutes, so its reports are kept in the user's cache folder, a small file each. What failed is not.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tunepass.diagnostics import TunepassError
from tunepass.evaluators.object_cache import digest
from tunepass.evaluators.process.failures import compile_failure
from tunepass.evaluators.process.run import Limits, run_limited, tail
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.toolchains.synthesis.report import ReportedLoop, SynthesisReport
from tunepass.evaluators.toolchains.synthesis.tools import Design, Tool
from tunepass.files import encoded, read_utf8, write_bytes
from tunepass.study.outcome import Failed

FOLDER = "synthesis-reports-1"  # the folder, in the user's cache folder
LARGEST = 1 << 22  # characters of a kept file that is believed
USUAL_WALL_S = 3600.0
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Synthesised:
    """Result of one synthesis, its seconds, and whether it was known before."""

    outcome: SynthesisReport | Failed
    seconds: float
    known: bool = False


@dataclass(slots=True)
class SynthesisReports:
    """The reports of one kernel's candidates. `design` says all but the text. Safe to ask from several threads."""

    tool: Tool
    design: Design
    wall_s: float = USUAL_WALL_S
    folder: Path | None = None  # where reports are kept; None: nowhere
    workspace: Workspace = field(default_factory=Workspace)

    def report(self, text: str) -> Synthesised:
        """Looked up, else synthesised."""
        started = time.monotonic()
        known = self.known(text)
        if known is not None:
            return Synthesised(known, time.monotonic() - started, known=True)
        with self.workspace.scratch() as folder:
            outcome = self._synthesise(replace(self.design, text=text), folder)
        place = self._place(text)
        if place is not None and isinstance(outcome, SynthesisReport):
            _keep(place, outcome)
        return Synthesised(outcome, time.monotonic() - started)

    def known(self, text: str) -> SynthesisReport | None:
        """Report of an earlier synthesis of the same text; nothing is started."""
        place = self._place(text)
        return None if place is None else _cached(place)

    def close(self) -> None:
        self.workspace.close()

    def _synthesise(self, design: Design, folder: Path) -> SynthesisReport | Failed:
        limits = Limits(
            wall_s=self.wall_s,
            memory_bytes=None,  # such tools take what they take
            output_bytes=64 << 20,
            file_bytes=None,
            processes=1024,
            limit_reservations=False,
        )
        log, name = "", Path(self.tool.path).name
        for words in self.tool.commands(design, folder):
            done = run_limited(words, limits=limits, cwd=folder, trust="tool", scratch=folder)
            log = done.log
            if done.ended == "timeout":
                return Failed("timeout", f"{name} did not end within {self.wall_s:g} s\n{log}")
            if failure := compile_failure(done, limits):
                return failure
        try:
            return self.tool.report(design, folder)
        except TunepassError as error:
            return Failed("compile", tail(f"{log}\n{error}".strip()))

    def _place(self, text: str) -> Path | None:
        if self.folder is None:
            return None
        design = self.design
        parts = [self.tool.version, design.suffix, design.function, design.part, repr(design.clock_ns), text]
        parts += [word for path in headers(text, design.folder) for word in path]
        key = digest(*parts, *design.words)
        return self.folder / key[:2] / key


def headers(text: str, folder: Path) -> Iterator[tuple[str, str]]:
    """The user's headers that the text names in quotes, with their contents, and those that they name."""
    waiting, seen = [(folder, name) for name in INCLUDE.findall(text)], set[Path]()
    while waiting:
        including_folder, name = waiting.pop(0)
        path = including_folder / name
        if path in seen:
            continue
        seen.add(path)
        try:
            contents = read_utf8(path, LARGEST)
        except (TunepassError, OSError):
            continue
        yield os.fspath(path), contents
        waiting += [(path.parent, further) for further in INCLUDE.findall(contents)]


def _cached(path: Path) -> SynthesisReport | None:
    """None where there is no such file, or it is not what _keep wrote."""
    try:
        stored = json.loads(read_utf8(path, LARGEST))
        loops = tuple(ReportedLoop(**loop) for loop in stored.pop("loops"))
        report = SynthesisReport(**stored, loops=loops)
        amounts = [*report.used.values(), *report.available.values(), report.cycles or 0, report.clock_hz or 0]
        return report if all(type(n) in (int, float) and n >= 0 for n in amounts) else None
    except (TunepassError, OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _keep(path: Path, report: SynthesisReport) -> None:
    """Store the report; nothing is stored in a folder that cannot be written."""
    with contextlib.suppress(OSError, TunepassError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_bytes(path, encoded(json.dumps(asdict(report)) + "\n"), durable=False)
