"""CUDA sources as objects that the driver loads, where nvcc is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import ToolError
from tunepass.evaluators.gpu_run.objects import CudaObjects
from tunepass.evaluators.gpu_run.task import GpuCandidate, Module
from tunepass.evaluators.toolchains import nvcc
from tunepass.ir.gpu_call import GpuCall
from tunepass.study.outcome import Failed, Infeasible

try:
    nvcc.identify()
except ToolError:
    pytest.skip("CUDA sources are compiled with nvcc", allow_module_level=True)

SCALE = """
__global__ void scale(int n, const float *x, float *y) {
    __shared__ float s[WORDS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = x[i];
    __syncthreads();
    if (i < n) y[i] = 2 * s[threadIdx.x ^ 1];
}
"""


def compiled(folder: Path, words: str, function: str = "scale") -> Module | Failed | Infeasible:
    source = folder / "scale.cu"
    source.write_text(SCALE)
    (folder / words).mkdir()
    call = GpuCall(function=function, grid=(1, 1, 1), block=(64, 1, 1))
    candidate = GpuCandidate(call=call, words=(f"-DWORDS={words}",))
    return CudaObjects(nvcc.nvcc_on(source), "sm_80")(candidate, folder / words)


def test_an_object_is_identified_by_its_content_and_knows_the_functions_name_in_it(tmp_path: Path) -> None:
    module = compiled(tmp_path, "64")
    assert isinstance(module, Module)
    assert module.file.read_bytes().startswith(b"\x7fELF") and module.function == "_Z5scaleiPKfPf" and module.code
    other = compiled(tmp_path, "128")
    assert isinstance(other, Module) and other.code != module.code


def test_what_does_not_compile_is_an_outcome(tmp_path: Path) -> None:
    assert isinstance(compiled(tmp_path, "1000000"), Infeasible)
    failed, missing = compiled(tmp_path, "none"), compiled(tmp_path, "32", "scald")
    assert isinstance(failed, Failed) and failed.stage == "compile"
    assert isinstance(missing, Failed) and "scald" in missing.log
