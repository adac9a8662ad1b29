"""What the modules of this room need of the whole: one that turns any expression or block into a value.

`program.py` implements it and hands itself to the functions that know one construct each.
"""

from __future__ import annotations

from typing import Protocol

from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.values import Scope, Value
from tunepass.frontends.spatial.syntax import nodes as n


class Elaborator(Protocol):
    """What it builds lands in the innermost body of its context."""

    @property
    def context(self) -> Context: ...

    def value(self, node: n.Node, scope: Scope, name: str | None = None) -> Value:
        """The value of `node`; `name` is the val it is bound to, for memories, parameters and controllers."""

    def block(self, node: n.Node, scope: Scope) -> Value:
        """The value of the last statement of `node`, in a scope of its own."""
