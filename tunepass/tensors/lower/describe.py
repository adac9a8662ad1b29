"""Description of a generated function's arguments in words, for its callers."""

from __future__ import annotations

from tunepass.ir.tensor import TensorKernel
from tunepass.tensors.lower.function import Argument, CFunction, Coordinates, Extent, Positions, Values

TO = {"in": "read", "out": "written", "inout": "added to"}


def described(body: TensorKernel, function: CFunction) -> list[str]:
    """A line for each argument, in order."""
    names = [argument.name for argument in function.arguments]
    width = max(map(len, names), default=0)
    return [f"{a.name:{width}}  {_description(body, function, a)}" for a in function.arguments]


def _description(body: TensorKernel, function: CFunction, argument: Argument) -> str:
    match argument:
        case Extent(_, variable):
            return f"the extent of {variable}"
        case Positions(_, tensor, level):
            return f"{tensor}, level {level + 1}: where each segment begins, from 0, and where the last one ends"
        case Coordinates(_, tensor, level):
            mode = body.tensor(tensor).index[body.tensor(tensor).format.order[level]]
            return f"{tensor}, level {level + 1}: the coordinates of {mode}, ascending in each segment"
        case Values():
            return f"{_values(body, function, argument)}, {TO[argument.direction]}"


def _values(body: TensorKernel, function: CFunction, values: Values) -> str:
    tensor = body.tensor(values.tensor)
    if not tensor.index:
        return f"the number {tensor.name}"
    if function.pattern is not None and tensor.name == body.assignment.left.tensor:
        return f"the numbers of {tensor.name}, in the order of {function.pattern.operand}'s"
    if tensor.format.sparse:
        return f"the numbers of {tensor.name}, in the order of its last level"
    order = ", ".join(tensor.index[mode] for mode in tensor.format.order)
    innermost = ", the last one innermost" if len(tensor.index) > 1 else ""
    return f"the numbers of {tensor.name}, by {order}{innermost}"
