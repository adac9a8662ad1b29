"""What sources do to tensors without a layer: shapes, views, slices, and the functions of torch, tf and keras.ops."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn import keras_layers, torch_layers
from tunepass.frontends.dnn.applying import TORCH, apply_layer, attribute_of, bound_arguments
from tunepass.frontends.dnn.arithmetic import arithmetic
from tunepass.frontends.dnn.machine import Caller, Machine
from tunepass.frontends.dnn.presence import joining, optional
from tunepass.frontends.dnn.values import FilledValue, LayerValue, Method, PyValue, TensorValue, Unknown
from tunepass.graphs.values import product
from tunepass.ir.graph import Attribute, Shape

FILLED = frozenset({"zeros", "ones", "randn", "rand", "empty", "full", "normal", "uniform"})
TF_ELEMENTWISE = {**keras_layers.ACTIVATIONS, "identity": "Identity", "sqrt": "Sqrt", "exp": "Exp", "square": "Exp"}
REDUCED = {"reduce_mean": "ReduceMean", "reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "mean": "ReduceMean",
           "sum": "ReduceSum", "max": "ReduceMax", "argmax": "ArgMax"}  # fmt: skip


def plain(size: Expr) -> PyValue:
    """A size as Python's number where it is one."""
    known = algebra.number(size)
    return int(known) if known is not None else size


def sizes(run: Machine, tensor: TensorValue) -> tuple[PyValue, ...]:
    return tuple(plain(size) for size in run.building.shape(tensor))


def tensor_attribute(run: Machine, tensor: TensorValue, name: str, node: ast.AST) -> PyValue:
    if name == "shape":
        return sizes(run, tensor)
    if name in ("T", "mT"):
        return _transposed(run, tensor, -2, -1, node)
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
    return _function(calls, name, tensor, given, named, node)


def call_tensor_function(
    calls: Caller, path: str, given: list[PyValue], named: dict[str, PyValue], node: ast.AST
) -> PyValue:
    """`torch.flatten(x, 1)`, `F.relu(x)`, `tf.concat([a, b], axis=1)`; Unknown for what concerns no tensor."""
    name = path.rpartition(".")[2]
    if name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack"):
        return _joined(calls, name, given, named, node)
    if name == "einsum" and given and isinstance(given[0], str):
        tensors = [v for value in given[1:] for v in (value if isinstance(value, (list, tuple)) else [value])]
        values = [value for value in tensors if isinstance(value, TensorValue)]
        return calls.interpreter.building.apply(
            "Einsum", values, {"equation": given[0]}, span=calls.interpreter.span(node)
        )[0]
    if name in FILLED:
        shape = named.get("shape", named.get("size"))
        dims = (
            given[0] if given and isinstance(given[0], (list, tuple)) else shape if shape is not None else tuple(given)
        )
        return FilledValue(tuple(dims) if isinstance(dims, (list, tuple)) else (dims,))
    if name in ("arange", "range", "linspace"):
        return FilledValue((_counted(calls, name, given, named, node),))
    if name in ("Parameter", "parameter"):
        return _parameter(calls, given, node)
    first = named.pop("input", None) if not given else given[0]
    if isinstance(first, FilledValue):
        first = calls.tensor(first, node)
    if not isinstance(first, TensorValue):
        return (
            first.at(calls.interpreter.span(node))
            if isinstance(first, Unknown)
            else Unknown(f"`{path}` is not followed")
        )
    if path.startswith(("tensorflow", "keras")):
        return _tensorflow(calls, name, first, given[1:], named, node)
    return _function(calls, name, first, given[1:], named, node)


def _counted(calls: Caller, name: str, given: list[PyValue], named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    """How many numbers a range of numbers has."""
    ends = {**dict(zip(("start", "stop", "step") if len(given) > 1 else ("stop",), given)), **named}
    start, stop, step = ends.get("start", 0), ends.get("stop", ends.get("end")), ends.get("step", 1)
    if name == "linspace":
        return ends.get("steps", ends.get("num", step))
    span = arithmetic(calls.interpreter, ast.Sub, stop, start, node)
    return span if step == 1 else arithmetic(calls.interpreter, ast.FloorDiv, span, step, node)


WEIGHT = {"Embedding": ("num_embeddings", "embedding_dim"), "Linear": ("out_features", "in_features")}


def weight_of(layer: LayerValue) -> FilledValue:
    """A layer's weight as a tensor of its own: the layer has counted it."""
    return FilledValue(tuple(layer.arguments.get(name, Unknown("a size")) for name in WEIGHT.get(layer.name, ())))


def _linear(calls: Caller, tensor: TensorValue, weight: PyValue, node: ast.AST) -> PyValue:
    """torch.nn.functional.linear with the weight of a layer, or with a parameter."""
    if isinstance(weight, Method) and isinstance(weight.owner, LayerValue):
        weight = calls.tensor(weight_of(weight.owner), node)
    if not isinstance(weight, TensorValue):
        raise calls.error("the weight of this is not known", node, "write it with nn.Linear")
    run = calls.interpreter
    across = {"transpose_y": algebra.lift(True)}
    return run.building.apply("MatMul", [tensor, weight], dict(across), span=run.span(node))[0]


def filled_method(
    calls: Caller, owner: FilledValue, name: str, given: list[PyValue], named: dict[str, PyValue], node: ast.AST
) -> PyValue:
    """A method of a tensor that no layer makes: what fills it again in place, or a function of the tensor."""
    if name.endswith("_") or name in ("float", "long", "to", "type", "cuda", "clone", "exp", "sin", "cos", "log"):
        return owner
    return tensor_method(calls, calls.tensor(owner, node), name, given, named, node)


def _parameter(calls: Caller, given: list[PyValue], node: ast.AST) -> PyValue:
    made = given[0] if given else None
    if not isinstance(made, FilledValue):
        raise calls.error("the shape of this parameter is not known", node, "write nn.Parameter(torch.zeros(...))")
    run = calls.interpreter
    shape = attribute_of(made.shape, "the parameter's shape", run.span(node))
    return run.building.apply("Parameter", [], {"shape": shape}, span=run.span(node))[0]


def _joined(calls: Caller, name: str, given: list[PyValue], named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    run = calls.interpreter
    items = given[0] if given else named.get("tensors", named.get("values"))
    axis = named.get("dim", named.get("axis", given[1] if len(given) > 1 else -1 if name == "concatenate" else 0))
    joins = joining(items) if isinstance(items, (list, tuple)) else "Concatenate"
    if isinstance(items, (list, tuple)) and name != "stack" and isinstance(axis, int):
        items = [optional(run.building, item, axis, run.span(node)) for item in items]
    values = [value for value in (items if isinstance(items, (list, tuple)) else []) if isinstance(value, TensorValue)]
    if not values or not isinstance(items, (list, tuple)) or len(values) != len(items):
        parts = items if isinstance(items, (list, tuple)) else [items]
        lost = next((part for part in parts if isinstance(part, Unknown)), Unknown("what is joined is no tensor"))
        return lost.at(run.span(node))
    operator = "Stack" if name == "stack" else joins
    return run.building.apply(operator, values, {"axis": _whole(calls, axis, "an axis", node)}, span=run.span(node))[0]


def _whole(calls: Caller, value: PyValue, what: str, node: ast.AST) -> Expr:
    if not isinstance(value, int):
        raise calls.error(f"{what} is a whole number", node)
    return algebra.lift(int(value))


def _tensorflow(
    calls: Caller, name: str, tensor: TensorValue, given: list[PyValue], named: dict[str, PyValue], node: ast.AST
) -> PyValue:
    if name in REDUCED:
        named = {"dim": named.get("axis", given[0] if given else None), "keepdim": named.get("keepdims", False)}
        return _reduced(calls, REDUCED[name], tensor, named, node)
    if name in TF_ELEMENTWISE:
        return calls.interpreter.building.apply(TF_ELEMENTWISE[name], [tensor], span=calls.interpreter.span(node))[0]
    if name == "reshape":
        return _reshaped(calls, tensor, named.get("shape", given[0] if given else None), node)
    if name == "transpose":
        return _permuted(calls, tensor, named.get("perm", named.get("axes", given[0] if given else None)), node)
    if name == "expand_dims":
        named = {"dim": named.get("axis", given[0] if given else -1)}
        return _function(calls, "unsqueeze", tensor, [], named, node)
    return _function(calls, name, tensor, given, named, node)


def _function(
    calls: Caller, name: str, tensor: TensorValue, given: list[PyValue], named: dict[str, PyValue], node: ast.AST
) -> PyValue:
    """A function of torch, or the method of the same name; `given` are its arguments after the tensor."""
    run, span = calls.interpreter, calls.interpreter.span(node)
    if name in torch_layers.FUNCTIONAL:
        layer = torch_layers.FUNCTIONAL[name]
        if name == "interpolate" and "size" not in named and given:
            named = {"size": given[0], **named}
            given = []
        return apply_layer(
            run.building, LayerValue(layer, TORCH, bound_arguments(TORCH, layer, given, named, span), span), [tensor]
        )
    if name in torch_layers.BINARY or name in torch_layers.PRODUCTS:
        other = given[0] if given else named.get("other")
        if isinstance(other, TensorValue):
            operator = torch_layers.BINARY.get(name, "MatMul")
            return run.building.apply(operator, [tensor, other], span=span)[0]
        return run.building.apply("Scale", [tensor], span=span)[0]
    if name in ("max", "min") and (given or "dim" in named):
        return _extreme(calls, name, tensor, given, named, node)
    if name in torch_layers.REDUCTIONS:
        return _reduced(
            calls, torch_layers.REDUCTIONS[name], tensor, {**_named(given, "dim", "keepdim"), **named}, node
        )
    if name in torch_layers.ELEMENTWISE:
        return run.building.apply(torch_layers.ELEMENTWISE[name], [tensor], span=span)[0]
    match name:
        case "linear" if given:
            return _linear(calls, tensor, given[0], node)
        case "view" | "reshape":
            target = given[0] if len(given) == 1 and isinstance(given[0], (list, tuple)) else tuple(given)
            return _reshaped(calls, tensor, named.get("shape", target), node)
        case "flatten":
            return _flattened(calls, tensor, {**_named(given, "start_dim", "end_dim"), **named}, node)
        case "permute":
            return _permuted(
                calls, tensor, given[0] if given and isinstance(given[0], (list, tuple)) else tuple(given), node
            )
        case "transpose" | "swapaxes" if len(given) == 2:
            return _transposed(run, tensor, given[0], given[1], node)
        case "t":
            return _transposed(run, tensor, 0, 1, node)
        case "unsqueeze" | "squeeze":
            axis = named.get("dim", given[0] if given else None)
            if axis is None:
                shape = run.building.shape(tensor)
                axes = tuple(algebra.lift(k) for k, size in enumerate(shape) if algebra.number(size) == 1)
            else:
                axes = (_whole(calls, axis, "an axis", node),)
            return run.building.apply(
                "Unsqueeze" if name == "unsqueeze" else "Squeeze", [tensor], {"axes": axes}, span=span
            )[0]
        case "unbind":
            axis = named.get("dim", given[0] if given else 0)
            count = algebra.number(run.building.shape(tensor)[int(axis)]) if isinstance(axis, int) else None
            if count is None:
                raise calls.error("into how many parts this splits is not known", node)
            along: dict[str, Attribute] = {"axis": _whole(calls, axis, "an axis", node)}
            return tuple(run.building.apply("Pick", [tensor], along, span=span)[0] for _ in range(int(count)))
        case "chunk" | "split":
            return _split(calls, name, tensor, {**_named(given, "count", "dim"), **named}, node)
        case "expand" | "expand_as" | "repeat" | "tile":
            return _repeated(calls, name, tensor, given, node)
        case "masked_fill" | "where":
            return run.building.apply("Clip", [tensor], span=span)[0]
        case "softmax_" | "type_as" | "cuda" | "cpu" | "half" | "requires_grad_":
            return tensor
        case "pad":
            return _padded(calls, tensor, given, node)
    return Unknown(f"`{name}` of a tensor is not known", span)


def _extreme(
    calls: Caller, name: str, tensor: TensorValue, given: list[PyValue], named: Mapping[str, PyValue], node: ast.AST
) -> PyValue:
    """torch.max and min: of two tensors, or along an axis, with where it was."""
    run = calls.interpreter
    other = given[0] if given else None
    if isinstance(other, TensorValue):
        operator = "Maximum" if name == "max" else "Minimum"
        return run.building.apply(operator, [tensor, other], span=run.span(node))[0]
    along = {**_named(given, "dim", "keepdim"), **named}
    return (_reduced(calls, "ReduceMax", tensor, along, node), _reduced(calls, "ArgMax", tensor, along, node))


def _named(given: list[PyValue], *names: str) -> dict[str, PyValue]:
    return dict(zip(names, given))


def _reshaped(calls: Caller, tensor: TensorValue, target: PyValue, node: ast.AST) -> TensorValue:
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


def _permuted(calls: Caller, tensor: TensorValue, order: PyValue, node: ast.AST) -> TensorValue:
    run = calls.interpreter
    if order is None:
        order = tuple(reversed(range(len(run.building.shape(tensor)))))
    axes = attribute_of(order, "the order of the axes", run.span(node))
    return run.building.apply("Transpose", [tensor], {"order": axes}, span=run.span(node))[0]


def _transposed(run: Machine, tensor: TensorValue, left: PyValue, right: PyValue, node: ast.AST) -> TensorValue:
    rank = len(run.building.shape(tensor))
    if not isinstance(left, int) or not isinstance(right, int) or not (-rank <= left < rank and -rank <= right < rank):
        raise run.fail("the axes to exchange are whole numbers", node)
    order = list(range(rank))
    order[left % rank], order[right % rank] = right % rank, left % rank
    axes = tuple(algebra.lift(axis) for axis in order)
    return run.building.apply("Transpose", [tensor], {"order": axes}, span=run.span(node))[0]


def _reduced(calls: Caller, operator: str, tensor: TensorValue, named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    run = calls.interpreter
    rank = len(run.building.shape(tensor))
    given = named.get("dim", named.get("axis"))
    axes = tuple(range(rank)) if given is None else given if isinstance(given, (list, tuple)) else (given,)
    attributes: dict[str, Attribute] = {
        "axes": tuple(_whole(calls, axis, "an axis", node) for axis in axes),
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
