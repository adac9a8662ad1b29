"""CUDA kernels launched on the processor: compiled as C++ with cuda_on_cpu.h before them, called with NumPy arrays."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tunepass.expr.nodes import Expr
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.c.lowering import defines
from tunepass.ir.gpu import GpuBuffer, GpuKernel, GpuScalar, Launch
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

HEADER = Path(__file__).parent / "cuda_on_cpu.h"
TYPES = {"float": "float", "float4": "float4", "int": "int"}
Arrays = dict[str, NDArray[np.float32]]


def scalars(body: GpuKernel, configuration: Configuration, given: Mapping[str, int]) -> dict[str, int]:
    known = {name: number(e, configuration, {}) for name, e in body.scalars(given).items()}
    return {a.name: known[a.name] for a in body.arguments if isinstance(a, GpuScalar)}


def number(e: Expr, configuration: Configuration, sizes: Mapping[str, int]) -> int:
    value = evaluate(e, {**configuration, **sizes})
    assert isinstance(value, (int, float))
    return int(value)


def extents(
    launch: Launch, configuration: Configuration, sizes: Mapping[str, int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    grid, block = (tuple(number(e, configuration, sizes) for e in extent) for extent in (launch.grid, launch.block))
    return grid, block


def arrays(body: GpuKernel, configuration: Configuration, sizes: Mapping[str, int]) -> Arrays:
    """Inputs between 0 and 1; what is only written is poisoned."""
    generator = np.random.default_rng(0)
    made = {}
    for buffer in body.arguments:
        if isinstance(buffer, GpuBuffer):
            length = number(buffer.length, configuration, sizes) * (4 if buffer.element == "float4" else 1)
            made[buffer.name] = generator.random(length, dtype=np.float32)
            if buffer.direction == "out":
                made[buffer.name][:] = np.nan
            elif buffer.fill is not None:
                made[buffer.name][:] = number(buffer.fill, configuration, sizes)
    return made


def launch_on_cpu(
    kernel: Kernel, configuration: Configuration, sizes: Mapping[str, int], given: Arrays, folder: Path, *, plain: bool
) -> Arrays:
    """What the arrays hold after a launch of the kernel, or of its `plain` reference."""
    body = kernel.body_as(GpuKernel)
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    function, launch = body.function, body.launch
    if plain and body.reference is not None:
        function, launch = body.reference.function, body.reference.launch
    library = folder / "kernel.so"
    if not plain or not library.exists():
        (folder / "kernel.cpp").write_text(program(kernel, body))
        command = ["g++", "-O1", "-w", "-std=c++17", "-shared", "-fPIC", *defines(kernel, configuration)]
        subprocess.run([*command, "kernel.cpp", "-o", library.name], cwd=folder, check=True, timeout=120)
    loaded = ctypes.CDLL(str(library))
    after = {name: array.copy() for name, array in given.items()}
    addresses = [
        after[a.name].ctypes.data_as(ctypes.c_void_p)
        if isinstance(a, GpuBuffer)
        else ctypes.cast(ctypes.pointer(ctypes.c_int(sizes[a.name])), ctypes.c_void_p)
        for a in body.arguments
    ]
    grid, block = extents(launch, configuration, sizes)
    three = ctypes.c_uint * 3
    loaded[f"launch_{function}"](three(*grid), three(*block), (ctypes.c_void_p * len(addresses))(*addresses))
    return after


def program(kernel: Kernel, body: GpuKernel) -> str:
    functions = [body.function, *([body.reference.function] if body.reference else [])]
    lines = [f'#include "{HEADER}"', kernel.source.text]
    for function in functions:
        values, symbols = [], []
        for position, argument in enumerate(body.arguments):
            if isinstance(argument, GpuScalar):
                values.append(f"*(int *)arguments[{position}]")
            elif argument.symbol:
                symbols.append(f"memcpy({argument.name}, arguments[{position}], sizeof {argument.name});")
            else:
                values.append(f"({TYPES[argument.element]} *)arguments[{position}]")
        lines += [
            f'extern "C" void launch_{function}(const unsigned *grid, const unsigned *block, void **arguments)',
            f"{{ {' '.join(symbols)} on_cpu::launch(grid, block, [&] {{ {function}({', '.join(values)}); }}); }}",
        ]
    return "\n".join(lines)
