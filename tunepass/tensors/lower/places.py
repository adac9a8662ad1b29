"""Places and values of accesses, read before loops that do not change them."""

from __future__ import annotations

from collections.abc import Mapping

from tunepass.ir.tensor import Access
from tunepass.tensors.lower.loops import LoopScope
from tunepass.tensors.lower.statement import Statement
from tunepass.tensors.lower.text import Lines, Quantity


def reads(statement: Statement, scope: LoopScope, lines: Lines) -> dict[Access, str]:
    """Numbers that inner loops do not change, read before these."""
    read = dict(scope.read)
    storage = statement.storage
    for access in statement.term.accesses():
        if access in read or not reached(statement, access, scope):
            continue
        wish = f"{access.tensor}_{'_'.join(access.index)}" if access.index else f"{access.tensor}_value"
        name = storage.names.of("read", access.tensor, *access.index, wish=wish)
        lines.add(f"const {storage.element(access.tensor)} {name} = {number(statement, access, scope)};")
        read[access] = name
    return read


def reached(statement: Statement, access: Access, scope: LoopScope) -> bool:
    if statement.storage.sparse(access):
        return (access, len(access.index) - 1) in positions_of(statement, access, scope)
    written = any(access.tensor == producer.access.tensor for producer in statement.producers)
    return not written and set(access.index) <= set(scope.coordinates)


def positions_of(statement: Statement, access: Access, scope: LoopScope) -> Mapping[tuple[Access, int], Quantity]:
    """Of the sparse operand's levels, which are those of a sparse result too, or of another's that were looked up."""
    if access in statement.others:
        return scope.looked_up
    return {(access, level): position for level, position in scope.positions.items()}


def number(statement: Statement, access: Access, scope: LoopScope) -> str:
    if access in scope.read:
        return scope.read[access]
    return f"{statement.storage.values(access.tensor)}[{place(statement, access, scope)}]"


def place(statement: Statement, access: Access, scope: LoopScope) -> Quantity:
    storage = statement.storage
    if storage.sparse(access):
        return positions_of(statement, access, scope)[access, len(access.index) - 1]
    extents = {root: statement.variables.extent(root) for root in access.index}
    return storage.place(access, scope.coordinates, extents)
