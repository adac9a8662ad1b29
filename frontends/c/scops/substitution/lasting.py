"""Which definitions of locals still hold after code has run: nothing in it changes what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.frontends.c.scops.statements.effects import Effects, pointer_in
from tunepass.frontends.c.scops.statements.variables import Variables
from tunepass.frontends.c.scops.substitution.definitions import ReachingDefinition
from tunepass.frontends.cfamily.syntax.tree import Statement

Known = Mapping[str, ReachingDefinition]


@dataclass(frozen=True)
class Lasting:
    """`taken` are variables whose address is known; `resolved` pointers of which it is known what they reach."""

    variables: Variables
    taken: frozenset[str]
    resolved: frozenset[str]

    def surviving(self, known: Known, s: Statement, *, inside: bool = True) -> dict[str, ReachingDefinition]:
        """The definitions that hold all through `s`, or after it."""
        effects = Effects.of(s)
        hidden = effects.declared if inside else set[str]()
        return {n: d for n, d in self.unchanged(known, effects).items() if not hidden & {n, *d.operands}}

    def unchanged(self, known: Known, effects: Effects) -> dict[str, ReachingDefinition]:
        written = [(e.root.text, len(e.subscripts)) for e in effects.found if e.written]
        unknown = [reason for reason in effects.unknown if pointer_in(reason) not in self.resolved]
        exposed = self._exposed if unknown else _never
        return {
            n: d for n, d in known.items()
            if not any((root == n and not depth) or depth <= d.operands.get(root, -1) for root, depth in written)
            and not any(exposed(name, depth) for name, depth in d.operands.items())
        }  # fmt: skip

    def _exposed(self, name: str, depth: int) -> bool:
        """May code that cannot be seen change it? A pointer in an array may be changed like any global."""
        variable = self.variables.get(name)
        if variable is None or name in self.taken:
            return variable is not None
        shared = variable.scope == "global" and not variable.constant and (not variable.shape or variable.pointers[0])
        return shared or any(variable.pointers[1 : depth + 1])


def _never(name: str, depth: int) -> bool:
    return False
