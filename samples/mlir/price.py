"""What a module of MLIR with selected knobs takes: `python price.py MODULE`.

Needs a wheel of MLIR: `pip install 'tunepass[mlir]'`. The module has one function, @matmul or @stencil, and a
transform sequence. It is transformed, lowered and compiled in this process, its result is compared with NumPy's, and
the least time of a call is printed, in ms. `--loops` prints the transformed module.
"""

from __future__ import annotations

import ctypes
import sys
import time
from pathlib import Path

import numpy as np
from torch_mlir import ir
from torch_mlir.dialects.transform import interpreter
from torch_mlir.execution_engine import ExecutionEngine
from torch_mlir.passmanager import PassManager
from torch_mlir.runtime import get_ranked_memref_descriptor

CALLS = 40
LOWERING = (
    "builtin.module(func.func(canonicalize,cse,convert-vector-to-scf{full-unroll=true},canonicalize,"
    "convert-linalg-to-loops),convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-vector-to-llvm,"
    "convert-ub-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts)"
)


def matmul() -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    a, b = (rng.random((256, 256), np.float32) for _ in range(2))
    return [a, b, np.zeros((256, 256), np.float32)], a @ b


def stencil() -> tuple[list[np.ndarray], np.ndarray]:
    u = np.random.default_rng(0).random((514, 514), np.float32)
    v = np.zeros((514, 514), np.float32)
    v[1:-1, 1:-1] = (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 5
    return [u, np.zeros((514, 514), np.float32)], v


def transformed(text: str) -> ir.Module:
    module = ir.Module.parse(text)
    main = next(op for op in module.body.operations if op.operation.name == "transform.named_sequence")
    for op in list(main.operation.regions[0].blocks[0].operations):
        if op.operation.name == "transform.smt.constrain_params":  # the interpreter does not know it
            op.operation.erase()
    interpreter.apply_named_sequence(module, main, module)
    main.operation.erase()
    return module


def milliseconds(module: ir.Module) -> float:
    function = next(op for op in module.body.operations if op.operation.name == "func.func")
    name = ir.StringAttr(function.attributes["sym_name"]).value
    arrays, expected = {"matmul": matmul, "stencil": stencil}[name]()
    PassManager.parse(LOWERING).run(module.operation)
    engine = ExecutionEngine(module, opt_level=3)
    pointers = [ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(array))) for array in arrays]
    call = engine.lookup(name)
    packed = (ctypes.c_void_p * len(pointers))(*(ctypes.cast(pointer, ctypes.c_void_p) for pointer in pointers))
    least = float("inf")
    for _ in range(CALLS):
        arrays[-1][:] = 0
        started = time.perf_counter()
        call(packed)
        least = min(least, time.perf_counter() - started)
        if not np.allclose(arrays[-1], expected, rtol=1e-4):
            sys.exit("the result differs from NumPy's")
    return 1000 * least


def main() -> None:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True  # for the attributes tunepass.knobs
        module = transformed(Path(sys.argv[1]).read_text())
        sys.stdout.write(f"{module}\n" if "--loops" in sys.argv else f"{milliseconds(module)}\n")


if __name__ == "__main__":
    main()
