"""Directives, formats and whole command lines as TACO writes them, with values in place of parameters.

What TACO's tool cannot read is never written: factors are integers, an argument has one `=`, and what OpenMP is told
stands outside the schedule, in words of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tunepass.expr.nodes import Expr
from tunepass.expr.python_eval import evaluate
from tunepass.ir import tensor as t
from tunepass.space.configuration import Value
from tunepass.tensors.notation import assignment_text, expression_text

Values = Mapping[str, Value]


def command_line(body: t.TensorKernel, values: Values) -> str:
    """`taco "A(i,k)=B(i,j)*C(j,k)" -f=B:ds -s="split(i,i0,i1,16)"`, to be pasted into a shell."""
    return " ".join(["taco", f'"{packed_assignment(body.assignment)}"', *options(body, values)])


def options(body: t.TensorKernel, values: Values) -> Iterator[str]:
    """The words after the expression."""
    for tensor in body.tensors:
        if (tensor.index and tensor.format.sparse) or tensor.format.order != tuple(range(len(tensor.index))):
            yield f"-f={tensor.name}:{format_text(tensor.format)}"
        if tensor.element != "double":
            yield f"-t={tensor.name}:{tensor.element}"
    yield from (f"-d={variable}:{extent}" for variable, extent in body.extents)
    if body.schedule:
        yield f'-s="{schedule_text(body.schedule, values)}"'
    for directive in body.schedule:
        if isinstance(directive, t.Parallelize):
            yield from _openmp_options(directive, values)


def schedule_text(schedule: Sequence[t.Directive], values: Values) -> str:
    """What follows `-s=`; parallel loops are declared last, as TACO wants them."""
    last = [d for d in schedule if isinstance(d, t.Parallelize)]
    ordered = [*(d for d in schedule if not isinstance(d, t.Parallelize)), *last]
    return ",".join(directive_text(directive, values, spaced=False) for directive in ordered)


def packed_assignment(assignment: t.Assignment) -> str:
    return assignment_text(assignment).replace(" ", "")


def format_text(format_: t.Format) -> str:
    """`ds`, `ds:1,0`."""
    letters = "".join("s" if level == "compressed" else "d" for level in format_.levels)
    if format_.order == tuple(range(len(letters))):
        return letters
    return f"{letters}:{','.join(str(mode) for mode in format_.order)}"


def declaration_text(tensor: t.Tensor) -> str:
    """`tensor B(i,j) = ds double`."""
    format_ = f" = {format_text(tensor.format)}" if tensor.index else ""
    return f"tensor {expression_text(t.Access(tensor.name, tensor.index))}{format_} {tensor.element}"


def directive_text(directive: t.Directive, values: Values, spaced: bool = True) -> str:
    """`split(i, i0, i1, 16)`; `spaced`, as in a .taco file, a parallel loop has what OpenMP is told too."""
    name, arguments = _parts(directive, values)
    if spaced and isinstance(directive, t.Parallelize):
        arguments += _openmp_arguments(directive, values)
    text = f"{name}({', '.join(arguments)})"
    return text if spaced else text.replace(" ", "")


def _parts(directive: t.Directive, values: Values) -> tuple[str, list[str]]:
    match directive:
        case t.Split(variable, outer, inner, factor):
            return "split", [variable, outer, inner, _number(factor, values)]
        case t.Divide(variable, outer, inner, factor):
            return "divide", [variable, outer, inner, _number(factor, values)]
        case t.Fuse(outer, inner, fused):
            return "fuse", [outer, inner, fused]
        case t.Pos(variable, position, tensor):
            return "pos", [variable, position, tensor]
        case t.Reorder(variables, parameter):
            order = values[parameter] if parameter is not None else variables
            assert isinstance(order, tuple)
            return "reorder", [str(variable) for variable in order]
        case t.Precompute(expression, variables, workspace_variables, workspace):
            lists = [_list(variables), _list(workspace_variables)]
            return "precompute", [expression_text(expression), *lists, *([workspace] if workspace else [])]
        case t.Bound(variable, bounded, extent, bound):
            return "bound", [variable, bounded, _number(extent, values), bound]
        case t.Unroll(variable, factor):
            return "unroll", [variable, _number(factor, values)]
        case t.Parallelize(variable, unit, race):
            return "parallelize", [variable, unit, race]


def _openmp_arguments(directive: t.Parallelize, values: Values) -> list[str]:
    arguments = []
    if directive.policy is not None:
        chunk = [_number(directive.chunk, values)] if directive.chunk is not None else []
        arguments.append(f"schedule({', '.join([str(_value(directive.policy, values)), *chunk])})")
    if directive.threads is not None:
        arguments.append(_number(directive.threads, values))
    return arguments


def _openmp_options(directive: t.Parallelize, values: Values) -> Iterator[str]:
    """The tool has one of each, for all parallel loops."""
    if directive.policy is not None:
        chunk = f",{_number(directive.chunk, values)}" if directive.chunk is not None else ""
        yield f"-schedule={_value(directive.policy, values)}{chunk}"
    if directive.threads is not None:
        yield f"-nthreads={_number(directive.threads, values)}"


def _list(variables: Sequence[str]) -> str:
    return variables[0] if len(variables) == 1 else f"{{{','.join(variables)}}}"


def _number(amount: Expr, values: Values) -> str:
    value = _value(amount, values)
    assert isinstance(value, int) and not isinstance(value, bool)
    return str(value)


def _value(amount: Expr, values: Values) -> bool | int | float | str:
    return evaluate(amount, dict(values))
