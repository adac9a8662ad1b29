"""Tools that synthesise C for FPGAs: what each is called with, and where it leaves its report. No shell is involved.

vitis_hls, vivado_hls   `-f run.tcl`: a script of our own, the user's words in it as Tcl takes them literally
vitis-run               `--mode hls --tcl run.tcl`, the same script
v++                     `-c --mode hls --config hls.cfg`
merlincc                `-c`, then `--report=estimate`
aoc                     `-rtl`: estimates; without it, where the user says `-full`, the whole way to the board
"""

from __future__ import annotations

import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from tunepass.compilers.asking import ask
from tunepass.compilers.languages import CXX, OPENCL, USUAL_SUFFIX, C, language_of
from tunepass.diagnostics import ToolError
from tunepass.evaluators.toolchains.synthesis.intel_report import parse_loops, parse_quartus, parse_summary
from tunepass.evaluators.toolchains.synthesis.merlin_report import parse_merlin
from tunepass.evaluators.toolchains.synthesis.report import ReportError, SynthesisReport
from tunepass.evaluators.toolchains.synthesis.vitis_report import parse_csynth
from tunepass.files import read_utf8

LARGEST = 64 << 20  # bytes of a report that is read
USUAL_CLOCK_NS = 4.0
SOURCE = "candidate"
DIGITS = re.compile(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Design to synthesise: a function of the text for a part, at a clock. `folder` is where the user's headers are."""

    text: str
    suffix: str
    function: str
    part: str
    clock_ns: float
    folder: Path
    words: tuple[str, ...] = ()  # the user's, which this tool does not read itself


class Tool(ABC):
    """One program. `path` is where it is."""

    names: ClassVar[tuple[str, ...]]
    suffixes: ClassVar[tuple[str, ...]] = (*C, *CXX)
    version_words: ClassVar[tuple[str, ...]] = ("--version",)

    def __init__(self, path: str):
        self.path = path

    @abstractmethod
    def commands(self, design: Design, folder: Path) -> Iterator[list[str]]:
        """The commands to run in the empty folder, one after the other; what they need is written there."""

    @abstractmethod
    def report(self, design: Design, folder: Path) -> SynthesisReport:
        """Report that the tool left in the folder. Raises ReportError."""

    @property
    def version(self) -> str:
        return _version(self.path, self.version_words)

    def write_source(self, design: Design, folder: Path) -> str:
        name = SOURCE + USUAL_SUFFIX.get(language_of(SOURCE + design.suffix), design.suffix)
        (folder / name).write_text(design.text, encoding="utf-8", errors="surrogateescape")
        return name


class VitisHls(Tool):
    names = ("vitis_hls", "vivado_hls", "vitis-run")
    version_words = ("-version",)

    def commands(self, design: Design, folder: Path) -> Iterator[list[str]]:
        source = self.write_source(design, folder)
        name = Path(self.path).name
        (folder / "run.tcl").write_text(script(design, source, vivado=name.startswith("vivado")), encoding="utf-8")
        yield [self.path, *(("--mode", "hls", "--tcl") if name.startswith("vitis-run") else ("-f",)), "run.tcl"]

    def report(self, design: Design, folder: Path) -> SynthesisReport:
        return parse_csynth(_read(_csynth(design.function, folder)))


class VitisCompiler(Tool):
    names = ("v++",)

    def commands(self, design: Design, folder: Path) -> Iterator[list[str]]:
        source = self.write_source(design, folder)
        lines = [
            *([f"part={design.part}"] if design.part else ()),
            "[hls]",
            "flow_target=vitis",
            f"syn.file={source}",
            f"syn.top={design.function}",
            f"syn.cflags=-I{design.folder}",
            f"clock={design.clock_ns:g}ns",
        ]
        if any("\n" in line for line in lines):
            raise ToolError("a name with a line's end in it cannot be given to v++")
        (folder / "hls.cfg").write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield [self.path, "-c", "--mode", "hls", "--config", "hls.cfg", "--work_dir", "work", *design.words]

    def report(self, design: Design, folder: Path) -> SynthesisReport:
        return parse_csynth(_read(_csynth(design.function, folder)))


class Merlin(Tool):
    names = ("merlincc",)

    def commands(self, design: Design, folder: Path) -> Iterator[list[str]]:
        source = self.write_source(design, folder)
        yield [self.path, "-c", source, "-o", "candidate", f"-I{design.folder}", *design.words]
        yield [self.path, "candidate.mco", "--report=estimate", *design.words]

    def report(self, design: Design, folder: Path) -> SynthesisReport:
        return parse_merlin(_read(_first(folder, "merlin.rpt")), design.function)


class IntelOpenCl(Tool):
    names = ("aoc",)
    suffixes = OPENCL
    version_words = ("-version",)

    def commands(self, design: Design, folder: Path) -> Iterator[list[str]]:
        source = self.write_source(design, folder)
        words = [word for word in design.words if word != "-full"]
        stage = () if "-full" in design.words else ("-rtl",)
        yield [self.path, *stage, "-report", source, f"-I={design.folder}", *words]

    def report(self, design: Design, folder: Path) -> SynthesisReport:
        fitted = next(iter(sorted(folder.rglob("acl_quartus_report.txt"))), None)
        expected = next((path for name in ("summary.json", "report_data.js") for path in folder.rglob(name)), None)
        if fitted is None and expected is None:
            raise ReportError("aoc left neither acl_quartus_report.txt nor reports/lib/json/summary.json")
        estimate = SynthesisReport(tool="") if expected is None else self._estimate(expected)
        return estimate if fitted is None else parse_quartus(_read(fitted)).completed(estimate)

    def _estimate(self, path: Path) -> SynthesisReport:
        report, text = parse_summary(_read(path)), ""
        loops = path.with_name("loops.json") if path.suffix == ".json" else path
        if loops.exists():
            text = _read(loops)
        return SynthesisReport(
            tool=report.tool, used=report.used, available=report.available, loops=parse_loops(text) if text else ()
        )


TOOLS: tuple[type[Tool], ...] = (VitisHls, VitisCompiler, Merlin, IntelOpenCl)


def tool_class(program: str) -> type[Tool] | None:
    """By the program's own name, a version at its end left out; None for what is no such tool."""
    name = Path(program).name
    return next(
        (tool for tool in TOOLS if any(name == known or name.startswith(f"{known}-") for known in tool.names)), None
    )


def find(program: str) -> Tool:
    """ToolError where it is not there, or is no tool of these."""
    kind = tool_class(program)
    known = ", ".join(name for tool in TOOLS for name in tool.names)
    if kind is None:
        raise ToolError(f"{program} is no synthesis tool", hint=f"there are {known}")
    path = shutil.which(program)
    if path is None:
        raise ToolError(f"synthesis tool not found: {program}", hint="put it on the PATH, as its settings64.sh does")
    return kind(path)


@lru_cache(maxsize=8)
def _version(path: str, words: Sequence[str]) -> str:
    """`vitis_hls 2024.2`; the name alone where the tool says no number."""
    printed = ask([path, *words])
    match = DIGITS.search(printed.stdout + printed.stderr)
    return f"{Path(path).name} {match[0]}" if match else Path(path).name


def script(design: Design, source: str, *, vivado: bool = False) -> str:
    """The Tcl that Vitis HLS runs. Tcl sees no character of ours but as itself."""
    flags = tcl(" ".join([f"-I{design.folder}", *design.words]))
    target = "" if vivado else " -flow_target vitis"
    lines = [
        "open_project -reset project",
        f"set_top {tcl(design.function)}",
        f"add_files {tcl(source)} -cflags {flags}",
        f"open_solution -reset solution{target}",
        f"set_part {tcl(design.part)}",
        f"create_clock -period {design.clock_ns:g} -name default",
        "csynth_design",
        "exit",
    ]
    return "\n".join(lines) + "\n"


def tcl(word: str) -> str:
    """One word of Tcl that means these characters and nothing else."""
    if "\n" in word or "\0" in word or not word:
        raise ToolError(f"{word!r} cannot be given to a tool's script")
    return re.sub(r"([^\w./:=+,@%-])", r"\\\1", word, flags=re.ASCII)


def _csynth(function: str, folder: Path) -> Path:
    """The function's own report, else the whole design's."""
    try:
        return _first(folder, f"{function}_csynth.xml")
    except ReportError:
        return _first(folder, "csynth.xml")


def _first(folder: Path, name: str) -> Path:
    paths = sorted(folder.rglob(name), key=lambda path: (len(path.parts), path))
    if not paths:
        raise ReportError(f"the tool left no {name}")
    return paths[0]


def _read(path: Path) -> str:
    return read_utf8(path, LARGEST)
