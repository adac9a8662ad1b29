"""State machines: `FSM(init){ state => running }{ state => action }{ state => next }`."""

from __future__ import annotations

from tunepass.diagnostics import SourceError
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.spatial.elaborate.controllers.build import controller
from tunepass.frontends.spatial.elaborate.controllers.heads import Groups, Head
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.functions import call, closure
from tunepass.frontends.spatial.elaborate.numbers.reading import read
from tunepass.frontends.spatial.elaborate.values import UNIT, Known, Scope, Value, Wire
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import INT, Counter, Schedule


def state_machine(elaborator: Elaborator, head: Head, groups: Groups, scope: Scope, name: str | None) -> Value:
    context = elaborator.context
    if len(groups) != 4:
        raise SourceError("`FSM` is written FSM(init){ notDone }{ action }{ next }", head.span)
    counter = _states(elaborator, groups, scope)
    if counter is None:
        context.warn("how often this state machine runs is unknown; once is assumed", head.span)
    with context.body() as body:
        state = Wire(context.op("iterator", INT))
        for arguments in groups[1:]:
            function = closure(arguments[0], scope)
            if function is not None:
                call(elaborator, function, [state], head.span)
    states = () if counter is None else (counter,)
    context.add_stage(controller(head.label(name), "fsm", body, Schedule.SEQUENTIAL, head.span, counters=states))
    return UNIT


def _states(elaborator: Elaborator, groups: Groups, scope: Scope) -> Counter | None:
    """The counter of a machine that runs from a constant in equal steps to a constant; None for any other:
    FSM(0)(i => i < 128){ … }{ i => i + 16 }."""
    start = elaborator.value(groups[0][0], scope)
    stop = _right_operand(elaborator, groups[1], "<", scope)
    step = _right_operand(elaborator, groups[3], "+", scope) if stop is not None else None
    if stop is None or step is None or not isinstance(start, Known) or algebra.number(step) in (None, 0):
        return None
    name = elaborator.context.unique("state")
    return Counter(name, start.expr, stop, step, algebra.lift(1), groups[1][0].span)


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
