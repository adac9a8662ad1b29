"""Kernels for tests of the model of GPU kernels: built by hand, as a frontend would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr, IntegerType, Type
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.parser import parse
from tunepass.ir.gpu import Extent3, GpuAccess, GpuKernel, Launch, Place, ThreadWork

INTEGER = IntegerType()


class Built:
    """A kernel over integer parameters; its expressions are given as text."""

    def __init__(self, *names: str):
        self.types: dict[str, Type] = dict.fromkeys(names, INTEGER)

    def __call__(self, text: str | int) -> Expr:
        return parse(str(text), self.types)

    def extent(self, *texts: str | int) -> Extent3:
        x, y, z = [*(self(text) for text in texts), alg.lift(1), alg.lift(1)][:3]
        return x, y, z

    def access(
        self, count: str | int, *, stride: Sequence[str | int] = (1,), vector: str | int = 1, place: Place = "global",
        written: bool = False, byte: int = 4, distinct: str | int | None = None, total: str | int | None = None,
    ) -> GpuAccess:  # fmt: skip
        return GpuAccess(
            array="a",
            place=place,
            written=written,
            count=self(count),
            element_byte=byte,
            stride=self(stride[0]),
            row_stride=self(stride[1]) if len(stride) > 1 else None,
            vector=self(vector),
            distinct=None if distinct is None else self(distinct),
            total=None if total is None else self(total),
        )

    def kernel(
        self, *, grid: Sequence[str | int], block: Sequence[str | int], accesses: Sequence[GpuAccess] = (),
        work: ThreadWork | None = None, shared: str | int = 0, dynamic: str | int | None = None,
        registers: str | int | None = None, accumulators: str | int | None = None,
    ) -> GpuKernel:  # fmt: skip
        return GpuKernel(
            dialect="cuda",
            function="f",
            arguments=(),
            launch=Launch(
                grid=self.extent(*grid),
                block=self.extent(*block),
                dynamic_shared=None if dynamic is None else self(dynamic),
            ),
            shared=self(shared),
            registers=None if registers is None else self(registers),
            accumulators=None if accumulators is None else self(accumulators),
            work=work,
            accesses=tuple(accesses),
        )


def value(e: Expr, chosen: Mapping[str, int] | None = None) -> float:
    columns = {name: np.array([number], dtype=np.int64) for name, number in (chosen or {}).items()}
    evaluated = evaluate(e, columns, 1)
    assert np.broadcast_to(evaluated.defined, 1)[0]
    return float(np.broadcast_to(evaluated.values, 1)[0])


def matmul(n: int = 1024) -> GpuKernel:
    """BX x BY threads, each TX x TY sums; tiles of 16 columns and rows in shared memory."""
    b = Built("BX", "BY", "TX", "TY")
    return b.kernel(
        grid=(f"ceildiv({n}, BX * TX)", f"ceildiv({n}, BY * TY)"),
        block=("BX", "BY"),
        shared="4 * 16 * (BX * TX + BY * TY)",
        accumulators="TX * TY",
        work=ThreadWork(flops=b(f"2 * {n} * TX * TY"), barriers=b(2 * n // 16), independent=b("TX * TY")),
        accesses=(
            b.access(f"{n} * TY // BX", stride=(1, n), distinct=f"{n} * BY * TY", total=n * n),
            b.access(f"{n} * TX // BY", stride=(1, n), distinct=f"{n} * BX * TX", total=n * n),
            b.access(f"{n} * TY", stride=(0, 16), place="shared"),
            b.access(f"{n} * TX", stride=(1, 0), place="shared"),
            b.access("TX * TY", stride=(1, n), written=True, distinct="BX * BY * TX * TY", total=n * n),
        ),
    )


def convolution(n: int = 4096) -> GpuKernel:
    """15 x 15 weights; BX x BY threads, each TX x TY pixels BX and BY apart, from shared memory."""
    b = Built("BX", "BY", "TX", "TY")
    reads = "min(15 * TY, (TY - 1) * BY + 15) * min(15 * TX, (TX - 1) * BX + 15)"
    staged = "ceildiv(BX * TX + 14, BX) * ceildiv(BY * TY + 14, BY)"
    return b.kernel(
        grid=(f"ceildiv({n}, BX * TX)", f"ceildiv({n}, BY * TY)"),
        block=("BX", "BY"),
        shared="4 * (BX * TX + 14) * (BY * TY + 14)",
        accumulators="TX * TY",
        work=ThreadWork(flops=b("2 * 225 * TX * TY"), barriers=b(1), independent=b("TX * TY")),
        accesses=(
            b.access(staged, stride=(1, n + 14), distinct="(BX * TX + 14) * (BY * TY + 14)", total=(n + 14) ** 2),
            b.access(staged, stride=(1, "BX * TX + 14"), place="shared", written=True),
            b.access(reads, stride=(1, "BX * TX + 14"), place="shared"),
            b.access(225, stride=(0,), place="constant"),
            b.access("TX * TY", stride=(1, n), written=True, distinct="BX * BY * TX * TY", total=n * n),
        ),
    )
