"""State machines: `FSM(init){ state => running }{ state => action }{ state => next }`."""

from __future__ import annotations

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate.controllers.build import controller
from tunepass.frontends.spatial.elaborate.controllers.heads import Groups, Head
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.functions import call, closure
from tunepass.frontends.spatial.elaborate.numbers.extents import is_open
from tunepass.frontends.spatial.elaborate.numbers.reading import read
from tunepass.frontends.spatial.elaborate.values import UNIT, Known, Scope, Value, Wire
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import INT, Counter, Schedule


def state_machine(elaborator: Elaborator, head: Head, groups: Groups, scope: Scope, name: str | None) -> Value:
    """`FSM(init){ notDone }{ action }{ next }`; the old dialect has `FSM{ notDone }{ action }{ next }`, from 0."""
    context = elaborator.context
    if len(groups) not in (3, 4) or not all(groups[-3:]):
        raise SourceError("`FSM` is written FSM(init){ notDone }{ action }{ next }", head.span)
    start = elaborator.value(groups[0][0], scope) if len(groups) == 4 and groups[0] else Known(algebra.lift(0))
    counter = _states(elaborator, start, groups[-3:], head, scope)
    with context.body() as body:
        state = Wire(context.op("iterator", INT))
        for arguments in groups[-3:]:
            function = closure(arguments[0], scope)
            if function is not None:
                call(elaborator, function, [state], head.span)
    context.add_stage(controller(head.label(name), "fsm", body, Schedule.SEQUENTIAL, head.span, counters=(counter,)))
    return UNIT


def _states(elaborator: Elaborator, start: Value, groups: Groups, head: Head, scope: Scope) -> Counter:
    """The counter of a machine that runs from a constant in equal steps to a constant, FSM(0)(i => i < 128){ … }
    { i => i + 16 }; the steps of any other are open, and assumed to be those to its end one by one, if it has one."""
    zero, one = algebra.lift(0), algebra.lift(1)
    stop = _right_operand(elaborator, groups[0], "<", scope)
    step = _right_operand(elaborator, groups[2], "+", scope) if stop is not None else None
    name, first = elaborator.context.unique("state"), start.expr if isinstance(start, Known) else None
    if first is not None and stop is not None and step is not None and algebra.number(step) not in (None, 0):
        return Counter(name, first, stop, step, one, groups[0][0].span)
    least = algebra.sub(stop, first) if stop is not None and first is not None and not is_open(stop, first) else None
    steps = elaborator.context.extents.of_data(f"steps_{head.span.line}", head.span, least)
    return Counter(name, zero, steps, one, one, groups[0][0].span)


def _right_operand(elaborator: Elaborator, arguments: tuple[n.Node, ...], operator: str, scope: Scope) -> Expr | None:
    """The known number that the function `i => i operator number` combines its parameter with."""
    function = closure(arguments[0], scope)
    if function is None:
        return None
    body = _only_expression(function.body)
    if not isinstance(body, n.Infix) or body.operator != operator:
        return None
    if not isinstance(body.left, n.Ident) or body.left.name not in function.parameters:
        return None
    with elaborator.context.body():
        value = read(elaborator.context, elaborator.value(body.right, function.scope), body.span)
    return value.expr if isinstance(value, Known) else value.bound if isinstance(value, Wire) else None


def _only_expression(node: n.Node) -> n.Node | None:
    """What a block or a parenthesis of one expression holds."""
    while isinstance(node, (n.Block, n.Parenthesis)):
        inside = node.statements if isinstance(node, n.Block) else node.items
        if len(inside) != 1:
            return None
        node = inside[0]
    return node
