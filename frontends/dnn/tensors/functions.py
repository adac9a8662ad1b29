"""Functions of tensors, and the methods of the same names: what torch has, and what others call alike."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from tunepass.expr import algebra
from tunepass.frontends.dnn.interpreter.machine import Caller
from tunepass.frontends.dnn.interpreter.values import FilledValue, LayerValue, Method, PyValue, TensorValue, Unknown
from tunepass.frontends.dnn.layers import torch as torch_layers
from tunepass.frontends.dnn.layers.applying import apply_layer, attribute_of
from tunepass.frontends.dnn.layers.arguments import TORCH, bound_arguments
from tunepass.frontends.dnn.tensors import shapes as tensor_shapes
from tunepass.frontends.dnn.tensors.call import TensorFunctionCall, plain, whole
from tunepass.graphs.values import product
from tunepass.ir.graph import Attribute


def tensor_function(call: TensorFunctionCall) -> PyValue:
    """What the function gives; Unknown, at its place, for one that is not known."""
    name = call.name
    if name.endswith("_") and not name.startswith("_") and name not in KNOWN:
        name = name[:-1]  # in place
        call = TensorFunctionCall(call.calls, name, call.tensor, call.given, call.named, call.node)
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


def _layer(call: TensorFunctionCall, layer: str) -> PyValue:
    """A function of torch.nn.functional that is what a module is."""
    given, named = call.given, call.named
    if call.name == "interpolate" and "size" not in named and given:
        given, named = [], {"size": given[0], **named}
    arguments = bound_arguments(TORCH, layer, given, named, call.span)
    return apply_layer(call.run.building, LayerValue(layer, TORCH, arguments, call.span), [call.tensor])


def _binary(call: TensorFunctionCall) -> PyValue:
    other = call.other()
    if isinstance(other, Unknown) and other.span is not None:
        return other
    if not isinstance(other, TensorValue):
        return call.made("Scale")
    return call.made(torch_layers.BINARY.get(call.name, "MatMul"), other)


def _attention(call: TensorFunctionCall) -> PyValue:
    key, value = call.other("key"), call.other("value", 1)
    if not isinstance(key, TensorValue) or not isinstance(value, TensorValue):
        raise call.calls.error("the keys and values of this are not known", call.node)
    return call.made("Attention", value, key)


def _normalized(call: TensorFunctionCall) -> PyValue:
    """torch.nn.functional.layer_norm and the like, with the weights of a module, or with parameters."""
    places = {"layer_norm": 1, "rms_norm": 1, "group_norm": 1, "batch_norm": 2}
    weight = call.named.get("weight", call.given[places[call.name]] if len(call.given) > places[call.name] else None)
    if isinstance(weight, Method) and isinstance(weight.owner, LayerValue):
        return apply_layer(call.run.building, weight.owner, [call.tensor])
    return call.made("UnitNorm")  # parameters count as those of their module


def _convolved(call: TensorFunctionCall) -> PyValue:
    """torch.nn.functional.conv2d with the weights of a module, or with what is made of a module's."""
    named = call.bound("weight", "bias", "stride", "padding", "dilation", "groups")
    weight = named.get("weight")
    if isinstance(weight, Method) and isinstance(weight.owner, LayerValue):
        return apply_layer(call.run.building, weight.owner, [call.tensor])
    weight = call.calls.tensor(weight, call.node) if isinstance(weight, FilledValue) else weight
    if not isinstance(weight, TensorValue):
        raise call.calls.error("the weight of this is not known", call.node, "write it with nn.Conv2d")
    told: dict[str, Attribute] = {
        name: attribute_of(named[name], name, call.span)
        for name in ("stride", "padding", "dilation", "groups")
        if name in named
    }
    return biased(call, call.made("ConvWith", weight, **told), named.get("bias"), 1)


def biased(call: TensorFunctionCall, value: TensorValue, bias: PyValue, axis: int) -> TensorValue:
    """The value plus a bias along an axis; a layer counts its own."""
    if not isinstance(bias, TensorValue):
        return value
    building = call.run.building
    after = len(building.shape(value)) - 1 - axis % len(building.shape(value))
    if after:
        axes = tuple(algebra.lift(-1) for _ in range(after))
        for one in axes:
            bias = building.apply("Unsqueeze", [bias], {"axes": (one,)}, span=call.span)[0]
    return building.apply("Add", [value, bias], span=call.span)[0]


def _patches(call: TensorFunctionCall) -> PyValue:
    """keras.ops.image.extract_patches and tf.image.extract_patches of images with their channels last."""
    named = call.bound("size", "strides")
    size, strides = named.get("size", named.get("sizes")), named.get("strides")
    sides = [part[1:3] if isinstance(part, (list, tuple)) and len(part) == 4 else part for part in (size, strides)]
    kernel = attribute_of(sides[0], "the size of a patch", call.span)
    stride = kernel if sides[1] is None else attribute_of(sides[1], "the distance of patches", call.span)
    padding = named.get("padding", "valid")
    told = padding.lower() if isinstance(padding, str) else "valid"
    filters = algebra.mul(call.shape[-1], *(kernel if isinstance(kernel, tuple) else (kernel, kernel)))  # type: ignore[arg-type]
    shape = call.run.building.shape(call.made("MaxPool", kernel=kernel, stride=stride, padding=told))
    return call.made("Resample", shape=(*shape[:-1], filters))


def _where(call: TensorFunctionCall) -> PyValue:
    """torch.where(condition, x, y), or x.where(condition, y): of all tensors among them."""
    others = [call.other("x", 0), call.other("y", 1)]
    return call.made("Where", *(other for other in others if isinstance(other, TensorValue)))


def _new(call: TensorFunctionCall) -> PyValue:
    sizes = call.sizes("size")
    return FilledValue(tuple(sizes) if isinstance(sizes, (list, tuple)) else (sizes,))


def _complex(call: TensorFunctionCall) -> PyValue:
    """Pairs of numbers as complex ones, and back."""
    if call.name == "view_as_complex":
        return call.made("Pick", axis=algebra.lift(-1))
    return call.run.building.apply("Stack", [call.tensor] * 2, {"axis": algebra.lift(-1)}, span=call.span)[0]


def _linear(call: TensorFunctionCall) -> PyValue:
    """torch.nn.functional.linear with the weight of a layer, or with a parameter."""
    owner = getattr(call.named.get("weight", call.given[0] if call.given else None), "owner", None)
    if isinstance(owner, LayerValue) and owner.name == "Linear":
        return apply_layer(call.run.building, owner, [call.tensor])
    weight = call.other("weight")
    if not isinstance(weight, TensorValue):
        raise call.calls.error("the weight of this is not known", call.node, "write it with nn.Linear")
    made = call.made("MatMul", weight, transpose_y=algebra.lift(True))
    return biased(call, made, call.named.get("bias", call.given[1] if len(call.given) > 1 else None), -1)


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


KNOWN: Mapping[str, Callable[[TensorFunctionCall], PyValue]] = {
    "linear": _linear,
    "view": lambda call: tensor_shapes.reshaped(call.calls, call.tensor, call.sizes(), call.node),
    "reshape": lambda call: tensor_shapes.reshaped(call.calls, call.tensor, call.sizes(), call.node),
    "view_as": tensor_shapes.shaped_like,
    "reshape_as": tensor_shapes.shaped_like,
    "flatten": lambda call: tensor_shapes.flattened(
        call.calls, call.tensor, call.bound("start_dim", "end_dim"), call.node
    ),
    "unflatten": tensor_shapes.unflattened,
    "permute": lambda call: tensor_shapes.permuted(call.calls, call.tensor, call.sizes("dims"), call.node),
    "transpose": tensor_shapes.exchanged,
    "swapaxes": tensor_shapes.exchanged,
    "t": lambda call: tensor_shapes.transposed(call.run, call.tensor, 0, 1, call.node),
    "movedim": tensor_shapes.moved,
    "unsqueeze": tensor_shapes.squeezed,
    "squeeze": tensor_shapes.squeezed,
    "unbind": tensor_shapes.unbound,
    "select": tensor_shapes.selected,
    "narrow": tensor_shapes.selected,
    "chunk": lambda call: tensor_shapes.split(call.calls, "chunk", call.tensor, call.bound("count", "dim"), call.node),
    "split": lambda call: tensor_shapes.split(call.calls, "split", call.tensor, call.bound("count", "dim"), call.node),
    "tensor_split": tensor_shapes.split_at,
    "expand": lambda call: tensor_shapes.repeated(call.calls, "expand", call.tensor, call.given, call.node),
    "expand_as": lambda call: tensor_shapes.repeated(call.calls, "expand_as", call.tensor, call.given, call.node),
    "repeat": lambda call: tensor_shapes.repeated(call.calls, "repeat", call.tensor, call.given, call.node),
    "tile": lambda call: tensor_shapes.repeated(call.calls, "tile", call.tensor, call.given, call.node),
    "repeat_interleave": tensor_shapes.repeated_items,
    "masked_fill": lambda call: call.made("Clip"),
    "where": _where,
    "extract_patches": _patches,
    "logical_not": lambda call: call.made("Compare"),
    "flip": lambda call: call.made("Identity"),
    "isnan": lambda call: call.made("Compare"),
    "pad": lambda call: tensor_shapes.padded(call.calls, call.tensor, call.given, call.node),
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
