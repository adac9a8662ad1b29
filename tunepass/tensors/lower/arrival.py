"""Inside a loop over positions of the sparse operand: its coordinates, and the positions above it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tunepass.tensors.lower.loops import LoopHead, LoopScope
from tunepass.tensors.lower.positions import Segment, family_of
from tunepass.tensors.lower.statement import Statement
from tunepass.tensors.lower.text import Lines, Quantity, atom, minus, plus, times


def follow(statement: Statement, leaf: str, head: LoopHead, scope: LoopScope, lines: Lines) -> dict[int, str]:
    """Positions at upper levels that are followed step by step as the loop goes on: declared, by level."""
    if len(head.segments) < 2:
        return {}
    family = family_of(statement, leaf)
    first: Quantity = head.begin
    if family is not None and family.position != leaf:
        value = statement.variables.value(family.position, {**scope.known, leaf: "0"})
        assert value is not None
        first = plus(head.segments[-1].begin, value)
    followed = {}
    for above, segment in reversed(list(zip(head.segments, head.segments[1:], strict=False))):
        if not statement.compressed(segment.level):
            break
        followed[above.level] = upper_name(statement, above.level)
        lines.add(f"int {followed[above.level]} = {search(statement, above, segment.level, first)};")
        first = followed[above.level]
    return followed


def upper_name(statement: Statement, level: int) -> str:
    root = statement.levels[level]
    if level == 0 and not statement.compressed(0):
        return statement.storage.names.of("variable", root)
    assert statement.sparse
    return statement.storage.names.of(
        "position", root, statement.sparse.tensor, wish=f"{root}{statement.sparse.tensor}"
    )


def search(statement: Statement, above: Segment, level: int, position: Quantity) -> str:
    assert statement.sparse
    pos = statement.storage.pos(statement.sparse.tensor, level)
    return f"segment_of({pos}, {above.begin}, {above.end}, {position})"


def arrived(
    statement: Statement, leaf: str, head: LoopHead, scope: LoopScope, followed: dict[int, str], lines: Lines
) -> LoopScope:
    """At a position of the sparse operand: its coordinates, and the positions above it."""
    storage = statement.storage
    assert statement.sparse
    tensor = statement.sparse.tensor
    family = family_of(statement, leaf)
    position = head.name
    if family is not None and family.position != leaf:
        value = statement.variables.value(family.position, scope.known)
        assert value is not None
        position = storage.names.of("variable", family.position)
        lines.add(f"const int {position} = {plus(head.segments[-1].begin, value)};")
    coordinates, positions = dict(scope.coordinates), dict(scope.positions)
    for index in reversed(range(len(head.segments))):
        level = head.segments[index].level
        root = statement.levels[level]
        positions[level] = position
        name = storage.names.of("variable", root)
        above = position
        if index > 0 and statement.compressed(level):
            upper = head.segments[index - 1]
            if upper.level in followed:
                above = followed[upper.level]
                pos = storage.pos(tensor, level)
                lines.add(f"while ({pos}[{above} + 1] <= {position}) {above}++;")
            else:
                above = upper_name(statement, upper.level)
                lines.add(f"const int {above} = {search(statement, upper, level, position)};")
        elif index > 0:
            above = upper_name(statement, level - 1)
            lines.add(f"const int {above} = {position} / {statement.variables.extent(root)};")
        coordinates[root] = name
        if statement.compressed(level):
            lines.add(f"const int {name} = {storage.crd(tensor, level)}[{position}];")
        elif name != position:
            base = positions.get(level - 1, 0) if index == 0 else above
            start = times(f"(long){atom(base)}" if base != 0 else 0, statement.variables.extent(root))
            lines.add(f"const int {name} = {minus(position, start)};")
        position = above
    resolved = {statement.levels[segment.level] for segment in head.segments}
    for condition in unwanted(statement, resolved, leaf, head, scope, coordinates):
        lines.add(f"if ({condition}) continue;")
    return replace(scope, coordinates=coordinates, positions=positions)


def unwanted(
    statement: Statement, resolved: set[str], leaf: str, head: LoopHead, scope: LoopScope, coordinates: dict[str, str]
) -> Iterator[str]:
    """Conditions of what outer loops, which the range of positions does not hold to, do not want."""
    variables, counted = statement.variables, statement.position_variables()
    for root in sorted(resolved):
        for other in sorted(variables.leaves(root) & set(scope.known)):
            if other != leaf and other not in head.used and other not in counted:
                value = variables.derived(other, coordinates)
                yield f"{value} != {scope.known[other]}"
