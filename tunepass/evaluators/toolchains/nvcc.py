"""nvcc: CUDA in, an object of one architecture and ptxas's report of its kernels out; no GPU is needed.

`nvcc -cubin` runs gcc's preprocessor, cicc and ptxas and takes about as long as they do (0.5 s of a small kernel), most
of it for CUDA's own headers. Without an nvcc on the PATH that of the toolkit (CUDA_HOME) or of the Python package
nvidia-cuda-nvcc will do (`pip install 'tunepass[cuda]'`).
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from tunepass.compilers.asking import ask
from tunepass.diagnostics import ToolError
from tunepass.evaluators.toolchains import sass
from tunepass.evaluators.toolchains.compiling import Compiling, quoted
from tunepass.evaluators.toolchains.ptxas import CompilerReport, parse_reports, report_of, too_much
from tunepass.evaluators.toolchains.source_files import prerequisites
from tunepass.evaluators.toolchains.toolkits import toolkits
from tunepass.files import encoded
from tunepass.ir.candidate import Candidate
from tunepass.machine_faults import raise_machines
from tunepass.study.outcome import Failed, Infeasible

HINT = "pip install 'tunepass[cuda]', or install the CUDA toolkit and put its bin on the PATH"
RELEASE = re.compile(r"release [\d.]+, V([\d.]+)")
CAPABILITY = re.compile(r"(?:sm|compute)_(\d+)(\d)[af]?$")
UNROLL_OF_MACRO = re.compile(r"argument to the unroll pragma must be an integral constant")
UNROLL_HINT = "nvcc expands no macros in #pragma unroll: write `static constexpr int U = MACRO;` and `#pragma unroll U`"


@dataclass(frozen=True, slots=True)
class Nvcc:
    """`architectures` are those it compiles for, such as `sm_80`, oldest first."""

    path: str
    version: str
    architectures: tuple[str, ...]

    def architecture(self, capability: tuple[int, int]) -> str | None:
        """The architecture of devices of that compute capability, or the newest before it whose code they run; None
        where the device is older than all that this compiler knows."""
        known = [(architecture, _capability(architecture)) for architecture in self.architectures]
        runs = [name for name, (major, minor) in known if major == capability[0] and minor <= capability[1]]
        return runs[-1] if runs else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaObject:
    """Result of a compile: the cubin's bytes, its kernels' reports, the files of the user that it read, and how long
    it took."""

    code: bytes
    reports: tuple[CompilerReport, ...]
    files: tuple[Path, ...]
    seconds: float

    def report(self, function: str) -> CompilerReport | Failed:
        """Report on the function, by its name in the source."""
        function_report = report_of(function, self.reports)
        if function_report is not None:
            return function_report
        names = ", ".join(report.function for report in self.reports) or "no kernel at all"
        return Failed("compile", f"the object has not exactly one kernel {function}: it has {names}")


def find(program: str = "nvcc") -> str:
    """The path of the compiler; raises ToolError saying how to get it."""
    path = shutil.which(program)
    if path is None and program == "nvcc":
        places = (folder / "bin" / "nvcc" for folder in toolkits())
        path = next((str(place) for place in places if os.access(place, os.X_OK)), None)
    if path is None:
        raise ToolError(f"compiler not found: {program}", hint=HINT)
    return path


def identify(program: str = "nvcc") -> Nvcc:
    """Raises ToolError where there is no such compiler, or it is none of CUDA."""
    return _identify(find(program))


@lru_cache(maxsize=8)
def _identify(path: str) -> Nvcc:
    version, listed = ask([path, "--version"]), ask([path, "--list-gpu-code"])
    release = RELEASE.search(version.stdout)
    if not version.ok or release is None:
        raise ToolError(f"{path} --version does not work", hint=version.stderr.strip() or "is it nvcc?")
    names = [name for name in listed.stdout.split() if CAPABILITY.match(name)]
    return Nvcc(path, f"nvcc {release[1]}", tuple(sorted(names, key=_capability)))


def _capability(architecture: str) -> tuple[int, int]:
    number = CAPABILITY.match(architecture)
    assert number is not None
    return int(number[1]), int(number[2])


def compile_cuda(
    compiling: Compiling, candidate: Candidate, arch: str, folder: Path
) -> CudaObject | Failed | Infeasible:
    """The candidate's kernels for that architecture, in the empty `folder`. A kernel that wants more of a memory than
    the architecture has is Infeasible; whatever else stops the compiler is a failed compile."""
    source = compiling.source
    if candidate.text is not None:
        source = folder / (compiling.source.stem + ".cu")
        source.write_bytes(encoded(f'#line 1 "{quoted(str(compiling.source))}"\n{candidate.text}'))
    target, listed = folder / "candidate.cubin", folder / "files"
    words: list[str | Path] = [
        *compiling.flags,
        *candidate.compiler_words,
        *("-cubin", f"-arch={arch}", "-Xptxas", "-v"),
        *("-Xcompiler", f"-MMD,-MF,{listed}"),
        *("-I", compiling.source.parent),
        *(source, "-o", target),
    ]
    started = time.monotonic()
    done, failure = compiling.run(words)
    if failure is not None:
        limit = too_much(done.stderr)
        return _explained(failure) if limit is None else Infeasible(limit)
    reports = _with_instructions(parse_reports(done.stdout + done.stderr), target)
    seconds = time.monotonic() - started
    return CudaObject(code=target.read_bytes(), reports=reports, files=_files(listed, source), seconds=seconds)


def _with_instructions(reports: tuple[CompilerReport, ...], cubin: Path) -> tuple[CompilerReport, ...]:
    """Counted, where there is a disassembler."""
    disassembler = sass.find()
    if disassembler is None:
        return reports
    mixes = sass.mixes(cubin, disassembler)
    return tuple(replace(report, instructions=mixes.get(report.function, ())) for report in reports)


def _explained(failure: Failed) -> Failed:
    if UNROLL_OF_MACRO.search(failure.log):
        return Failed(failure.stage, f"{failure.log}\n{UNROLL_HINT}")
    return failure


def _files(listed: Path, source: Path) -> tuple[Path, ...]:
    """The headers beside the source's own text, as the preprocessor listed them, without CUDA's."""
    try:
        names = prerequisites(listed.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError as error:
        raise_machines(error)
        return ()
    toolkit = [name.removesuffix("cuda_runtime.h") for name in names if name.endswith("/cuda_runtime.h")]
    paths = (Path(os.getcwd(), name) for name in dict.fromkeys(names) if not name.startswith(tuple(toolkit)))
    return tuple(path for path in paths if path != source)


def nvcc_on(source: Path, flags: Sequence[str] = (), program: str = "nvcc") -> Compiling:
    """nvcc with the user's flags on the source."""
    return Compiling((find(program), *flags), source, "c++")
