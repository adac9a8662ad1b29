"""Blocks of stages: `Pipe { … }`, `Sequential { … }`, `Parallel { … }`, `Stream { … }`."""

from __future__ import annotations

from tunepass.frontends.spatial.elaborate.controllers.build import controller
from tunepass.frontends.spatial.elaborate.controllers.heads import Groups, Head, given_interval
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.values import Scope, Value
from tunepass.frontends.spatial.syntax import nodes as n
from tunepass.ir.hardware import ControllerKind, Schedule

_OUTER = {"Parallel": Schedule.PARALLEL, "Stream": Schedule.STREAM}


def block(elaborator: Elaborator, head: Head, groups: Groups, scope: Scope, name: str | None) -> Value:
    """The value of the block, whose controller is a stage of the body around it."""
    interval = head.interval
    if len(groups) == 2 and groups[0] and isinstance(groups[0][0], n.Assign):  # Pipe(ii = 1) { … }
        interval = given_interval(elaborator, groups[0][0], scope) or interval
    node = groups[-1][0] if groups[-1] else n.Block(head.span, ())
    with elaborator.context.body() as body:
        result = elaborator.block(node, scope)
    kind: ControllerKind = "parallel" if head.name == "Parallel" else "unit"
    outer = _OUTER.get(head.name, Schedule.SEQUENTIAL)
    elaborator.context.add_stage(controller(head.label(name), kind, body, outer, head.span, interval=interval))
    return result
