"""Sources of small tensor kernels for the tests of their backend."""

from __future__ import annotations

from pathlib import Path

import tunepass
from tunepass.backends.base import Target
from tunepass.backends.tensor.backend import TensorBackend

SPMM = """\
tensor A(i,k) dense double;  tensor B(i,j) = ds double;  tensor C(j,k) dense double
A(i,k) = B(i,j) * C(j,k)
param chunk: pow2(2, 8) = 4
param order: permutation(i0, i1, j, k)
schedule split(i, i0, i1, chunk), reorder(order), parallelize(i0, CPUThread, NoRaces, schedule(dynamic, 1), 1)
bind B = "b.mtx"
dim k = 5
"""
KERNELS = {
    "spmv of CSC": "tensor y(i) dense\ntensor B(i,j) = ds:1,0\ntensor x(j) dense\ny(i) = B(i,j) * x(j)\n",
    "spmv of DCSR added to y": "tensor y(i) dense\ntensor B(i,j) = ss\ntensor x(j) dense\ny(i) += B(i,j) * x(j)\n",
    "sddmm": "tensor A(i,j) = ds\ntensor B(i,j) = ds\ntensor C(i,k) dense\ntensor D(k,j) dense:1,0\n"
    "A(i,j) = B(i,j) * C(i,k) * D(k,j)\ndim k = 5\n",
    "floats over a vector": "tensor y(i) dense float\ntensor B(i,j) = ds float\ntensor x(j) dense float\n"
    "tensor z(i) dense float\ny(i) = 2 * B(i,j) * x(j) / z(i) - z(i)\n",
    "whole numbers to a scalar": "tensor a int\ntensor B(i,j) = ds int\ntensor x(j) dense int\na = B(i,j) * x(j)\n",
}
BOUND = 'bind B = "b.mtx"\n'


def matrix(rows: int = 60, columns: int = 40) -> str:
    """Matrix Market text: row i has i % 4 entries."""
    entries = [(i, (7 * i + 11 * k) % columns) for i in range(rows) for k in range(i % 4)]
    lines = [f"{i + 1} {j + 1} {i - j}" for i, j in sorted(set(entries))]
    return "\n".join(["%%MatrixMarket matrix coordinate real general", f"{rows} {columns} {len(lines)}", *lines, ""])


def written(folder: Path, text: str, name: str = "kernel.taco") -> Path:
    path = folder / name
    path.write_text(text)
    (folder / "b.mtx").write_text(matrix())
    return path


def backend(folder: Path, text: str = SPMM, *compiler: str, **target: object) -> TensorBackend:
    kernel = tunepass.load(written(folder, text))
    return TensorBackend(kernel, Target(compiler=compiler or ("gcc", "-O1"), **target))  # type: ignore[arg-type]
