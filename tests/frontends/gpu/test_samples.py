"""The GPU samples: read without a warning, right on the processor (CUDA by a header of our own, OpenCL by PoCL),
compiled by nvcc. Each with its default and with configurations drawn from its space."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.examples import scaled
from tests.frontends.gpu.launched import Arrays, arrays, extents, launch_on_cpu, number, scalars
from tunepass.diagnostics import Source
from tunepass.evaluators.gpu_run.found import found_devices
from tunepass.frontends.c.lowering import defines
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.ir.gpu import GpuBuffer, GpuKernel, GpuScalar
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

SAMPLES = Path(__file__).parents[3] / "samples"
CUDA = sorted((SAMPLES / "cuda").glob("*.cu"))
OPENCL = sorted((SAMPLES / "opencl").glob("*.cl"))
SMALL = {  # sizes that nothing divides
    "matmul": {"n": 76},
    "convolution": {"w": 75, "h": 41},
    "reduction": {"n": 70_004},
    "nbody": {"n": 301},
    "stencil": {"n": 37},
}
MOST_THREADS, MOST_SHARED = 1024, 48 << 10


def sample(path: Path) -> Kernel:
    return GpuFrontend().parse(Source(str(path), path.read_text())).kernels[0]


def drawn(kernel: Kernel, count: int) -> list[Configuration]:
    """The default, and others that a GPU can launch."""
    body, space = kernel.body_as(GpuKernel), Space(kernel.parameters, kernel.constraints)
    found = [space.default]
    for configuration in space.sample(400, np.random.default_rng(3)):
        sizes = scalars(body, configuration, {})
        _, block = extents(body.launch, configuration, sizes)
        shared = number(body.shared, configuration, sizes) if body.shared else 0
        if np.prod(block) <= MOST_THREADS and shared <= MOST_SHARED:
            found.append(configuration)
    return found[:count]


def test_there_are_five_and_two() -> None:
    assert [p.stem for p in CUDA] == ["convolution", "matmul", "nbody", "reduction", "stencil"]
    assert [p.stem for p in OPENCL] == ["convolution", "matmul"]


@pytest.mark.parametrize("path", [*CUDA, *OPENCL], ids=lambda p: p.name)
def test_sample(path: Path) -> None:
    parsed = GpuFrontend().parse(Source(str(path), path.read_text()))
    assert len(parsed.kernels) == 1 and not parsed.warnings
    body = parsed.kernels[0].body_as(GpuKernel)
    assert body.work and body.accesses and body.accumulators and body.shared
    buffers = {a.name for a in body.arguments if isinstance(a, GpuBuffer)}
    assert buffers <= {access.array for access in body.accesses}  # each is read or written
    assert Space(parsed.kernels[0].parameters, parsed.kernels[0].constraints).size > 1000


def right(kernel: Kernel, found: Arrays, expected: Arrays) -> None:
    body = kernel.body_as(GpuKernel)
    relative = body.relative_tolerance or 0
    for argument in body.arguments:
        if isinstance(argument, GpuBuffer) and argument.direction != "in":
            scale = float(np.abs(expected[argument.name]).max())
            assert np.allclose(found[argument.name], expected[argument.name], rtol=relative, atol=relative * scale)


@pytest.mark.parametrize("path", CUDA, ids=lambda p: p.name)
@pytest.mark.slow_but(5)
def test_cuda_on_the_processor(path: Path, tmp_path: Path) -> None:
    kernel = sample(path)
    body, default = kernel.body_as(GpuKernel), Space(kernel.parameters, kernel.constraints).default
    sizes = scalars(body, default, SMALL[path.stem])
    given = arrays(body, default, sizes)
    expected: Arrays | None = None
    for trial, configuration in enumerate(drawn(kernel, 1 + scaled(4))):
        folder = tmp_path / str(trial)
        folder.mkdir()
        found = launch_on_cpu(kernel, configuration, sizes, given, folder, plain=False)
        if expected is None:
            expected = launch_on_cpu(kernel, configuration, sizes, given, folder, plain=True)
            assert not any(np.isnan(array).any() for array in expected.values())
        right(kernel, found, expected)


@pytest.mark.parametrize("path", CUDA, ids=lambda p: p.name)
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.each_value
@pytest.mark.slow_but(5)
def test_nvcc_compiles_it(path: Path, architecture: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    kernel = sample(path)
    last = drawn(kernel, 2)[-1]
    command = ["nvcc", f"-arch={architecture}", "-cubin", *defines(kernel, last), str(path), "-o", "kernel.cubin"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr


@pytest.mark.parametrize("path", OPENCL, ids=lambda p: p.name)
@pytest.mark.slow_but(2)
def test_opencl_on_pocl(path: Path) -> None:
    cl = pytest.importorskip("pyopencl", reason="no pyopencl")
    found = found_devices("opencl")
    if not found:
        pytest.skip("no OpenCL device that compiles")
    from tunepass.evaluators.gpu_run.opencl import all_devices

    kernel, context = sample(path), cl.Context([all_devices()[found[0].number]])
    body, default = kernel.body_as(GpuKernel), Space(kernel.parameters, kernel.constraints).default
    sizes = scalars(body, default, SMALL[path.stem])
    given = arrays(body, default, sizes)
    queue, flags = cl.CommandQueue(context), cl.mem_flags
    expected: Arrays = {}
    assert body.reference is not None
    runs = [(body.reference.function, body.reference.launch, default)]
    runs += [(body.function, body.launch, configuration) for configuration in drawn(kernel, 4)]
    for function, launch, configuration in runs:
        built = cl.Program(context, kernel.source.text).build(list(defines(kernel, configuration)))
        buffers = {
            name: cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)
            for name, array in given.items()
        }
        called = cl.Kernel(built, function)
        called.set_args(
            *(np.int32(sizes[a.name]) if isinstance(a, GpuScalar) else buffers[a.name] for a in body.arguments)
        )
        grid, block = extents(launch, configuration, sizes)
        cl.enqueue_nd_range_kernel(queue, called, [g * b for g, b in zip(grid, block)], block)
        found = {name: array.copy() for name, array in given.items()}
        for name, array in found.items():
            cl.enqueue_copy(queue, array, buffers[name])
        expected = expected or found
        right(kernel, found, expected)


@pytest.mark.parametrize("name", ["matmul", "reduction", "nbody"])
@pytest.mark.slow_but(3)
def test_what_the_default_computes(name: str, tmp_path: Path) -> None:
    kernel = sample(SAMPLES / "cuda" / f"{name}.cu")
    body, default = kernel.body_as(GpuKernel), Space(kernel.parameters, kernel.constraints).default
    sizes = scalars(body, default, {"n": 44})
    given = arrays(body, default, sizes)
    found = launch_on_cpu(kernel, default, sizes, given, tmp_path, plain=False)
    match name:
        case "matmul":
            expected = given["A"].reshape(44, 44) @ given["B"].reshape(44, 44)
            assert np.allclose(found["C"].reshape(44, 44), expected, rtol=1e-5)
        case "reduction":
            assert np.allclose(found["sum"], given["x"].sum(), rtol=1e-5)
        case _:
            bodies = given["body"].reshape(44, 4).astype(np.float64)
            apart = bodies[None, :, :3] - bodies[:, None, :3]  # (44, 44, 3)
            cubed = ((apart**2).sum(axis=2) + 1e-3) ** 1.5
            forces = (bodies[None, :, 3:] * apart / cubed[:, :, None]).sum(axis=1)
            assert np.allclose(found["force"].reshape(44, 4)[:, :3], forces, rtol=1e-3, atol=1e-2)
