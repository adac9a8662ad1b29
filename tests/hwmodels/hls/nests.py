"""Kernels for tests, as a frontend hands them over: C[r][s] = sum of A[r][k] B[k][s], and a running sum."""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import INTEGER, Expr, Name
from tunepass.ir.hardware import Floating
from tunepass.ir.hls import HlsArray, HlsBlock, HlsKernel, HlsLoop, HlsOperation, HlsRegion, HlsSubscript

DOUBLE = Floating(53, 11)
N = 64


def name(parameter: str) -> Expr:
    return Name(parameter, INTEGER)


def at(*loops: str | None, offset: int = 0) -> tuple[HlsSubscript, ...]:
    """A subscript for each loop, None for a constant; `offset` is added to the last."""
    subscripts = [HlsSubscript(terms=((loop, alg.lift(1)),) if loop else ()) for loop in loops]
    if offset:
        subscripts[-1] = HlsSubscript(terms=subscripts[-1].terms, offset=alg.lift(offset))
    return tuple(subscripts)


def operation(
    verb: str, *inputs: int, array: str | None = None, subscripts: tuple[HlsSubscript, ...] = ()
) -> HlsOperation:
    return HlsOperation(name=verb, element=DOUBLE, inputs=inputs, array=array, subscripts=subscripts)


def array(label: str, *dims: int, read: bool = True, written: bool = True) -> HlsArray:
    storage = "global" if dims else "scalar"
    return HlsArray(
        name=label, element=DOUBLE, storage=storage, dims=tuple(map(alg.lift, dims)), read=read, written=written
    )


def loop(label: str, *items: HlsBlock | HlsLoop, trip: int = N, **pragmas: Expr | tuple[str, ...]) -> HlsLoop:
    return HlsLoop(name=label, trip=alg.lift(trip), items=items, **pragmas)  # type: ignore[arg-type]


def kernel(*items: HlsBlock | HlsLoop, arrays: tuple[HlsArray, ...], dialect: str = "merlin") -> HlsKernel:
    whole = HlsRegion(label="kernel", items=items)
    return HlsKernel(dialect=dialect, function="kernel", whole=whole, arrays=arrays)  # type: ignore[arg-type]


def product() -> HlsKernel:
    """Parameters: `rows` and `columns` on the outer loops, `terms` and `flat` on the sum."""
    multiply = HlsBlock(
        operations=(
            operation("load", array="a", subscripts=at("r", "k")),
            operation("load", array="b", subscripts=at("k", "s")),
            operation("flt_mul", 0, 1),
            operation("load", array="sum"),
            operation("flt_add", 3, 2),
            operation("store", 4, array="sum"),
        )
    )
    start = HlsBlock(operations=(operation("constant"), operation("store", 0, array="sum")))
    finish = HlsBlock(
        operations=(operation("load", array="sum"), operation("store", 0, array="c", subscripts=at("r", "s")))
    )
    inner = loop("k", multiply, unroll=name("terms"), reductions=("sum",))
    middle = loop("s", start, inner, finish, unroll=name("columns"), flattened=name("flat"), tile=name("tile"))
    outer = loop("r", middle, unroll=name("rows"))
    arrays = (
        array("a", N, N, written=False),
        array("b", N, N, written=False),
        array("c", N, N, read=False),
        array("sum"),
    )
    return kernel(outer, arrays=arrays)


def running(distance: int = 1, dialect: str = "merlin") -> HlsKernel:
    """x[i + distance] = x[i] + y[i], `copies` at once."""
    body = HlsBlock(
        operations=(
            operation("load", array="x", subscripts=at("i")),
            operation("load", array="y", subscripts=at("i")),
            operation("flt_add", 0, 1),
            operation("store", 2, array="x", subscripts=at("i", offset=distance)),
        )
    )
    arrays = (array("x", N + distance), array("y", N, written=False))
    return kernel(loop("i", body, unroll=name("copies")), arrays=arrays, dialect=dialect)
