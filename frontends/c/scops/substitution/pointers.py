"""Which memory local pointers reach, by everything that the function sets them to, wherever it does so.

A pointer that the region uses is apart where no other name in the region reaches the same array or allocation: it then
is an array of its own, whatever it was set to before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

from tunepass.frontends.c.scops.statements.occurrences import named_in, nodes
from tunepass.frontends.c.scops.statements.region import Region
from tunepass.frontends.c.scops.statements.variables import Variable
from tunepass.frontends.c.scops.substitution.allocations import allocates
from tunepass.frontends.cfamily.syntax.tree import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Declarator,
    Expression,
    Index,
    Name,
    Number,
    Unary,
)

NOTHING = frozenset({"NULL", "nullptr"})
Reached = frozenset[str] | None
"""Names of arrays and of pointers to allocations; None where it may be anything."""


def apart_pointers(region: Region, overlapping: Collection[str]) -> frozenset[str]:
    """Local pointers that are apart; arrays that are `overlapping` by the author's word have no such pointer."""
    names = named_in(region.statements, region.unit)
    local = {n for n in names if (v := region.variables.get(n)) is not None and not v.alone and _is_pointer(v)}
    if not local:
        return frozenset()
    values = _Values(region)
    reached = {n: values.of_name(n, frozenset()) for n in names if _has_elements(region.variables.get(n))}
    apart: set[str] = set()
    for name in local:
        own = reached[name]
        others = [r for n, r in reached.items() if n != name and r is not None]
        if own and not own & set(overlapping) and not any(own & other for other in others):
            apart.add(name)
    return frozenset(apart)


def with_apart(region: Region, names: frozenset[str]) -> None:
    """Records in the region's variables that these are alone."""
    for scope in region.variables.scopes:
        for name in names & set(scope):
            scope[name] = replace(scope[name], alone=True)


def _is_pointer(variable: Variable) -> bool:
    return variable.scope == "local" and not variable.static and variable.pointers[:1] == (True,)


def _has_elements(variable: Variable | None) -> bool:
    return variable is not None and bool(variable.shape)


class _Values:
    """All that each name of the function is set to."""

    def __init__(self, region: Region):
        self.region = region
        self.taken = region.addressed
        self.values: defaultdict[str, list[Expression | None]] = defaultdict(list)
        for node in nodes(region.function.body):
            match node:
                case Declarator(name=name, value=value) if value is not None:
                    self.values[name.text].append(value)
                case Assign(op, Name() as target, value):
                    self.values[target.text] += [value] if op == "=" else []

    def of_name(self, name: str, before: frozenset[str]) -> Reached:
        variable = self.region.variables.get(name)
        if name in NOTHING:
            return frozenset()
        if variable is None or name in self.taken or len(before) > 16:
            return None
        if not _is_pointer(variable):
            own = frozenset({name})
            if variable.scope == "global" or name not in self.values or not variable.shape:
                return own if variable.shape else None
            return None if variable.pointers[:1] == (True,) else own
        if name in before:
            return frozenset()
        found = [self._of(value, name, before | {name}) for value in self.values[name]]
        return None if None in found else frozenset[str]().union(*(r for r in found if r is not None))

    def _of(self, e: Expression | None, name: str, before: frozenset[str]) -> Reached:
        """What the pointer `name` reaches when it is set to `e`."""
        match e:
            case Name(token):
                return self.of_name(token.text, before)
            case Number(token) if token.text == "0":
                return frozenset()
            case Index(base, _) | Cast(_, True, base) | Binary("+" | "-", base, _):
                return self._of(base, name, before)
            case Unary(op, Index(base, _)) if op.text == "&":
                return self._of(base, name, before)
            case Conditional(_, then, other):
                a, b = self._of(then, name, before), self._of(other, name, before)
                return None if a is None or b is None else a | b
            case Call() if allocates(e, self.region.unit):
                return frozenset({f"{name}()"})
        return None
