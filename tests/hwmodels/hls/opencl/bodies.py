"""OpenCL kernels built by hand, as a frontend would."""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr.algebra import ExprLike
from tunepass.expr.nodes import INTEGER, Expr, Name
from tunepass.ir.hardware import FLOAT, INT
from tunepass.ir.hls import (
    HlsArray,
    HlsBlock,
    HlsItem,
    HlsKernel,
    HlsLoop,
    HlsOperation,
    HlsRegion,
    HlsSubscript,
    NdRange,
)


def name(text: str) -> Expr:
    return Name(text, INTEGER)


def at(**terms: ExprLike) -> HlsSubscript:
    return HlsSubscript(terms=tuple((k.replace("item", "get_global_id(0)"), alg.lift(v)) for k, v in terms.items()))


DATA = HlsSubscript(affine=False)


def load(array: str, *subscripts: HlsSubscript) -> HlsOperation:
    return HlsOperation(name="load", element=FLOAT, array=array, subscripts=subscripts)


def store(array: str, value: int, *subscripts: HlsSubscript, guarded: bool = False) -> HlsOperation:
    return HlsOperation(
        name="store", element=FLOAT, inputs=(value,), array=array, subscripts=subscripts, guarded=guarded
    )


def add(*inputs: int) -> HlsOperation:
    return HlsOperation(name="flt_add", element=FLOAT, inputs=inputs)


def mux(*inputs: int) -> HlsOperation:
    return HlsOperation(name="mux", element=FLOAT, inputs=inputs)


def kernel(*items: HlsItem, range_: NdRange | None = None, local: int = 0) -> HlsKernel:
    """Arrays `a`, `b` and `c` in global memory of 1024 elements, `m` of `local` on chip, a scalar `s`."""
    arrays = [
        *(HlsArray(name=n, element=FLOAT, storage="global", dims=(alg.lift(1024),)) for n in "abc"),
        HlsArray(name="m", element=INT, storage="local", dims=(alg.lift(max(1, local)),)),
        HlsArray(name="s", element=FLOAT, storage="scalar"),
    ]
    whole = HlsRegion(label="k", items=items)
    return HlsKernel(dialect="intel", function="k", whole=whole, arrays=tuple(arrays), range=range_)


def loop(label: str, trip: ExprLike, *items: HlsItem, unroll: ExprLike = 1) -> HlsLoop:
    return HlsLoop(name=label, trip=alg.lift(trip), items=items, unroll=alg.lift(unroll))


def block(*operations: HlsOperation) -> HlsBlock:
    return HlsBlock(operations=operations)


def copy(subscript: HlsSubscript) -> HlsBlock:
    return block(load("a", subscript), store("b", 0, subscript))


def items(count: ExprLike, group: ExprLike = 64, simd: ExprLike = 1, units: ExprLike = 1) -> NdRange:
    return NdRange(
        work_items=alg.lift(count), group=alg.lift(group), simd=alg.lift(simd), compute_units=alg.lift(units)
    )
