"""What changes the shape of a tensor: views, orders of the axes, parts, repetitions, and padding."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import pairwise

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.machine import Caller, Machine
from tunepass.frontends.dnn.interpreter.values import PyValue, TensorValue
from tunepass.frontends.dnn.layers.applying import attribute_of
from tunepass.frontends.dnn.tensors.call import TensorFunctionCall, whole
from tunepass.graphs.values import product
from tunepass.ir.graph import Attribute, Shape


def squeezed(call: TensorFunctionCall) -> PyValue:
    axis = call.bound("dim").get("dim")
    if axis is None:
        axes = tuple(algebra.lift(k) for k, size in enumerate(call.shape) if algebra.number(size) == 1)
    else:
        given = axis if isinstance(axis, (list, tuple)) else (axis,)
        axes = tuple(whole(call.calls, one, "an axis", call.node) for one in given)
    return call.made("Unsqueeze" if call.name == "unsqueeze" else "Squeeze", axes=axes)


def unbound(call: TensorFunctionCall) -> PyValue:
    axis = call.bound("dim").get("dim", 0)
    count = algebra.number(call.shape[int(axis)]) if isinstance(axis, int) else None
    if count is None:
        raise call.calls.error("into how many parts this splits is not known", call.node)
    along = whole(call.calls, axis, "an axis", call.node)
    return tuple(call.made("Pick", axis=along) for _ in range(int(count)))


def selected(call: TensorFunctionCall) -> PyValue:
    """One of an axis (`select`), or a stretch of it (`narrow`)."""
    named = call.bound("dim", "index") if call.name == "select" else call.bound("dim", "start", "length")
    axis = whole(call.calls, named.get("dim"), "an axis", call.node)
    if call.name == "select":
        return call.made("Pick", axis=axis)
    return call.made("Split", axis=axis, size=attribute_of(named.get("length"), "a length", call.span))


def repeated_items(call: TensorFunctionCall) -> PyValue:
    """torch.repeat_interleave along an axis."""
    named = call.bound("repeats", "dim")
    axis, times = named.get("dim"), named.get("repeats")
    if not isinstance(axis, int) or not isinstance(times, (int, Expr)):
        raise call.calls.error("how often this repeats what is not known", call.node)
    read: list[Attribute] = [algebra.lift(1)] * len(call.shape)
    read[axis] = algebra.lift(times)
    return call.made("Tile", times=tuple(read))


def moved(call: TensorFunctionCall) -> PyValue:
    """torch.movedim of one axis."""
    named, rank = call.bound("source", "destination"), len(call.shape)
    start, stop = named.get("source"), named.get("destination")
    if not isinstance(start, int) or not isinstance(stop, int):
        raise call.calls.error("the axes are whole numbers", call.node)
    order = [axis for axis in range(rank) if axis != start % rank]
    order.insert(stop % rank, start % rank)
    return call.made("Transpose", order=tuple(algebra.lift(axis) for axis in order))


def shaped_like(call: TensorFunctionCall) -> PyValue:
    other = call.other()
    if not isinstance(other, TensorValue):
        raise call.calls.error("the shape of this is not known", call.node)
    return call.made("Reshape", shape=call.run.building.shape(other))


def exchanged(call: TensorFunctionCall) -> PyValue:
    named = call.bound("dim0", "dim1")
    left, right = (named.get(f"dim{k}", named.get(f"axis{k}")) for k in (0, 1))
    return transposed(call.run, call.tensor, left, right, call.node)


def unflattened(call: TensorFunctionCall) -> PyValue:
    named, shape = call.bound("dim", "sizes"), call.shape
    axis, sizes = named.get("dim"), attribute_of(named.get("sizes"), "sizes", call.span)
    if not isinstance(axis, int) or not isinstance(sizes, tuple):
        raise call.calls.error("its arguments are an axis and sizes", call.node)
    axis %= len(shape)
    return call.made("Reshape", shape=(*shape[:axis], *sizes, *shape[axis + 1 :]))


def split_at(call: TensorFunctionCall) -> PyValue:
    """torch.tensor_split at positions."""
    named = call.bound("indices", "dim")
    places, axis = named.get("indices"), named.get("dim", 0)
    size = algebra.number(call.shape[axis]) if isinstance(axis, int) else None
    if not isinstance(places, (list, tuple)) or size is None or not all(isinstance(place, int) for place in places):
        raise call.calls.error("into which parts this splits is not known", call.node)
    ends = [0, *(int(place) for place in places), int(size)]  # type: ignore[arg-type]
    parts: list[PyValue] = [after - before for before, after in pairwise(ends)]
    return split(call.calls, "split", call.tensor, {"count": parts, "dim": axis}, call.node)


def reshaped(calls: Caller, tensor: TensorValue, target: PyValue, node: ast.AST) -> TensorValue:
    run = calls.interpreter
    shape = attribute_of(target, "the new shape", run.span(node))
    return run.building.apply(
        "Reshape", [tensor], {"shape": shape if isinstance(shape, tuple) else (shape,)}, span=run.span(node)
    )[0]


def flattened(calls: Caller, tensor: TensorValue, named: Mapping[str, PyValue], node: ast.AST) -> TensorValue:
    shape = calls.interpreter.building.shape(tensor)
    first, last = named.get("start_dim", 0), named.get("end_dim", -1)
    if not isinstance(first, int) or not isinstance(last, int):
        raise calls.error("the axes to flatten are whole numbers", node)
    first, last = first % len(shape), last % len(shape)
    target: Shape = (*shape[:first], product(shape[first : last + 1]), *shape[last + 1 :])
    return calls.interpreter.building.apply(
        "Reshape", [tensor], {"shape": target}, span=calls.interpreter.span(node), name="flatten"
    )[0]


def permuted(calls: Caller, tensor: TensorValue, order: PyValue, node: ast.AST) -> TensorValue:
    run = calls.interpreter
    if order is None:
        order = tuple(reversed(range(len(run.building.shape(tensor)))))
    axes = attribute_of(order, "the order of the axes", run.span(node))
    return run.building.apply("Transpose", [tensor], {"order": axes}, span=run.span(node))[0]


def transposed(run: Machine, tensor: TensorValue, left: PyValue, right: PyValue, node: ast.AST) -> TensorValue:
    rank = len(run.building.shape(tensor))
    if not isinstance(left, int) or not isinstance(right, int) or not (-rank <= left < rank and -rank <= right < rank):
        raise run.fail("the axes to exchange are whole numbers", node)
    order = list(range(rank))
    order[left % rank], order[right % rank] = right % rank, left % rank
    axes = tuple(algebra.lift(axis) for axis in order)
    return run.building.apply("Transpose", [tensor], {"order": axes}, span=run.span(node))[0]


def split(calls: Caller, name: str, tensor: TensorValue, named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    run = calls.interpreter
    shape, axis = run.building.shape(tensor), named.get("dim", 0)
    given = named.get("count", named.get("chunks", named.get("split_size_or_sections")))
    if not isinstance(axis, int):
        raise calls.error("the axis to split is a whole number", node)
    size = shape[axis % len(shape)]
    if isinstance(given, (list, tuple)):
        parts = [attribute_of(part, "a part's size", run.span(node)) for part in given]
    elif isinstance(given, int) and name == "chunk":
        parts = [algebra.floordiv(size, given)] * given
    else:
        known = algebra.number(size)
        if not isinstance(given, int) or known is None:
            raise calls.error("into how many parts this splits is not known", node)
        parts = [algebra.lift(min(given, int(known) - k)) for k in range(0, int(known), given)]
    span = run.span(node)
    along = algebra.lift(axis)
    return tuple(run.building.apply("Split", [tensor], {"axis": along, "size": p}, span=span)[0] for p in parts)


def repeated(calls: Caller, name: str, tensor: TensorValue, given: list[PyValue], node: ast.AST) -> TensorValue:
    run, span = calls.interpreter, calls.interpreter.span(node)
    if name == "expand_as":
        if not given or not isinstance(given[0], TensorValue):
            raise calls.error("what it is expanded to is not known", node)
        return run.building.apply("Expand", [tensor], {"shape": run.building.shape(given[0])}, span=span)[0]
    items = given[0] if len(given) == 1 and isinstance(given[0], (list, tuple)) else given
    read = attribute_of(tuple(items), "sizes", span)
    assert isinstance(read, tuple)
    shape = run.building.shape(tensor)
    if name == "expand":
        padded = (*(algebra.lift(1) for _ in range(len(read) - len(shape))), *shape)
        target = tuple(old if algebra.number(new) == -1 else new for old, new in zip(padded, read))  # type: ignore[arg-type]
        return run.building.apply("Expand", [tensor], {"shape": target}, span=span)[0]
    if len(read) > len(shape):
        before = tuple(algebra.lift(axis) for axis in range(len(read) - len(shape)))
        tensor = run.building.apply("Unsqueeze", [tensor], {"axes": before}, span=span)[0]
    times = (*(algebra.lift(1) for _ in range(len(shape) - len(read))), *read)
    return run.building.apply("Tile", [tensor], {"times": times}, span=span)[0]


def padded(calls: Caller, tensor: TensorValue, given: list[PyValue], node: ast.AST) -> TensorValue:
    """torch.nn.functional.pad: pairs from the last axis on."""
    run = calls.interpreter
    amounts = attribute_of(given[0] if given else (), "the padding", run.span(node))
    if not isinstance(amounts, tuple) or len(amounts) % 2:
        raise calls.error("padding is a pair for each axis", node)
    rank = len(run.building.shape(tensor))
    ends: list[list[Attribute]] = [[algebra.lift(0)] * rank, [algebra.lift(0)] * rank]
    for k, amount in enumerate(amounts):
        ends[k % 2][rank - 1 - k // 2] = amount
    return run.building.apply("Pad", [tensor], {"begin": tuple(ends[0]), "end": tuple(ends[1])}, span=run.span(node))[0]
