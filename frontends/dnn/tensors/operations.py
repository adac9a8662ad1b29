"""What sources do to tensors without a layer: shapes, views, slices, and the functions of torch, tf and keras.ops."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tunepass.expr import algebra
from tunepass.frontends.dnn.interpreter.machine import Caller, Machine
from tunepass.frontends.dnn.interpreter.numbers import of_rows
from tunepass.frontends.dnn.interpreter.presence import joining, optional
from tunepass.frontends.dnn.interpreter.values import FilledValue, Method, PyValue, TensorValue, Unknown
from tunepass.frontends.dnn.layers import keras as keras_layers
from tunepass.frontends.dnn.layers import torch as torch_layers
from tunepass.frontends.dnn.layers.applying import attribute_of
from tunepass.frontends.dnn.tensors.call import TensorFunctionCall, plain, whole
from tunepass.frontends.dnn.tensors.filled import TENSORS, arange, filled, is_filled, of_data, parameter
from tunepass.frontends.dnn.tensors.functions import reduced, tensor_function
from tunepass.frontends.dnn.tensors.shapes import permuted, reshaped, transposed
from tunepass.ir.graph import Attribute

TF_ELEMENTWISE = {**keras_layers.ACTIVATIONS, "identity": "Identity", "sqrt": "Sqrt", "exp": "Exp", "square": "Exp"}
REDUCED = {"reduce_mean": "ReduceMean", "reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "mean": "ReduceMean",
           "sum": "ReduceSum", "max": "ReduceMax", "argmax": "ArgMax"}  # fmt: skip


def sizes(run: Machine, tensor: TensorValue) -> tuple[PyValue, ...]:
    return tuple(plain(size) for size in run.building.shape(tensor))


def tensor_attribute(run: Machine, tensor: TensorValue, name: str, node: ast.AST) -> PyValue:
    if name == "shape":
        return sizes(run, tensor)
    if name in ("T", "mT"):
        return transposed(run, tensor, -2, -1, node)
    if name == "ndim":
        return len(run.building.shape(tensor))
    if name in ("device", "dtype"):
        return Unknown(f"the {name} of a tensor")
    return Method(tensor, name)


MOST_ITEMS = 64


def tensor_items(run: Machine, tensor: TensorValue) -> list[PyValue] | None:
    """A tensor taken apart along its first axis, where that is short: `q, k, v = qkv`."""
    shape = run.building.shape(tensor)
    count = algebra.number(shape[0]) if shape else None
    if count is None or not 0 < count <= MOST_ITEMS:
        return None
    along: dict[str, Attribute] = {"axis": algebra.lift(0)}
    return [run.building.apply("Pick", [tensor], along)[0] for _ in range(int(count))]


def subscript_tensor(run: Machine, tensor: TensorValue, index: PyValue, node: ast.AST) -> PyValue:
    """`x[:, 0]`, `x[..., :n]`, `x[:, None]`."""
    parts = list(index) if isinstance(index, tuple) else [index]
    rank = len(run.building.shape(tensor))
    real = sum(part is not None and not _is(part, "ellipsis") for part in parts)
    axis, span = 0, run.span(node)
    for part in parts:
        if _is(part, "ellipsis"):
            axis += rank - real
        elif part is None:
            tensor = run.building.apply("Unsqueeze", [tensor], {"axes": (algebra.lift(axis),)}, span=span)[0]
            axis += 1
        elif isinstance(part, Method) and part.name == "slice":
            tensor = _sliced(run, tensor, axis, part.owner, node)
            axis += 1
        elif isinstance(part, TensorValue):
            tensor = run.building.apply("Gather", [tensor, part], {"axis": algebra.lift(axis)}, span=span)[0]
            axis += len(run.building.shape(part))
        elif isinstance(part, int):
            tensor = run.building.apply("Pick", [tensor], {"axis": algebra.lift(axis)}, span=span)[0]
        else:
            raise run.fail("this part of a tensor is not known", node)
    return tensor


def _is(part: PyValue, name: str) -> bool:
    return isinstance(part, Method) and part.name == name


def _sliced(run: Machine, tensor: TensorValue, axis: int, ends: PyValue, node: ast.AST) -> TensorValue:
    begin, end, step = ends if isinstance(ends, tuple) else (None, None, None)
    attributes: dict[str, Attribute] = {"axis": algebra.lift(axis)}
    for name, value in (("begin", begin), ("end", end), ("step", step)):
        if value is not None:
            attributes[name] = attribute_of(value, "an end of a slice", run.span(node))
    return tensor if len(attributes) == 1 else run.building.apply("Slice", [tensor], attributes, span=run.span(node))[0]


def tensor_method(
    calls: Caller, tensor: TensorValue, name: str, given: list[PyValue], named: dict[str, PyValue], node: ast.AST
) -> PyValue:
    run = calls.interpreter
    if name == "size":
        found = sizes(run, tensor)
        return found[given[0]] if given and isinstance(given[0], int) else found
    if name == "dim":
        return len(run.building.shape(tensor))
    return tensor_function(TensorFunctionCall(calls, name, tensor, given, named, node))


def call_tensor_function(
    calls: Caller, path: str, given: list[PyValue], named: dict[str, PyValue], node: ast.AST
) -> PyValue:
    """`torch.flatten(x, 1)`, `F.relu(x)`, `tf.concat([a, b], axis=1)`; Unknown for what concerns no tensor."""
    name = path.rpartition(".")[2]
    if name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack"):
        return _joined(calls, name, given, named, node)
    if name == "einsum" and given and isinstance(given[0], str):
        tensors = [v for value in given[1:] for v in (value if isinstance(value, (list, tuple)) else [value])]
        tensors = [calls.tensor(value, node) if isinstance(value, FilledValue) else value for value in tensors]
        lost = next((value for value in tensors if not isinstance(value, TensorValue)), None)
        if lost is not None or not tensors:
            lost = lost if isinstance(lost, Unknown) else Unknown("what is multiplied is no tensor")
            return lost.at(calls.interpreter.span(node))
        values = [value for value in tensors if isinstance(value, TensorValue)]
        return calls.interpreter.building.apply(
            "Einsum", values, {"equation": given[0]}, span=calls.interpreter.span(node)
        )[0]
    if name == "meshgrid":
        axes = given[0] if given and isinstance(given[0], (list, tuple)) else given
        ends = [value.shape[0] for value in axes if isinstance(value, FilledValue) and value.shape]
        return [FilledValue(tuple(ends)) for _ in ends]
    if is_filled(name, given):
        return filled(name, given, named)
    if name in ("arange", "range", "linspace"):
        return arange(calls, name, given, named, node)
    if name in ("Parameter", "parameter"):
        return parameter(calls, given, named, node)
    if name in TENSORS and (data := of_data(given[0] if given else named.get("data"))) is not None:
        return data
    if name == "Buffer":
        return given[0] if given else None
    rows = [value.shape[0] for value in given if isinstance(value, FilledValue) and len(value.shape) == 1]
    if name == "outer" and len(given) == 2 and len(rows) == 2:
        return FilledValue(tuple(rows))
    if name in ("polar", "complex") and given and isinstance(given[0], FilledValue):
        return FilledValue(given[0].shape)
    first = named.pop("input", None) if not given else given[0]
    if isinstance(first, FilledValue) and name in torch_layers.ELEMENTWISE:
        return FilledValue(first.shape)
    if isinstance(first, FilledValue):
        first = calls.tensor(first, node)
    if not isinstance(first, TensorValue):
        return (
            first.at(calls.interpreter.span(node))
            if isinstance(first, Unknown)
            else Unknown(f"`{path}` is not followed")
        )
    if name == "shape":
        return sizes(calls.interpreter, first)
    if path.startswith(("tensorflow", "keras")):
        return _tensorflow(calls, name, first, given[1:], named, node)
    return tensor_function(TensorFunctionCall(calls, name, first, given[1:], named, node))


def _joined(calls: Caller, name: str, given: list[PyValue], named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    run = calls.interpreter
    items = given[0] if given else named.get("tensors", named.get("values"))
    axis = named.get("dim", named.get("axis", given[1] if len(given) > 1 else -1 if name == "concatenate" else 0))
    if isinstance(items, (list, tuple)):
        items = [calls.tensor(item, node) if isinstance(item, FilledValue) else item for item in items]
    joins = joining(items) if isinstance(items, (list, tuple)) else "Concatenate"
    if isinstance(items, (list, tuple)) and name != "stack" and isinstance(axis, int):
        items = [optional(run.building, item, axis, run.span(node)) for item in items]
    values = [value for value in (items if isinstance(items, (list, tuple)) else []) if isinstance(value, TensorValue)]
    if not values or not isinstance(items, (list, tuple)) or len(values) != len(items):
        parts = items if isinstance(items, (list, tuple)) else [items]
        lost = next((part for part in parts if isinstance(part, Unknown)), Unknown("what is joined is no tensor"))
        return lost.at(run.span(node))
    operator = "Stack" if name == "stack" else joins
    return run.building.apply(operator, values, {"axis": whole(calls, axis, "an axis", node)}, span=run.span(node))[0]


def _tensorflow(
    calls: Caller, name: str, tensor: TensorValue, given: list[PyValue], named: dict[str, PyValue], node: ast.AST
) -> PyValue:
    if name in REDUCED:
        named = {"dim": named.get("axis", given[0] if given else None), "keepdim": named.get("keepdims", False)}
        return reduced(calls, REDUCED[name], tensor, named, node)
    if name in TF_ELEMENTWISE:
        return calls.interpreter.building.apply(TF_ELEMENTWISE[name], [tensor], span=calls.interpreter.span(node))[0]
    if name == "reshape":
        return reshaped(calls, tensor, named.get("shape", given[0] if given else None), node)
    if name == "transpose":
        return permuted(calls, tensor, named.get("perm", named.get("axes", given[0] if given else None)), node)
    if name == "expand_dims":
        named = {"dim": named.get("axis", given[0] if given else -1)}
        return tensor_function(TensorFunctionCall(calls, "unsqueeze", tensor, [], named, node))
    return tensor_function(TensorFunctionCall(calls, name, tensor, given, named, node))


def filled_method(
    calls: Caller, owner: FilledValue, name: str, given: list[PyValue], named: dict[str, PyValue], node: ast.AST
) -> PyValue:
    """A method of a tensor that no layer makes: what fills it again in place, or a function of the tensor."""
    if (found := of_rows(name, [owner, *given])) is not None:
        return found
    if name == "size":
        return owner.shape[given[0]] if given and isinstance(given[0], int) else owner.shape
    if name.endswith("_") or name in ("float", "long", "to", "type", "cuda", "clone", "exp", "sin", "cos", "log"):
        return owner
    return tensor_method(calls, calls.tensor(owner, node), name, given, named, node)
