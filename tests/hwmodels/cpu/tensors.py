"""Tensor kernels for tests of the model of sparse loops: BaCO's templates on data of a stated shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import Source
from tunepass.expr import parse
from tunepass.expr.nodes import Expr
from tunepass.expr.numpy_eval import evaluate
from tunepass.ir.kernel import Binding, Kernel
from tunepass.ir.tensor import (
    Access,
    Assignment,
    Binary,
    Directive,
    Format,
    Fuse,
    Level,
    LevelStatistics,
    Parallelize,
    Pos,
    Reorder,
    Split,
    Tensor,
    TensorExpr,
    TensorKernel,
    TensorStatistics,
    Unroll,
    accesses,
)
from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.ordinal import Ordinal
from tunepass.space.parameters.permutation import Permutation

Lengths = tuple[tuple[float, int], ...]
CSR = Format(("dense", "compressed"), (0, 1))


def dense(rank: int) -> Format:
    return Format(("dense",) * rank, tuple(range(rank)))


def access(text: str) -> Access:
    """`B(i,j)`"""
    name, _, rest = text.rstrip(")").partition("(")
    return Access(name, tuple(rest.split(",")) if rest else ())


def product(*texts: str) -> TensorExpr:
    result: TensorExpr = access(texts[0])
    for text in texts[1:]:
        result = Binary("*", result, access(text))
    return result


def csr(name: str, rows: int, columns: int, lengths: Lengths, spread: float | None = None) -> TensorStatistics:
    nodes = int(sum(length * number for length, number in lengths))
    far = spread if spread is not None else max(1.0, columns * rows / max(1, nodes))
    return TensorStatistics(
        name, (LevelStatistics(rows, rows), LevelStatistics(columns, nodes, lengths=lengths, spread=far))
    )


def even(rows: int, length: int) -> Lengths:
    return ((length, rows),)


def skewed(rows: int, length: int) -> Lengths:
    """The same number of nonzeros as `even`, most of them in a tenth of the rows."""
    few = rows // 10
    return ((length * 0.25, rows - few), (length * (1 + 0.75 * (rows - few) / few), few))


def kernel(
    left: str,
    right: TensorExpr,
    formats: Mapping[str, Format],
    schedule: tuple[Directive, ...] = (),
    parameters: tuple[Parameter, ...] = (),
    statistics: tuple[TensorStatistics, ...] = (),
    extents: tuple[tuple[str, int], ...] = (),
) -> Kernel:
    used = {a.tensor: a for a in (access(left), *accesses(right))}
    tensors = tuple(Tensor(name=n, index=a.index, format=formats.get(n, dense(len(a.index)))) for n, a in used.items())
    body = TensorKernel(
        assignment=Assignment(access(left), right),
        tensors=tensors,
        extents=extents,
        schedule=schedule,
        statistics=statistics,
    )
    return Kernel(
        name="f",
        language="taco",
        source=Source("f.taco", ""),
        parameters=parameters,
        bindings=tuple(Binding(p.name, "directive") for p in parameters),
        body=body,
    )


def powers(name: str, low: int, high: int, default: int) -> Ordinal:
    values = [1 << e for e in range(low.bit_length() - 1, high.bit_length())]
    return Ordinal(name, values, default=default, log=True)


COMMON: tuple[Parameter, ...] = (
    powers("threads", 1, 32, 1),
    Categorical("omp", ["static", "dynamic"]),
    powers("omp_chunk", 1, 256, 1),
)
TYPES = {p.name: p.type for p in (*COMMON, powers("chunk", 2, 512, 16), powers("unroll", 2, 512, 8))}


def number(text: str) -> Expr:
    return parse(text, TYPES)


def spmm(
    lengths: Lengths,
    columns: int = 20_000,
    k: int = 64,
    order: tuple[str, ...] | None = None,
    spread: float | None = None,
    listed: tuple[str, ...] = ("i0", "i1", "jpos0", "k", "jpos1"),
) -> Kernel:
    """A(i,k) = B(i,j) * C(j,k) in BaCO's template; a permutation where no `order` is given."""
    rows = sum(n for _, n in lengths)
    schedule = (
        Split("i", "i0", "i1", number("chunk")),
        Pos("j", "jpos", "B"),
        Split("jpos", "jpos0", "jpos1", number("unroll")),
        Reorder(listed, "order") if order is None else Reorder(order),
        Unroll("jpos1", number("unroll")),
        Parallelize("i0", "CPUThread", "NoRaces", number("omp"), number("omp_chunk"), number("threads")),
    )
    permutation = (Permutation("order", listed),) if order is None else ()
    own: tuple[Parameter, ...] = (powers("chunk", 2, 512, 16), powers("unroll", 2, 512, 8))
    return kernel(
        "A(i,k)", product("B(i,j)", "C(j,k)"), {"B": CSR}, schedule, (*own, *permutation, *COMMON),
        (csr("B", rows, columns, lengths, spread),), (("k", k),),
    )  # fmt: skip


def ttv(extents: tuple[int, int, int], fibres: int, length: int, levels: str = "dss") -> Kernel:
    """A(i,j) = B(i,j,k) * c(k) over fused positions."""
    rows, columns, deep = extents
    stored = (
        LevelStatistics(rows, rows, ((rows, 1),) if levels == "sss" else ()),
        LevelStatistics(columns, fibres, ((fibres / rows, rows),), columns * rows / fibres),
        LevelStatistics(deep, fibres * length, ((length, fibres),), deep / length),
    )
    kinds: dict[str, Level] = {"d": "dense", "s": "compressed"}
    schedule = (
        Split("i", "i0", "i1", number("chunk")),
        Fuse("i1", "j", "f"),
        Pos("f", "fpos", "B"),
        Split("fpos", "fpos1", "fpos2", number("unroll")),
        Pos("k", "kpos", "B"),
        Parallelize("fpos1", "CPUThread", "NoRaces", number("omp"), number("omp_chunk"), number("threads")),
    )
    own: tuple[Parameter, ...] = (powers("chunk", 2, 512, 16), powers("unroll", 2, 512, 8))
    return kernel(
        "A(i,j)", product("B(i,j,k)", "c(k)"), {"B": Format(tuple(kinds[d] for d in levels), (0, 1, 2))}, schedule,
        (*own, *COMMON), (TensorStatistics("B", stored),),
    )  # fmt: skip


def with_schedule(of: Kernel, *schedule: Directive) -> Kernel:
    return replace(of, body=replace(of.body_as(TensorKernel), schedule=schedule))


def values(e: Expr, of: Kernel, chosen: list[Mapping[str, Value]]) -> NDArray[np.float64]:
    """The expression at the default configuration with some values replaced."""
    rows = [Configuration({**{p.name: p.default for p in of.parameters}, **c}) for c in chosen]
    columns = {p.name: p.column([row[p.name] for row in rows]) for p in of.parameters}
    found = evaluate(e, columns, len(rows))
    assert found.defined.all()
    return np.asarray(found.values, float)
