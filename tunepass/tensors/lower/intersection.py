"""Further sparse operands of a product: their entry at a coordinate that is known, and nothing where there is none.

In a loop that goes through coordinates in their order, and in this order alone, the entry is found by stepping along
both (a merge); elsewhere, and where many more entries would be stepped over, by halving the segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace

from tunepass.ir.tensor import Access
from tunepass.tensors.lower.loops import LoopHead, LoopScope, position_name, segment_below
from tunepass.tensors.lower.positions import family_of
from tunepass.tensors.lower.statement import Statement
from tunepass.tensors.lower.text import Lines, Quantity, atom, plus, times

Level = tuple[Access, int]


def look_up(statement: Statement, scope: LoopScope, lines: Lines, blocks: ExitStack) -> LoopScope:
    """Positions at all levels whose coordinates are known by now; `blocks` gets the conditions that there are such."""
    positions = dict(scope.looked_up)
    for access in statement.others:
        for level, root in enumerate(statement.storage.stored(access)):
            if (access, level) in positions:
                continue
            if root not in scope.coordinates or (level and (access, level - 1) not in positions):
                break
            coordinate, at = scope.coordinates[root], replace(scope, looked_up=positions)
            if statement.storage.compressed(access, level):
                positions[access, level], condition = entry(statement, (access, level), coordinate, at, lines)
                blocks.enter_context(lines.block(f"if ({condition})"))
            else:
                positions[access, level] = dense_position(statement, (access, level), coordinate, positions, lines)
    return replace(scope, looked_up=positions)


def look_up_first(statement: Statement, scope: LoopScope, lines: Lines, blocks: ExitStack) -> LoopScope:
    """The same for the operand that the loops follow, at coordinates that loops around the statement give."""
    positions = dict(scope.positions)
    for place, root in enumerate(statement.levels):
        if place in positions or root not in statement.given or (place and place - 1 not in positions):
            continue
        assert statement.sparse
        level, coordinate = (statement.sparse, place), scope.coordinates[root]
        above: dict[Level, Quantity] = {(statement.sparse, up): position for up, position in positions.items()}
        if statement.compressed(place):
            positions[place], condition = entry(statement, level, coordinate, replace(scope, looked_up=above), lines)
            blocks.enter_context(lines.block(f"if ({condition})"))
        else:
            positions[place] = dense_position(statement, level, coordinate, above, lines)
    return replace(scope, positions=positions)


def dense_position(
    statement: Statement, level: Level, coordinate: str, positions: Mapping[Level, Quantity], lines: Lines
) -> Quantity:
    access, place = level
    if place == 0:
        return coordinate
    name = position_name(statement, access, place)
    root = statement.storage.stored(access)[place]
    base = times(f"(long){atom(positions[access, place - 1])}", statement.variables.extent(root))
    lines.add(f"const long {name} = {plus(base, coordinate)};")
    return name


def entry(statement: Statement, level: Level, coordinate: str, scope: LoopScope, lines: Lines) -> tuple[str, str]:
    """The name of the position, and the condition that it is the coordinate's."""
    crd = statement.storage.crd(level[0].tensor, level[1])
    name, end = position_name(statement, *level), end_name(statement, level)
    if level in scope.stepping:
        lines.add(f"while ({name} < {end} && {crd}[{name}] < {coordinate}) {name}++;")
    else:
        begin, last = segment_below(statement, *level, scope)
        lines.add(f"const int {end} = {last};")
        lines.add(f"const int {name} = first_from({crd}, {begin}, {end}, {coordinate});")
    return name, f"{name} < {end} && {crd}[{name}] == {coordinate}"


def end_name(statement: Statement, level: Level) -> str:
    access, name = level[0], position_name(statement, *level)
    return statement.storage.names.of("end", name, access.tensor, *access.index, wish=f"{name}_end")


def begin_steps(statement: Statement, leaf: str, scope: LoopScope, lines: Lines) -> LoopScope:
    """Before a loop whose iterations come one after the other: the positions that go on with it, declared."""
    stepping = dict(scope.stepping)
    for level in stepping_levels(statement, leaf, scope):
        begin, end = segment_below(statement, *level, scope)
        lines.add(f"int {position_name(statement, *level)} = {begin};")
        lines.add(f"const int {end_name(statement, level)} = {end};")
        stepping[level] = position_name(statement, *level)
    return replace(scope, stepping=stepping)


def stepping_levels(statement: Statement, leaf: str, scope: LoopScope) -> Iterator[Level]:
    """Levels below another that the loop alone goes along: of the first level all entries would be stepped over."""
    family = family_of(statement, leaf)
    root = family.variable if family is not None and family.position == leaf else leaf
    for access in statement.others:
        for level, stored_level in enumerate(statement.storage.stored(access)):
            below = level > 0 and (access, level - 1) in scope.looked_up
            steps = below and statement.storage.compressed(access, level)
            if stored_level == root and steps and statement.walked.get(leaf) != (access, level):
                yield access, level


def enter_walk(statement: Statement, leaf: str, head: LoopHead, scope: LoopScope, lines: Lines) -> LoopScope:
    """Inside a loop through entries of a level: the coordinate there."""
    access, level = statement.walked[leaf]
    name = statement.storage.names.of("variable", leaf)
    lines.add(f"const int {name} = {statement.storage.crd(access.tensor, level)}[{head.name}];")
    positions = {**scope.looked_up, (access, level): head.name}
    return replace(scope, looked_up=positions, known={**scope.known, leaf: name})
