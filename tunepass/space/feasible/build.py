"""From parameters and constraints to the groups whose product is the feasible set."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tunepass.diagnostics import Diagnostic, Severity, SpaceError
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.activity import Activity
from tunepass.space.configuration import Value
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.branches import within_branch
from tunepass.space.feasible.components import components
from tunepass.space.feasible.conditional import ConditionalGroup, CountedConditionalGroup
from tunepass.space.feasible.conflict import conflicting, describe
from tunepass.space.feasible.diagram.compile import TooLarge
from tunepass.space.feasible.diagram.compiled import CompiledConstraints, build_group, listed_group
from tunepass.space.feasible.group import DiagramGroup, FreeGroup, InfiniteGroup, ParameterGroup
from tunepass.space.feasible.product import GroupProduct
from tunepass.space.feasible.sampling.rejection import RejectionGroup
from tunepass.space.parameter import Parameter

TREE_NODES = 200_000  # of a diagram in the order of the conditions, before another order is tried


def build_groups(
    parameters: Sequence[Parameter],
    constraints: Sequence[Constraint],
    node_limit: int,
    activity: Activity | None = None,
) -> tuple[tuple[ParameterGroup, ...], tuple[Diagnostic, ...]]:
    """The groups, and a warning for each that is sampled, not counted. Raises SpaceError where nothing is feasible,
    with a smallest set of constraints that conflict."""
    if activity:
        return _conditional_groups(parameters, constraints, node_limit, activity)
    groups: list[ParameterGroup] = []
    warnings: list[Diagnostic] = []
    for names, numbers in components(parameters, constraints):
        members = [p for p in parameters if p.name in names]
        tying = [constraints[i] for i in numbers]
        if not tying:
            p = members[0]
            groups.append(InfiniteGroup(p) if p.size is None else FreeGroup(p, p.size))
            continue
        group, is_empty = _tied(members, tying, node_limit)
        if is_empty:
            raise describe(conflicting(parameters, tying, node_limit))
        if isinstance(group, RejectionGroup):
            warnings.append(_sampled(members, tying, node_limit))
        groups.append(group)
    _check_constants(parameters, constraints, node_limit)
    return tuple(groups), tuple(warnings)


def _check_constants(parameters: Sequence[Parameter], constraints: Sequence[Constraint], node_limit: int) -> None:
    for c in constraints:
        if not c.names and not satisfied(c.expression, {}, 1)[0]:
            raise describe(conflicting(parameters, [c], node_limit))


def _conditional_groups(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], node_limit: int, activity: Activity
) -> tuple[tuple[ParameterGroup, ...], tuple[Diagnostic, ...]]:
    """A diagram of parameters tied by conditions has one row for each program; where it grows too large, or has reals,
    programs are drawn."""
    groups: list[ParameterGroup] = []
    warnings: list[Diagnostic] = []
    _check_constants(parameters, constraints, node_limit)
    for names, numbers in components(parameters, [*constraints, *activity.fillers]):
        members = [p for p in parameters if p.name in names]
        tying = [constraints[i] for i in numbers if i < len(constraints)]
        tied = activity.of(names)
        if not tied:
            plain, notes = build_groups(members, tying, node_limit)
            groups += plain
            warnings += notes
            continue
        group, notes = _conditional(members, tying, node_limit, tied)
        groups.append(group)
        warnings += notes
    return tuple(groups), tuple(warnings)


def _conditional(
    members: Sequence[Parameter], tying: Sequence[Constraint], node_limit: int, activity: Activity
) -> tuple[ParameterGroup, tuple[Diagnostic, ...]]:
    """The group of parameters that conditions tie, and a warning if it is sampled."""
    drawn = partial(_drawn, members, tying, node_limit, activity)
    counted = _counted(members, [*tying, *activity.fillers], node_limit, activity)
    if counted is not None:
        return CountedConditionalGroup(counted, drawn), ()
    group = drawn()
    reasons = tying or activity.fillers
    return group, () if group.counted else (_sampled(members, reasons, node_limit),)


def _drawn(
    members: Sequence[Parameter], tying: Sequence[Constraint], node_limit: int, activity: Activity
) -> ConditionalGroup:
    def branch(parameter: Parameter, value: Value) -> GroupProduct | None:
        others = [p for p in members if p.name != parameter.name]
        constraints = within_branch(tying, parameter.name, value)
        if constraints is None:
            return None
        try:
            return GroupProduct(others, build_groups(others, constraints, node_limit)[0])
        except SpaceError:
            return None

    groups, _ = build_groups(members, tying, node_limit)
    return ConditionalGroup(members, GroupProduct(members, groups), activity, branch)


def _counted(
    members: Sequence[Parameter], constraints: Sequence[Constraint], node_limit: int, activity: Activity
) -> DiagramGroup | None:
    """The diagram of the group, first with each parameter after those that its condition reads; None where there is
    none, or it is empty."""
    compiled = CompiledConstraints(members, [c.expression for c in constraints])
    if len(compiled.listed) < len(members):
        return None
    for order, limit in ((_by_conditions(compiled, activity), min(node_limit, TREE_NODES)), (None, node_limit)):
        try:
            group = listed_group(compiled, limit, order)
        except TooLarge:
            continue
        return group if group.size else None
    return None


def _by_conditions(compiled: CompiledConstraints, activity: Activity) -> list[int]:
    """The variables in the order of the tree of conditions: a parameter's children follow it."""
    numbers: dict[str, list[int]] = {p.name: [] for p in compiled.parameters}
    for number, variable in enumerate(compiled.variables):
        numbers[variable.parameter].append(number)
    return [number for name in activity.tree for number in numbers[name]]


def _tied(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], node_limit: int
) -> tuple[ParameterGroup, bool]:
    """The group of parameters that constraints tie together, and whether it is known to be empty."""
    expressions = [c.expression for c in constraints]
    try:
        group = build_group(parameters, expressions, node_limit)
        return group, group.size == 0
    except TooLarge:
        sampled = RejectionGroup(parameters, expressions, node_limit)
        return sampled, sampled.empty


def _sampled(parameters: Sequence[Parameter], constraints: Sequence[Constraint], node_limit: int) -> Diagnostic:
    real = any(p.size is None for p in parameters)
    reason = "has constraints over reals" if real else f"passes {node_limit} diagram nodes"
    message = f"this space {reason}: it is sampled, not counted"
    return Diagnostic(message, constraints[0].span, severity=Severity.WARNING)
