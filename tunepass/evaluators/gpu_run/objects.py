"""CUDA: nvcc makes an object of one architecture, which the driver loads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tunepass.evaluators.gpu_run.task import GpuCandidate, Module
from tunepass.evaluators.object_cache import digest
from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.evaluators.toolchains.mangled import with_values
from tunepass.evaluators.toolchains.nvcc import CudaObject, compile_cuda
from tunepass.ir.candidate import Candidate
from tunepass.study.outcome import Failed, Infeasible


@dataclass(frozen=True, slots=True)
class CudaObjects:
    """Compiles with `compiling`, nvcc on the source, for the architecture `arch` (`sm_80`)."""

    compiling: Compiling
    arch: str

    def __call__(self, candidate: GpuCandidate, folder: Path) -> Module | Failed | Infeasible:
        compiled = compile_cuda(
            self.compiling, Candidate(text=candidate.text, flags=candidate.words), self.arch, folder
        )
        if not isinstance(compiled, CudaObject):
            return compiled
        report = compiled.report(with_values(candidate.call.function, candidate.words))
        if isinstance(report, Failed):
            return report
        file = folder / "kernel.cubin"
        file.write_bytes(compiled.code)
        return Module(file, report.function, code=digest(compiled.code))
