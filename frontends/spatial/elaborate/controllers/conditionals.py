"""`if (c) a else b`: chosen where the condition is known; in hardware both branches exist."""

from __future__ import annotations

from tunepass.frontends.spatial.elaborate.bodies import BodyBuilder
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.controllers.build import controller
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.numbers.builtins import mux
from tunepass.frontends.spatial.elaborate.numbers.reading import constant_of, read
from tunepass.frontends.spatial.elaborate.values import UNIT, Known, Scope, TupleOf, Unmodelled, Value, Wire
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import Controller, Schedule


def conditional(elaborator: Elaborator, node: n.Conditional, scope: Scope) -> Value:
    """Branches with stages fork, values are selected by a multiplexer."""
    context = elaborator.context
    condition = read(context, elaborator.value(node.condition, scope), node.condition.span)
    known = constant_of(condition)
    if known is not None:
        chosen = node.then if known else node.otherwise
        return elaborator.block(chosen, scope) if chosen is not None else UNIT
    if not context.in_hardware:
        return Unmodelled("if")
    branches = [branch for branch in (node.then, node.otherwise) if branch is not None]
    bodies: list[BodyBuilder] = []
    values: list[Value] = []
    for branch in branches:
        with context.body() as body:
            values.append(elaborator.block(branch, scope))
        bodies.append(body)
    if all(body.is_inner for body in bodies):
        for body in bodies:
            context.bodies[-1].items.extend(body.items)
            context.bodies[-1].memories.extend(body.memories)
    else:
        cases = tuple(map(_case, branches, bodies))
        context.add_stage(Controller(f"if_{node.span.line}", "switch", Schedule.FORK, stages=cases, span=node.span))
    return mux(context, [condition, *values], node.span) if _selectable(context, values, node) else UNIT


def _case(branch: n.Node, body: BodyBuilder) -> Controller:
    return controller(f"case_{branch.span.line}", "case", body, Schedule.SEQUENTIAL, branch.span)


def _selectable(context: Context, values: list[Value], node: n.Conditional) -> bool:
    """Do both branches have values that a multiplexer can choose from?"""
    if len(values) != 2:
        return False
    if all(isinstance(value, TupleOf) for value in values):
        return True
    return all(isinstance(read(context, value, node.span), (Known, Wire)) for value in values)
