"""Kernels for tests of the model of loop nests."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tunepass.diagnostics import Source
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import evaluate
from tunepass.frontends.c.frontend import CFrontend
from tunepass.hwmodels.cpu.loops import Clauses, Loops
from tunepass.ir.accesses import IterationWork
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration, Value

PRODUCT = "C[i * n + j] += A[i * n + k] * B[k * n + j];"


def kernel(
    clauses: str, body: str = PRODUCT, n: int = 64, params: tuple[str, ...] = (), indices: str = "ijk", end: str = "n"
) -> Kernel:
    """A nest over `indices`, each from 0 to `end`, on matrices of doubles; `body` may name A, B and C."""
    lines = "".join(f"#pragma tunepass param {p}\n" for p in (*params, "UNUSED: ordinal(1, 2)"))
    fors = "\n".join(f"for (int {i} = 0; {i} < {end}; {i}++)" for i in indices)
    matrices = "A: in double[n*n], B: in double[n*n], C: inout double[n*n]"
    text = (
        f"{lines}#pragma tunepass kernel f(n = {n}, {matrices})\n"
        "void f(int n, const double *restrict A, const double *restrict B, double *restrict C)\n{\n"
        f"#pragma tunepass loop({', '.join(indices)}) {clauses}\n{fors}\n{body}\nC[0] += UNUSED - 1;\n}}\n"
    )
    return CFrontend().parse(Source("nest.c", text)).kernels[0]


def loops(of: Kernel) -> tuple[Loops, IterationWork]:
    nest = of.body_as(CKernel).scops[0]
    types = {p.name: p.type for p in of.parameters}
    work = nest.works[0].work
    return Loops(Clauses.of(nest.directives, types), work, types), work


def value(e: Expr, of: Kernel, chosen: Mapping[str, Value] | None = None) -> float:
    """The expression at the default configuration, some values replaced."""
    configuration = Configuration({**{p.name: p.default for p in of.parameters}, **(chosen or {})})
    columns = {p.name: p.column([configuration[p.name]]) for p in of.parameters}
    found = evaluate(e, columns, 1)
    assert found.defined.all()
    return float(np.asarray(found.values).reshape(-1)[0])
