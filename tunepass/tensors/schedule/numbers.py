"""Conditions on the numbers of directives: sizes of 1 or more, true extents, policies of OpenMP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tunepass.diagnostics import Span
from tunepass.expr.algebra import ceildiv, compare, lift, mul, number
from tunepass.expr.nodes import CategoryType, Constant, Expr, IntegerType, Name
from tunepass.expr.typing import constant, member
from tunepass.ir.tensor import Bound, Directive, Divide, Fuse, Parallelize, Pos, Precompute, Split, TensorKernel, Unroll
from tunepass.space.parameter import Parameter
from tunepass.tensors.refusal import IllegalSchedule
from tunepass.tensors.schedule.apply import POLICIES
from tunepass.tensors.schedule.nest import known_extents


@dataclass(frozen=True, slots=True)
class ScheduleCondition:
    """A condition on parameters."""

    expression: Expr
    span: Span | None


def number_conditions(body: TensorKernel, parameters: Mapping[str, Parameter]) -> tuple[ScheduleCondition, ...]:
    """Conditions that some value of a parameter breaks. Raises IllegalSchedule for a number of the wrong type."""
    extents: dict[str, Expr] = {variable: lift(extent) for variable, extent in known_extents(body).items()}
    conditions: list[ScheduleCondition] = []
    for at, directive in enumerate(body.schedule):
        for e in _counts(directive):
            conditions += _count_conditions(e, directive.span, parameters)
        if isinstance(directive, Bound):
            conditions += _bound_conditions(directive, body.schedule[:at], extents)
            if _is_index_variable(directive.variable, body.schedule[:at]):
                extents.setdefault(_origin(directive.variable, body.schedule[:at]), directive.extent)
        if isinstance(directive, Parallelize) and directive.policy is not None:
            conditions += _policy_conditions(directive.policy, directive.span)
    return tuple(dict.fromkeys(conditions))


def _counts(directive: Directive) -> Iterator[Expr]:
    match directive:
        case Split(factor=e) | Divide(factor=e) | Unroll(factor=e) | Bound(extent=e):
            yield e
        case Parallelize(chunk=chunk, threads=threads):
            yield from (e for e in (chunk, threads) if e is not None)


def _count_conditions(e: Expr, span: Span | None, parameters: Mapping[str, Parameter]) -> Iterator[ScheduleCondition]:
    if isinstance(e, Constant):
        return  # checked when the directive is applied
    if not isinstance(e.type, IntegerType):
        raise IllegalSchedule("factor", f"a size is a whole number, got a value of type {e.type}", e.span or span)
    if isinstance(e, Name) and parameters[e.name].ends()[0] >= 1:
        return
    yield ScheduleCondition(compare(e, ">=", 1), e.span or span)


def _policy_conditions(e: Expr, span: Span | None) -> Iterator[ScheduleCondition]:
    if isinstance(e, Constant):
        return
    if not isinstance(e.type, CategoryType):
        message = f"the schedule of threads is {' or '.join(POLICIES)}, got a value of type {e.type}"
        raise IllegalSchedule("parallel", message, e.span or span)
    if not set(e.type.values) <= set(POLICIES):
        yield ScheduleCondition(member(e, [constant(policy) for policy in POLICIES]), e.span or span)


def _bound_conditions(
    bound: Bound, before: tuple[Directive, ...], extents: Mapping[str, Expr]
) -> Iterator[ScheduleCondition]:
    true = _extent(bound.variable, before, extents)
    if true is None or true == bound.extent or (number(true) is not None and isinstance(bound.extent, Constant)):
        return
    yield ScheduleCondition(compare(bound.extent, "==", true), bound.span)


def _extent(variable: str, directives: tuple[Directive, ...], extents: Mapping[str, Expr]) -> Expr | None:
    """The extent of a loop as an expression, where there is one: `constant_extent` before numbers are filled in."""
    for directive in directives:
        match directive:
            case Split(inner=inner, factor=factor) if inner == variable:
                return factor
            case Divide(outer=outer, factor=factor) if outer == variable:
                return factor
            case Split(parent, outer, _, factor) if outer == variable:
                return _divided(_extent(parent, directives, extents), factor)
            case Divide(parent, _, inner, factor) if inner == variable:
                return _divided(_extent(parent, directives, extents), factor)
            case Fuse(outer, inner, fused) if fused == variable:
                left, right = _extent(outer, directives, extents), _extent(inner, directives, extents)
                return None if left is None or right is None else mul(left, right)
            case Bound(bounded=bounded, extent=extent) if bounded == variable:
                return extent
            case Precompute(variables=old, workspace_variables=new) if variable in new and variable not in old:
                return _extent(old[new.index(variable)], directives, extents)
    return extents.get(variable)


def _is_index_variable(variable: str, before: tuple[Directive, ...]) -> bool:
    """Of the expression, or a workspace's own: no loop that a directive derives."""
    derived: set[str] = set()
    for directive in before:
        match directive:
            case Split(outer=outer, inner=inner) | Divide(outer=outer, inner=inner):
                derived |= {outer, inner}
            case Fuse(fused=name) | Pos(position=name) | Bound(bounded=name):
                derived.add(name)
    return variable not in derived


def _origin(variable: str, before: tuple[Directive, ...]) -> str:
    """The index variable that a workspace's own stands for."""
    for directive in reversed(before):
        if isinstance(directive, Precompute) and variable in directive.workspace_variables:
            variable = directive.variables[directive.workspace_variables.index(variable)]
    return variable


def _divided(whole: Expr | None, factor: Expr) -> Expr | None:
    return None if whole is None else ceildiv(whole, factor)
