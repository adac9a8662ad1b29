"""Times of every configuration of a module of MLIR, each lowered, compiled and run in a process of its own.

A result is compared with that of the module without its transform sequence. A time is the least of many calls, in two
rounds over the whole space, so that what else the machine does meanwhile counts little; None where a configuration
fails.
"""

from __future__ import annotations

import ctypes
import os
import re
import runpy
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch_mlir import ir
from torch_mlir.execution_engine import ExecutionEngine
from torch_mlir.passmanager import PassManager
from torch_mlir.runtime import get_ranked_memref_descriptor

from tests.benchmarks.model_prior.recording import Recording, read_recording, write_recording
from tunepass.integrations.mlir.bindings import BindingsReader
from tunepass.integrations.mlir.knobs import Knobs, read_knobs
from tunepass.integrations.mlir.search import kernel_of
from tunepass.integrations.mlir.tune import generic
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

PRICE = runpy.run_path(str(Path(__file__).parents[3] / "samples/mlir/price.py"))
CALLS, CALL_BUDGET_S, ROUNDS, LIMIT_S = 200, 0.15, 2, 60
MEMREF = re.compile(r"memref<((?:\d+x)+)f32")


def kernel_and_knobs(module: ir.Module) -> tuple[Kernel, Knobs]:
    """The module's knobs as a kernel."""
    reader = BindingsReader(module)
    knobs = read_knobs(module.operation, reader)
    return kernel_of("module", generic(module), module.operation, knobs), knobs


def recording(source: Path, folder: Path, say: Callable[[str], None]) -> Recording:
    """The recording of the module in `source`: read from `folder`, else measured and written there."""
    path = folder / f"mlir-{source.stem}.json"
    found = read_recording(path)
    if found.repeats:
        return found
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(source.read_text())
        subject, _ = kernel_and_knobs(module)
        space = list(Space(subject.parameters, subject.constraints).enumerate())
        for number in range(ROUNDS):
            rows = found.repeats if number else found.times
            for count, configuration in enumerate(space):
                if count % 25 == 0:
                    say(f"{source.stem}: round {number + 1} of {ROUNDS}, {count} of {len(space)}")
                ms = _in_child(module, configuration)
                if number == 0 or ms is not None:
                    rows[configuration] = ms  # type: ignore[assignment]
    write_recording(path, found)
    return found


def _in_child(module: ir.Module, configuration: Configuration) -> float | None:
    """Milliseconds, measured in a forked process: MLIR ends its process where it cannot lower a module."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(receiver)
            os.write(sender, repr(_milliseconds(module, configuration)).encode())
        finally:
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as stream:
        answer = stream.read().decode()
    os.waitpid(child, 0)
    return float(answer) if answer and answer != "None" else None


def _milliseconds(module: ir.Module, configuration: Configuration) -> float | None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    copy = ir.Module.parse(generic(module))
    read_knobs(copy.operation, BindingsReader(copy)).select(configuration)
    chosen = PRICE["transformed"](generic(copy))
    plain = ir.Module.parse(generic(module))
    for op in plain.body.operations:
        if op.operation.name == "transform.named_sequence":
            op.operation.erase()
    (expected, _), (result, ms) = _run(plain, 0.0), _run(chosen, CALL_BUDGET_S)
    return ms if np.allclose(result, expected, rtol=1e-3) else None


def _run(module: ir.Module, budget_s: float) -> tuple[NDArray[np.float32], float]:
    """The last argument after one call that began with zeros, and the least time of a call in ms."""
    function = next(op for op in module.body.operations if op.operation.name == "func.func")
    name = ir.StringAttr(function.attributes["sym_name"]).value
    kind = str(ir.TypeAttr(function.attributes["function_type"]).value)
    shapes = [tuple(int(size) for size in found.split("x")[:-1]) for found in MEMREF.findall(kind.split("->")[0])]
    rng = np.random.default_rng(0)
    arrays = [rng.random(shape, np.float32) for shape in shapes]
    PassManager.parse(PRICE["LOWERING"]).run(module.operation)
    engine = ExecutionEngine(module, opt_level=3)
    pointers = [ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(array))) for array in arrays]
    packed = (ctypes.c_void_p * len(pointers))(*(ctypes.cast(pointer, ctypes.c_void_p) for pointer in pointers))
    call = engine.lookup(name)
    arrays[-1][:] = 0
    call(packed)
    result, least, end = arrays[-1].copy(), float("inf"), time.perf_counter() + budget_s
    for _ in range(CALLS):
        arrays[-1][:] = 0
        started = time.perf_counter()
        call(packed)
        now = time.perf_counter()
        least = min(least, now - started)
        if now > end:
            break
    return result, 1000 * least
