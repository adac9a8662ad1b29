"""Functions of tensors, and the methods of the same names: what torch has, and what others call alike."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn import torch_layers
from tunepass.frontends.dnn.applying import TORCH, apply_layer, attribute_of, bound_arguments
from tunepass.frontends.dnn.machine import Caller, Machine
from tunepass.frontends.dnn.values import FilledValue, LayerValue, Method, PyValue, TensorValue, Unknown
from tunepass.graphs.values import product
from tunepass.ir.graph import Attribute, Shape


@dataclass(frozen=True, slots=True)
class TensorCall:
    """`name(tensor, *given, **named)`, or `tensor.name(*given, **named)`."""

    calls: Caller
    name: str
    tensor: TensorValue
    given: list[PyValue]
    named: dict[str, PyValue]
    node: ast.AST

    @property
    def run(self) -> Machine:
        return self.calls.interpreter

    @property
    def span(self) -> Span:
        return self.run.span(self.node)

    @property
    def shape(self) -> Shape:
        return self.run.building.shape(self.tensor)

    def bound(self, *names: str) -> dict[str, PyValue]:
        """The arguments after the tensor, by these names."""
        return {**dict(zip(names, self.given)), **self.named}

    def sizes(self, name: str = "shape") -> PyValue:
        """Sizes or axes: `(2, 3)`, or one argument each."""
        if name in self.named:
            return self.named[name]
        one = len(self.given) == 1 and isinstance(self.given[0], (list, tuple))
        return self.given[0] if one else tuple(self.given)

    def other(self, name: str = "other", at: int = 0) -> PyValue:
        value = self.given[at] if len(self.given) > at else self.named.get(name)
        return self.calls.tensor(value, self.node) if isinstance(value, FilledValue) else value

    def made(self, operator: str, *others: TensorValue, **attributes: Attribute) -> TensorValue:
        return self.run.building.apply(operator, [self.tensor, *others], attributes, span=self.span)[0]


def tensor_function(call: TensorCall) -> PyValue:
    """What the function gives; Unknown, at its place, for one that is not known."""
    name = call.name
    if name.endswith("_") and not name.startswith("_") and name not in KNOWN:
        name = name[:-1]  # in place
        call = TensorCall(call.calls, name, call.tensor, call.given, call.named, call.node)
    if name in torch_layers.FUNCTIONAL:
        return _layer(call, torch_layers.FUNCTIONAL[name])
    if name in torch_layers.BINARY or name in torch_layers.PRODUCTS:
        return _binary(call)
    if name in ("max", "min") and (call.given or "dim" in call.named):
        return _extreme(call.calls, name, call.tensor, call.given, call.named, call.node)
    if name in torch_layers.REDUCTIONS:
        named = call.bound("dim", "keepdim")
        return reduced(call.calls, torch_layers.REDUCTIONS[name], call.tensor, named, call.node)
    if name in torch_layers.ELEMENTWISE:
        return call.made(torch_layers.ELEMENTWISE[name])
    known = KNOWN.get(name)
    return Unknown(f"`{name}` of a tensor is not known", call.span) if known is None else known(call)


def _layer(call: TensorCall, layer: str) -> PyValue:
    """A function of torch.nn.functional that is what a module is."""
    given, named = call.given, call.named
    if call.name == "interpolate" and "size" not in named and given:
        given, named = [], {"size": given[0], **named}
    arguments = bound_arguments(TORCH, layer, given, named, call.span)
    return apply_layer(call.run.building, LayerValue(layer, TORCH, arguments, call.span), [call.tensor])


def _binary(call: TensorCall) -> PyValue:
    other = call.other()
    if isinstance(other, Unknown) and other.span is not None:
        return other
    if not isinstance(other, TensorValue):
        return call.made("Scale")
    return call.made(torch_layers.BINARY.get(call.name, "MatMul"), other)


def _squeezed(call: TensorCall) -> PyValue:
    axis = call.bound("dim").get("dim")
    if axis is None:
        axes = tuple(algebra.lift(k) for k, size in enumerate(call.shape) if algebra.number(size) == 1)
    else:
        given = axis if isinstance(axis, (list, tuple)) else (axis,)
        axes = tuple(whole(call.calls, one, "an axis", call.node) for one in given)
    return call.made("Unsqueeze" if call.name == "unsqueeze" else "Squeeze", axes=axes)


def _unbound(call: TensorCall) -> PyValue:
    axis = call.bound("dim").get("dim", 0)
    count = algebra.number(call.shape[int(axis)]) if isinstance(axis, int) else None
    if count is None:
        raise call.calls.error("into how many parts this splits is not known", call.node)
    along = whole(call.calls, axis, "an axis", call.node)
    return tuple(call.made("Pick", axis=along) for _ in range(int(count)))


def _selected(call: TensorCall) -> PyValue:
    """One of an axis (`select`), or a stretch of it (`narrow`)."""
    named = call.bound("dim", "index") if call.name == "select" else call.bound("dim", "start", "length")
    axis = whole(call.calls, named.get("dim"), "an axis", call.node)
    if call.name == "select":
        return call.made("Pick", axis=axis)
    return call.made("Split", axis=axis, size=attribute_of(named.get("length"), "a length", call.span))


def _attention(call: TensorCall) -> PyValue:
    key, value = call.other("key"), call.other("value", 1)
    if not isinstance(key, TensorValue) or not isinstance(value, TensorValue):
        raise call.calls.error("the keys and values of this are not known", call.node)
    return call.made("Attention", value, key)


def _normalized(call: TensorCall) -> PyValue:
    """torch.nn.functional.layer_norm and the like, with the weights of a module, or with parameters."""
    places = {"layer_norm": 1, "rms_norm": 1, "group_norm": 1, "batch_norm": 2}
    weight = call.named.get("weight", call.given[places[call.name]] if len(call.given) > places[call.name] else None)
    if isinstance(weight, Method) and isinstance(weight.owner, LayerValue):
        return apply_layer(call.run.building, weight.owner, [call.tensor])
    return call.made("UnitNorm")  # parameters count as those of their module


def _convolved(call: TensorCall) -> PyValue:
    """torch.nn.functional.conv2d with the weights of a module."""
    weight = call.named.get("weight", call.given[0] if call.given else None)
    if isinstance(weight, Method) and isinstance(weight.owner, LayerValue):
        return apply_layer(call.run.building, weight.owner, [call.tensor])
    raise call.calls.error("the weight of this is not known", call.node, "write it with nn.Conv2d")


def _new(call: TensorCall) -> PyValue:
    sizes = call.sizes("size")
    return FilledValue(tuple(sizes) if isinstance(sizes, (list, tuple)) else (sizes,))


def _repeated_items(call: TensorCall) -> PyValue:
    """torch.repeat_interleave along an axis."""
    named = call.bound("repeats", "dim")
    axis, times = named.get("dim"), named.get("repeats")
    if not isinstance(axis, int) or not isinstance(times, (int, Expr)):
        raise call.calls.error("how often this repeats what is not known", call.node)
    read: list[Attribute] = [algebra.lift(1)] * len(call.shape)
    read[axis] = algebra.lift(times)
    return call.made("Tile", times=tuple(read))


def _complex(call: TensorCall) -> PyValue:
    """Pairs of numbers as complex ones, and back."""
    if call.name == "view_as_complex":
        return call.made("Pick", axis=algebra.lift(-1))
    return call.run.building.apply("Stack", [call.tensor] * 2, {"axis": algebra.lift(-1)}, span=call.span)[0]


def _moved(call: TensorCall) -> PyValue:
    """torch.movedim of one axis."""
    named, rank = call.bound("source", "destination"), len(call.shape)
    start, stop = named.get("source"), named.get("destination")
    if not isinstance(start, int) or not isinstance(stop, int):
        raise call.calls.error("the axes are whole numbers", call.node)
    order = [axis for axis in range(rank) if axis != start % rank]
    order.insert(stop % rank, start % rank)
    return call.made("Transpose", order=tuple(algebra.lift(axis) for axis in order))


def _linear(call: TensorCall) -> PyValue:
    """torch.nn.functional.linear with the weight of a layer, or with a parameter."""
    weight = call.other("weight")
    if isinstance(weight, Method) and isinstance(weight.owner, LayerValue):
        if weight.owner.name == "Linear":
            return apply_layer(call.run.building, weight.owner, [call.tensor])
        weight = call.calls.tensor(weight_of(weight.owner), call.node)
    if not isinstance(weight, TensorValue):
        raise call.calls.error("the weight of this is not known", call.node, "write it with nn.Linear")
    return call.made("MatMul", weight, transpose_y=algebra.lift(True))


WEIGHT = {"Embedding": ("num_embeddings", "embedding_dim"), "Linear": ("out_features", "in_features")}


def weight_of(layer: LayerValue) -> FilledValue:
    """A layer's weight as a tensor of its own: the layer has counted it."""
    return FilledValue(tuple(layer.arguments.get(name, Unknown("a size")) for name in WEIGHT.get(layer.name, ())))


def whole(calls: Caller, value: PyValue, what: str, node: ast.AST) -> Expr:
    if not isinstance(value, int):
        raise calls.error(f"{what} is a whole number", node)
    return algebra.lift(int(value))


def plain(size: Expr) -> PyValue:
    """A size as Python's number where it is one."""
    known = algebra.number(size)
    return int(known) if known is not None else size


def _like(call: TensorCall) -> PyValue:
    other = call.other()
    if not isinstance(other, TensorValue):
        raise call.calls.error("the shape of this is not known", call.node)
    return call.made("Reshape", shape=call.run.building.shape(other))


def _exchanged(call: TensorCall) -> PyValue:
    named = call.bound("dim0", "dim1")
    left, right = (named.get(f"dim{k}", named.get(f"axis{k}")) for k in (0, 1))
    return transposed(call.run, call.tensor, left, right, call.node)


def _unflattened(call: TensorCall) -> PyValue:
    named, shape = call.bound("dim", "sizes"), call.shape
    axis, sizes = named.get("dim"), attribute_of(named.get("sizes"), "sizes", call.span)
    if not isinstance(axis, int) or not isinstance(sizes, tuple):
        raise call.calls.error("its arguments are an axis and sizes", call.node)
    axis %= len(shape)
    return call.made("Reshape", shape=(*shape[:axis], *sizes, *shape[axis + 1 :]))


def _split_at(call: TensorCall) -> PyValue:
    """torch.tensor_split at positions."""
    named = call.bound("indices", "dim")
    places, axis = named.get("indices"), named.get("dim", 0)
    size = algebra.number(call.shape[axis]) if isinstance(axis, int) else None
    if not isinstance(places, (list, tuple)) or size is None or not all(isinstance(place, int) for place in places):
        raise call.calls.error("into which parts this splits is not known", call.node)
    ends = [0, *(int(place) for place in places), int(size)]  # type: ignore[arg-type]
    parts: list[PyValue] = [after - before for before, after in pairwise(ends)]
    return _split(call.calls, "split", call.tensor, {"count": parts, "dim": axis}, call.node)


def _extreme(
    calls: Caller, name: str, tensor: TensorValue, given: list[PyValue], named: Mapping[str, PyValue], node: ast.AST
) -> PyValue:
    """torch.max and min: of two tensors, or along an axis, with where it was."""
    run = calls.interpreter
    other = given[0] if given else None
    if isinstance(other, TensorValue):
        operator = "Maximum" if name == "max" else "Minimum"
        return run.building.apply(operator, [tensor, other], span=run.span(node))[0]
    along = {**dict(zip(("dim", "keepdim"), given)), **named}
    return (reduced(calls, "ReduceMax", tensor, along, node), reduced(calls, "ArgMax", tensor, along, node))


def reshaped(calls: Caller, tensor: TensorValue, target: PyValue, node: ast.AST) -> TensorValue:
    run = calls.interpreter
    shape = attribute_of(target, "the new shape", run.span(node))
    return run.building.apply(
        "Reshape", [tensor], {"shape": shape if isinstance(shape, tuple) else (shape,)}, span=run.span(node)
    )[0]


def _flattened(calls: Caller, tensor: TensorValue, named: Mapping[str, PyValue], node: ast.AST) -> TensorValue:
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


def reduced(calls: Caller, operator: str, tensor: TensorValue, named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    run = calls.interpreter
    rank = len(run.building.shape(tensor))
    given = named.get("dim", named.get("axis"))
    axes = tuple(range(rank)) if given is None else given if isinstance(given, (list, tuple)) else (given,)
    attributes: dict[str, Attribute] = {
        "axes": tuple(whole(calls, axis, "an axis", node) for axis in axes),
        "keep": algebra.lift(bool(named.get("keepdim", named.get("keepdims", False)))),
    }
    return run.building.apply(operator, [tensor], attributes, span=run.span(node))[0]


def _split(calls: Caller, name: str, tensor: TensorValue, named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
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


def _repeated(calls: Caller, name: str, tensor: TensorValue, given: list[PyValue], node: ast.AST) -> TensorValue:
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
    return run.building.apply("Tile", [tensor], {"times": read}, span=span)[0]


def _padded(calls: Caller, tensor: TensorValue, given: list[PyValue], node: ast.AST) -> TensorValue:
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


KNOWN: Mapping[str, Callable[[TensorCall], PyValue]] = {
    "linear": _linear,
    "view": lambda call: reshaped(call.calls, call.tensor, call.sizes(), call.node),
    "reshape": lambda call: reshaped(call.calls, call.tensor, call.sizes(), call.node),
    "view_as": lambda call: _like(call),
    "reshape_as": lambda call: _like(call),
    "flatten": lambda call: _flattened(call.calls, call.tensor, call.bound("start_dim", "end_dim"), call.node),
    "unflatten": lambda call: _unflattened(call),
    "permute": lambda call: permuted(call.calls, call.tensor, call.sizes("dims"), call.node),
    "transpose": lambda call: _exchanged(call),
    "swapaxes": lambda call: _exchanged(call),
    "t": lambda call: transposed(call.run, call.tensor, 0, 1, call.node),
    "movedim": _moved,
    "unsqueeze": _squeezed,
    "squeeze": _squeezed,
    "unbind": _unbound,
    "select": _selected,
    "narrow": _selected,
    "chunk": lambda call: _split(call.calls, "chunk", call.tensor, call.bound("count", "dim"), call.node),
    "split": lambda call: _split(call.calls, "split", call.tensor, call.bound("count", "dim"), call.node),
    "tensor_split": lambda call: _split_at(call),
    "expand": lambda call: _repeated(call.calls, "expand", call.tensor, call.given, call.node),
    "expand_as": lambda call: _repeated(call.calls, "expand_as", call.tensor, call.given, call.node),
    "repeat": lambda call: _repeated(call.calls, "repeat", call.tensor, call.given, call.node),
    "tile": lambda call: _repeated(call.calls, "tile", call.tensor, call.given, call.node),
    "repeat_interleave": _repeated_items,
    "masked_fill": lambda call: call.made("Clip"),
    "where": lambda call: call.made("Clip"),
    "pad": lambda call: _padded(call.calls, call.tensor, call.given, call.node),
    "scaled_dot_product_attention": _attention,
    **dict.fromkeys(("layer_norm", "rms_norm", "group_norm", "batch_norm"), _normalized),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _convolved),
    **dict.fromkeys(("new_zeros", "new_ones", "new_empty", "new_full"), _new),
    **dict.fromkeys(("view_as_complex", "view_as_real"), _complex),
    **dict.fromkeys(
        ("type_as", "cuda", "cpu", "half", "requires_grad_", "type", "int", "long", "double", "bfloat16", "bool"),
        lambda call: call.tensor,
    ),
    "numel": lambda call: plain(product(call.shape)),
    "nelement": lambda call: plain(product(call.shape)),
    "item": lambda call: Unknown("a number of a tensor"),
    "tolist": lambda call: Unknown("the numbers of a tensor"),
}
