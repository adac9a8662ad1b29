"""Tensors of numbers that no layer makes: `torch.zeros(2, 3)`, `torch.arange(4)`, `nn.Parameter(torch.ones(8))`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tunepass.expr.nodes import Expr
from tunepass.frontends.dnn.interpreter.arithmetic import arithmetic
from tunepass.frontends.dnn.interpreter.machine import Caller
from tunepass.frontends.dnn.interpreter.numbers import counted_row, listed
from tunepass.frontends.dnn.interpreter.values import FilledValue, LayerValue, Method, PyValue, TensorValue, Unknown
from tunepass.frontends.dnn.layers.applying import attribute_of
from tunepass.frontends.dnn.tensors.call import weight_of
from tunepass.ir.graph import Attribute

FILLED = frozenset({
    "zeros", "ones", "randn", "rand", "empty", "full", "normal", "uniform", "Tensor", "FloatTensor", "LongTensor",
    "random", "standard_normal", "random_sample", "truncated_normal",
})  # fmt: skip
SQUARE = frozenset({"eye", "identity", "randperm", "randint", "logspace"})
TENSORS = frozenset({"tensor", "as_tensor", "array", "asarray", "constant", "convert_to_tensor", "from_numpy"})
FIRST = {"full": 1, "randint": 1}  # how many arguments after the shape, or before it, are numbers
LAST = frozenset({"normal", "uniform", "randint"})  # the shape is the last argument of these in torch and NumPy


def is_filled(path: str, given: Sequence[PyValue], framework: bool = True) -> bool:
    """Whether a function makes such a tensor of these arguments."""
    name = path.rpartition(".")[2]
    made = name in FILLED or name in SQUARE or (name in TENSORS and not framework)
    return made and not any(isinstance(value, (TensorValue, FilledValue)) for value in given)


def filled(path: str, given: Sequence[PyValue], named: Mapping[str, PyValue]) -> FilledValue:
    """What the function makes: of the shape that it is given."""
    name = path.rpartition(".")[2]
    if name in ("eye", "identity"):
        rows = named.get("n", given[0] if given else Unknown("a size"))
        return FilledValue((rows, given[1] if len(given) > 1 and name == "eye" else named.get("m", rows)))
    if name == "randperm":
        return FilledValue((given[0] if given else named.get("n", Unknown("a size")),))
    if name == "logspace":
        return FilledValue((given[2] if len(given) > 2 else named.get("steps", named.get("num", 50)),))
    shape = named.get("shape", named.get("size"))
    lists = [value for value in given if isinstance(value, (list, tuple))]
    if shape is None:
        shape = lists[-1] if lists else given[-1] if name in LAST and len(given) > 2 else tuple(given)
    return FilledValue(tuple(shape) if isinstance(shape, (list, tuple)) else (shape,))


def of_data(data: PyValue) -> FilledValue | None:
    """`torch.tensor(data)`: of a number, or of lists of them; None: its shape is not known."""
    if isinstance(data, (bool, int, float, Expr)):
        return FilledValue((), (data,) if isinstance(data, (bool, int, float)) else None)
    if isinstance(data, FilledValue):
        return data
    if not isinstance(data, (list, tuple)):
        return None
    if all(isinstance(item, (bool, int, float, Expr)) for item in data):
        return listed(data) or FilledValue((len(data),))
    parts = [of_data(item) for item in data]
    shapes = {part.shape if part is not None else None for part in parts if part is None or _plain(part.shape)}
    (shape, *others) = shapes or {None}
    return None if others or shape is None else FilledValue((len(data), *shape))


def _plain(shape: Sequence[PyValue]) -> bool:
    return all(isinstance(size, int) for size in shape)


def arange(calls: Caller, name: str, given: list[PyValue], named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    """A range of numbers: how many there are, and which, if they are plain."""
    names = ("start", "stop", "step") if len(given) > 1 or name == "linspace" else ("stop",)
    ends = {**dict(zip(names, given)), **named}
    start, stop, step = ends.get("start", 0), ends.get("stop", ends.get("end")), ends.get("step", 1)
    if name == "linspace":
        count = ends.get("steps", ends.get("num", step))
        return counted_row(name, start, stop, count) or FilledValue((count,))
    if (known := counted_row(name, start, stop, step)) is not None:
        return known
    span = arithmetic(calls.interpreter, ast.Sub, stop, start, node)
    return FilledValue((span if step == 1 else arithmetic(calls.interpreter, ast.FloorDiv, span, step, node),))


def parameter(calls: Caller, given: list[PyValue], named: Mapping[str, PyValue], node: ast.AST) -> PyValue:
    """`nn.Parameter(data)`: weights of the module that it is assigned to, unless `requires_grad` is False."""
    data = given[0] if given else named.get("data")
    run = calls.interpreter
    if isinstance(data, Method) and isinstance(data.owner, LayerValue) and data.name == "weight":
        data = weight_of(data.owner)
    made = data if isinstance(data, TensorValue) else of_data(data)
    if made is None:
        lost = data.reason if isinstance(data, Unknown) else "it is no tensor"
        raise calls.error(
            f"the shape of this parameter is not known: {lost}", node, "write nn.Parameter(torch.zeros(...))"
        )
    if named.get("requires_grad", given[1] if len(given) > 1 else True) is False:
        return made
    shape: Attribute = run.building.shape(made) if isinstance(made, TensorValue) else ()
    if isinstance(made, FilledValue):
        shape = attribute_of(made.shape, "the parameter's shape", run.span(node))
    return run.building.apply("Parameter", [], {"shape": shape}, span=run.span(node))[0]
