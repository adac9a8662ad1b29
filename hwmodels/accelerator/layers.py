"""Fully connected layers in the loops of a kernel.

    for o < O, unrolled L times:             L lanes, one output each
        for i < I: sum += w[o][i] * x[i]     w in F banks of SRAM, output o in bank o mod F; x in registers

Anything else is refused at its place: the model has no numbers for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tunepass.diagnostics import SourceError, Span
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.hls.nest import contents
from tunepass.ir.hls import (
    ONE,
    HlsArray,
    HlsBlock,
    HlsItem,
    HlsKernel,
    HlsLoop,
    HlsOperation,
    HlsRegion,
    HlsSubscript,
    items_of,
)

HOW = "a layer is a loop over outputs around one over inputs, `sum += w[o][i] * x[i]`; samples/accelerator has one"
INNER = {"load": 3, "fix_mul": 1, "fix_add": 1, "store": 1}  # operations of the loop over inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """`lanes` L, at most O; `banks` F, at most O. `multiplied`: the widths that go into the product, in bits."""

    outer: HlsLoop
    inputs: Expr
    outputs: Expr
    lanes: Expr
    banks: Expr
    weights: HlsArray
    multiplied: tuple[int, int]
    accumulator: HlsArray

    @property
    def steps(self) -> Expr:
        """Cycles in which weights are read: each group of L outputs takes I steps, a step as long as its fullest bank.

        I (floor(O / L) ceil(L / F) + ceil((O mod L) / F))
        """
        whole = alg.mul(alg.floordiv(self.outputs, self.lanes), alg.ceildiv(self.lanes, self.banks))
        return alg.mul(self.inputs, alg.add(whole, alg.ceildiv(alg.mod(self.outputs, self.lanes), self.banks)))

    @property
    def bank_words(self) -> Expr:
        return alg.mul(self.inputs, alg.ceildiv(self.outputs, self.banks))


def layers_of(kernel: HlsKernel) -> tuple[Layer, ...]:
    """SourceError, at its place, for what is no fully connected layer."""
    if alg.number(kernel.launches) != 1:
        raise _refusal("the model prices one launch; `rate` says how many a second", kernel.span)
    for item in items_of(kernel.whole):
        if isinstance(item, HlsRegion) and (item.dataflow or item.allocation):
            raise _refusal("the model has no numbers for tasks or for limits on operators", item.span or kernel.span)
    layers = tuple(_layer(kernel, item) for item in contents(kernel.whole.items))
    if not layers:
        raise _refusal(f"`{kernel.function}` has no loops", kernel.span)
    stored = {layer.weights.name for layer in layers}
    if len(stored) < len(layers):
        raise _refusal("two layers read the same weights", kernel.span)
    for array in kernel.arrays:
        _check_storage(array, array.name in stored)
    blocks = [item for item in items_of(kernel.whole) if isinstance(item, HlsBlock)]
    accesses = [operation for block in blocks for operation in block.operations if operation.array in stored]
    if len(accesses) > len(layers):
        raise _refusal("weights are read in a layer's product alone", accesses[-1].span or kernel.span)
    return layers


def _layer(kernel: HlsKernel, item: HlsItem) -> Layer:
    if not isinstance(item, HlsLoop):
        raise _refusal("statements between layers are not priced", item.span or kernel.span)
    inside = list(contents(item.items))
    loops = [inner for inner in inside if isinstance(inner, HlsLoop)]
    if len(loops) != 1 or not all(isinstance(inner, (HlsBlock, HlsLoop)) for inner in inside):
        raise _refusal(f"the loop `{item.name}` has not one loop in it", item.span)
    (inner,) = loops
    _check_loops(item, inner)
    product, weights = _product(item, inner)
    array = kernel.array(weights)
    accumulator = next(o.array for o in product.operations if o.name == "store")
    assert accumulator is not None  # a store has one
    multiply = product.operations[next(i for i, o in enumerate(product.operations) if o.name == "fix_mul")]
    left, right = (element.bits for element in product.inputs(multiply))
    return Layer(
        outer=item,
        inputs=inner.trip,
        outputs=item.trip,
        lanes=alg.minimum(item.unroll, item.trip),
        banks=alg.minimum(_banks(array), item.trip),
        weights=array,
        multiplied=(left, right),
        accumulator=kernel.array(accumulator),
    )


def _check_loops(outer: HlsLoop, inner: HlsLoop) -> None:
    if alg.number(outer.pipelined) != 0:
        raise _refusal("pipeline the loop over inputs: around it, that unrolls it", outer.span)
    for loop in (outer, inner):
        if loop.assumed is not None or loop.most is not None or loop.guarded:
            raise _refusal(f"the number of iterations of `{loop.name}` is not known", loop.span)
        if loop.dataflow or {alg.number(loop.flattened), alg.number(loop.coarse)} != {0} or alg.number(loop.tile) != 1:
            raise _refusal(f"the model has no numbers for what pragmas ask of `{loop.name}`", loop.span)
    if inner.interval is not None and alg.number(inner.interval) != 1:
        raise _refusal("the loop over inputs starts an iteration a cycle, as far as its banks allow", inner.span)
    if alg.number(inner.unroll) != 1:
        raise _refusal("lanes are copies of the loop over outputs; the loop inside is not unrolled", inner.span)


def _product(outer: HlsLoop, inner: HlsLoop) -> tuple[HlsBlock, str]:
    """The block of the loop over inputs, and the name of the weights that it reads."""
    inside = list(contents(inner.items))
    block = inside[0] if inside else None
    if len(inside) != 1 or not isinstance(block, HlsBlock):
        raise _refusal(f"the loop `{inner.name}` holds more than a sum of products", inner.span)
    names = [operation.name for operation in block.operations]
    if {name: names.count(name) for name in names} != INNER:
        raise _refusal(f"the loop `{inner.name}` holds more than a sum of products", block.span or inner.span)
    (multiply,) = (o for o in block.operations if o.name == "fix_mul")
    read = [block.operations[at] for at in multiply.inputs]
    weights = [o for o in read if _walks(o, outer.name, inner.name)]
    inputs = [o for o in read if _walks(o, inner.name)]
    store = next(o for o in block.operations if o.name == "store")
    if len(weights) != 1 or len(inputs) != 1 or weights[0].array is None:
        raise _refusal("the product is not one of `w[o][i]` and `x[i]`", multiply.span or inner.span)
    loaded = {operation.array for operation in block.operations if operation.name == "load"}
    if store.subscripts or store.array not in loaded:
        raise _refusal("the products are not summed in a scalar", store.span or inner.span)
    return block, weights[0].array


def _walks(operation: HlsOperation, *loops: str) -> bool:
    """A load of an array by the counters of these loops, one a dimension."""
    subscripts = operation.subscripts
    return operation.name == "load" and len(subscripts) == len(loops) and all(map(_is_counter, subscripts, loops))


def _is_counter(subscript: HlsSubscript, loop: str) -> bool:
    terms = [(name, alg.number(step)) for name, step in subscript.terms]
    return subscript.affine and terms == [(loop, 1)] and alg.number(subscript.offset) == 0


def _banks(weights: HlsArray) -> Expr:
    """Without a pragma one."""
    if not weights.partitions:
        return ONE
    partition = weights.partitions[0]
    if len(weights.partitions) > 1 or partition.kind != "cyclic" or partition.dim != 1:
        span = partition.span or weights.span
        raise _refusal(f"the banks of `{weights.name}` are cyclic along its outputs (dim=1)", span)
    return partition.factor


def _check_storage(array: HlsArray, in_sram: bool) -> None:
    if array.storage in ("global", "stream"):
        raise _refusal(f"`{array.name}` is not on the chip", array.span)
    complete = {partition.dim for partition in array.partitions if partition.kind == "complete"}
    if not in_sram and 0 not in complete and not complete.issuperset(range(1, len(array.dims) + 1)):
        raise _refusal(f"all lanes use `{array.name}`: partition it completely, into registers", array.span)


def _refusal(problem: str, span: Span | None) -> SourceError:
    return SourceError(problem, span, HOW)
