"""Every controller by the name in its head."""

from __future__ import annotations

from tunepass.diagnostics import SourceError
from tunepass.frontends.spatial.elaborate.controllers.blocks import block
from tunepass.frontends.spatial.elaborate.controllers.heads import BLOCKS, controller_head
from tunepass.frontends.spatial.elaborate.controllers.loops import foreach, reduce
from tunepass.frontends.spatial.elaborate.controllers.state_machines import state_machine
from tunepass.frontends.spatial.elaborate.elaborator import Elaborator
from tunepass.frontends.spatial.elaborate.values import Scope, Value
from tunepass.frontends.spatial.syntax import nodes as n


def add_controller(elaborator: Elaborator, node: n.Apply, scope: Scope, name: str | None) -> Value | None:
    """The value of the controller that `node` adds to the body that is being filled; None when it is none."""
    applied = controller_head(elaborator, node, scope)
    if applied is None:
        return None
    head, groups = applied
    if not elaborator.context.in_hardware:
        raise SourceError(
            f"`{head.name}` stands outside of `Accel`", head.span, "hardware is described inside Accel { … }"
        )
    if head.name == "FSM":
        return state_machine(elaborator, head, groups, scope, name)
    if head.name in BLOCKS:
        return block(elaborator, head, groups, scope, name)
    if head.name == "Foreach":
        return foreach(elaborator, head, groups, scope, name)
    return reduce(elaborator, head, groups, scope, name)
