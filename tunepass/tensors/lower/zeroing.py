"""The result set to zero, as far as inner loops add to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunepass.tensors.lower.loops import LoopScope
from tunepass.tensors.lower.places import place
from tunepass.tensors.lower.statement import Statement
from tunepass.tensors.lower.storage import ZERO, product_of
from tunepass.tensors.lower.text import Lines, Quantity, atom, plus, times


def set_to_zero(statement: Statement, target: str, scope: LoopScope, lines: Lines) -> None:
    """Sets to zero the slice of the result that the loops inside add to."""
    storage, variables = statement.storage, statement.variables
    result = statement.result
    zero = ZERO[storage.element(result.tensor)]
    at = storage.names.of("zeroed", wish="at")
    if storage.sparse(result):
        begin, end = slice_of_pattern(statement, len(result.index) - 1, scope)
        lines.add(f"for (long {at} = {begin}; {at} < {end}; {at}++) {target}[{at}] = {zero};")
        return
    rest = [root for root in storage.stored(result) if root not in scope.coordinates]
    if len(rest) == len(result.index) and rest:
        count = product_of([variables.extent(root) for root in rest])
        lines.add(f"for (long {at} = 0; {at} < {count}; {at}++) {target}[{at}] = {zero};")
        return
    inner = replace(scope, coordinates=dict(scope.coordinates))
    zero_rest(statement, target, rest, inner, lines)


def zero_rest(statement: Statement, target: str, rest: Sequence[str], scope: LoopScope, lines: Lines) -> None:
    if not rest:
        zero = ZERO[statement.storage.element(statement.result.tensor)]
        lines.add(f"{target}[{place(statement, statement.result, scope)}] = {zero};")
        return
    root = rest[0]
    name = statement.storage.names.of("variable", root)
    with lines.block(f"for (int {name} = 0; {name} < {statement.variables.extent(root)}; {name}++)"):
        scope.coordinates[root] = name
        zero_rest(statement, target, rest[1:], scope, lines)


def slice_of_pattern(statement: Statement, last: int, scope: LoopScope) -> tuple[Quantity, Quantity]:
    """The positions at level `last` below the deepest level whose position is known."""
    assert statement.sparse
    known = [level for level in scope.positions if level <= last]
    level = max(known, default=-1)
    begin: Quantity = scope.positions[level] if known else 0
    end = plus(begin, 1)
    for below in range(level + 1, last + 1):
        if statement.compressed(below):
            pos = statement.storage.pos(statement.sparse.tensor, below)
            begin, end = 0 if begin == 0 else f"{pos}[{begin}]", f"{pos}[{end}]"
        else:
            size = statement.variables.extent(statement.levels[below])
            begin, end = (times(f"(long){atom(x)}" if x not in (0, 1) else x, size) for x in (begin, end))
    return begin, end
