"""Functions of tensors, and the methods of the same names: what torch has, and what others call alike."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from tunepass.expr import algebra
from tunepass.frontends.dnn import torch_layers
from tunepass.frontends.dnn.applying import TORCH, apply_layer, bound_arguments
from tunepass.frontends.dnn.machine import Caller
from tunepass.frontends.dnn.tensor_call import TensorCall, plain, whole
from tunepass.frontends.dnn.tensor_shapes import (
    exchanged,
    flattened,
    moved,
    padded,
    permuted,
    repeated,
    repeated_items,
    reshaped,
    selected,
    shaped_like,
    split,
    split_at,
    squeezed,
    transposed,
    unbound,
    unflattened,
)
from tunepass.frontends.dnn.values import FilledValue, LayerValue, Method, PyValue, TensorValue, Unknown
from tunepass.graphs.values import product
from tunepass.ir.graph import Attribute


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


def _complex(call: TensorCall) -> PyValue:
    """Pairs of numbers as complex ones, and back."""
    if call.name == "view_as_complex":
        return call.made("Pick", axis=algebra.lift(-1))
    return call.run.building.apply("Stack", [call.tensor] * 2, {"axis": algebra.lift(-1)}, span=call.span)[0]


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


KNOWN: Mapping[str, Callable[[TensorCall], PyValue]] = {
    "linear": _linear,
    "view": lambda call: reshaped(call.calls, call.tensor, call.sizes(), call.node),
    "reshape": lambda call: reshaped(call.calls, call.tensor, call.sizes(), call.node),
    "view_as": shaped_like,
    "reshape_as": shaped_like,
    "flatten": lambda call: flattened(call.calls, call.tensor, call.bound("start_dim", "end_dim"), call.node),
    "unflatten": unflattened,
    "permute": lambda call: permuted(call.calls, call.tensor, call.sizes("dims"), call.node),
    "transpose": exchanged,
    "swapaxes": exchanged,
    "t": lambda call: transposed(call.run, call.tensor, 0, 1, call.node),
    "movedim": moved,
    "unsqueeze": squeezed,
    "squeeze": squeezed,
    "unbind": unbound,
    "select": selected,
    "narrow": selected,
    "chunk": lambda call: split(call.calls, "chunk", call.tensor, call.bound("count", "dim"), call.node),
    "split": lambda call: split(call.calls, "split", call.tensor, call.bound("count", "dim"), call.node),
    "tensor_split": split_at,
    "expand": lambda call: repeated(call.calls, "expand", call.tensor, call.given, call.node),
    "expand_as": lambda call: repeated(call.calls, "expand_as", call.tensor, call.given, call.node),
    "repeat": lambda call: repeated(call.calls, "repeat", call.tensor, call.given, call.node),
    "tile": lambda call: repeated(call.calls, "tile", call.tensor, call.given, call.node),
    "repeat_interleave": repeated_items,
    "masked_fill": lambda call: call.made("Clip"),
    "where": lambda call: call.made("Clip"),
    "pad": lambda call: padded(call.calls, call.tensor, call.given, call.node),
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
