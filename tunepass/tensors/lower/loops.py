"""The loops of a statement in C: their heads, and what becomes known inside each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tunepass.ir.tensor import Access
from tunepass.tensors.lower.function import LoweringError
from tunepass.tensors.lower.positions import (
    Segment,
    Window,
    declared,
    family_of,
    segments_of,
    window_of,
)
from tunepass.tensors.lower.statement import Statement
from tunepass.tensors.lower.text import Lines, Quantity, plus, smallest
from tunepass.tensors.schedule.loops import parents
from tunepass.tensors.schedule.nest import DivideBy, SplitBy


@dataclass(frozen=True, slots=True)
class LoopScope:
    """What is known inside the loops so far: values of leaves, coordinates of index variables, positions at levels of
    the sparse operand and of others, numbers that were read, and position variables with the segments they count
    through."""

    known: dict[str, str] = field(default_factory=dict)
    coordinates: dict[str, str] = field(default_factory=dict)
    positions: dict[int, Quantity] = field(default_factory=dict)
    read: dict[Access, str] = field(default_factory=dict)
    opened: dict[str, tuple[Segment, ...]] = field(default_factory=dict)
    ends: dict[str, Quantity] = field(default_factory=dict)  # bounds of inner loops that were computed outside
    looked_up: dict[tuple[Access, int], Quantity] = field(default_factory=dict)  # positions of further operands' levels
    stepping: dict[tuple[Access, int], str] = field(default_factory=dict)  # C names of those that go on with a loop


@dataclass(frozen=True, slots=True)
class LoopHead:
    """A loop's head, and what it goes through: nothing but numbers, or the positions of `segments`."""

    name: str
    begin: str
    end: Quantity
    kind: str
    segments: tuple[Segment, ...] = ()
    used: frozenset[str] = frozenset()  # outer loops that the segments hold to already

    @property
    def text(self) -> str:
        return f"for ({self.kind} {self.name} = {self.begin}; {self.name} < {self.end}; {self.name}++)"


def bound(statement: Statement, leaf: str, scope: LoopScope) -> Quantity | None:
    """Where the loop of `leaf` ends, so that no variable it is part of gets too large; None where a loop that decides
    it is not known yet."""
    variables, known = statement.variables, scope.known
    ends: list[Quantity] = []
    redundant = False
    for derivation in held(statement, leaf, scope):
        others = variables.leaves(derivation.parent) - {leaf}
        if not others <= set(known):
            return None
        end = variables.limit(derivation.parent, variables.extent(derivation.parent), leaf, known)
        if end is not None:
            redundant = redundant or derivation.outer == leaf
            ends.append(end)
    extent = variables.extent(leaf)
    return smallest(ends if redundant else [extent, *ends], variables.wide(leaf))


def held(statement: Statement, leaf: str, scope: LoopScope) -> list[SplitBy | DivideBy]:
    """The derivations whose last step may be partial, and whose parent is whole once `leaf` and loops around it are."""
    variables, positions = statement.variables, statement.by_positions()
    divisions = []
    for derivation in variables.derivations:
        if not isinstance(derivation, SplitBy | DivideBy) or leaf not in variables.leaves(derivation.parent):
            continue
        family = family_of(statement, derivation.parent)
        if family is None and variables.leaves(derivation.parent) & positions:
            continue
        if family is not None and family.position not in scope.opened:
            continue
        others = [statement.index_of.get(other, -1) for other in variables.leaves(derivation.parent)]
        if max(others) == statement.index_of[leaf] and variables.partial(derivation):
            divisions.append(derivation)
    return divisions


def guards(statement: Statement, leaf: str, scope: LoopScope) -> list[str]:
    """Conditions under which a step of the loop is beyond a variable's extent, where no bound of a loop can say so."""
    variables, known = statement.variables, scope.known
    before = {name: text for name, text in known.items() if name != leaf}
    conditions = []
    for derivation in held(statement, leaf, scope):
        extent = variables.extent(derivation.parent)
        if variables.limit(derivation.parent, extent, leaf, before) is None:
            conditions.append(f"{variables.value(derivation.parent, known)} >= {extent}")
    return conditions


def open_positions(statement: Statement, leaf: str, scope: LoopScope, lines: Lines) -> LoopScope:
    """Declares what the position variable of `leaf` counts through, unless that was done."""
    family = family_of(statement, leaf)
    assert family is not None
    if family.position in scope.opened:
        return scope
    window = window_of(statement, family.variable, scope.known)
    if window is None:
        raise LoweringError(f"the loops of {family.position} are outside of loops its positions depend on")
    segments = segments_of(statement, window, scope.positions, lines)
    last = segments[-1]
    if family.position != leaf:  # the loops count from zero
        segments = (*segments[:-1], declared(statement, last.level, last.begin, last.end, lines))
        last, names = segments[-1], statement.storage.names
        count = names.of("count", family.position, wish=f"{family.position}_count")
        lines.add(f"const int {count} = {last.end} - {last.begin};")
        statement.variables.sizes[family.position] = count
    return replace(scope, opened={**scope.opened, family.position: segments})


def head_of(statement: Statement, index: int, scope: LoopScope, lines: Lines) -> LoopHead:
    """The head of the loop at `index`; its position variable is open."""
    leaf, storage = statement.loops[index].variable, statement.storage
    name = storage.names.of("variable", leaf)
    if leaf in statement.walked:
        return walking_head(statement, leaf, scope)
    family = family_of(statement, leaf)
    if family is not None:
        segments = scope.opened[family.position]
        window = window_of(statement, family.variable, scope.known)
        used = window.used if window else frozenset()
        if family.position == leaf:
            return LoopHead(
                name, segments[-1].begin, segments[-1].end, position_kind(statement, segments), segments, used
            )
        last = max(statement.index_of.get(other, -1) for other in statement.variables.leaves(family.position)) == index
        end = scope.ends.get(leaf, bound(statement, leaf, scope))
        assert end is not None
        return LoopHead(name, "0", end, "int", segments if last else (), used)
    if leaf in statement.resolvers():
        assert statement.sparse
        window = widest_window(statement, leaf, scope)
        segments = segments_of(statement, window, scope.positions, lines)
        root = statement.levels[segments[-1].level]
        name = storage.names.of("position", root, statement.sparse.tensor, wish=f"{root}{statement.sparse.tensor}")
        return LoopHead(
            name, segments[-1].begin, segments[-1].end, position_kind(statement, segments), segments, window.used
        )
    end = scope.ends.get(leaf, bound(statement, leaf, scope))
    assert end is not None
    return LoopHead(name, "0", end, "long" if statement.variables.wide(leaf) else "int")


def walking_head(statement: Statement, leaf: str, scope: LoopScope) -> LoopHead:
    """Through the entries of a level of an operand that the other loops do not follow."""
    access, level = statement.walked[leaf]
    begin, end = segment_below(statement, access, level, scope)
    return LoopHead(position_name(statement, access, level), begin, end, "int")


def segment_below(statement: Statement, access: Access, level: int, scope: LoopScope) -> tuple[str, str]:
    """The positions at a compressed level of an operand that is looked up, below its position at the level above."""
    pos = statement.storage.pos(access.tensor, level)
    parent: Quantity = scope.looked_up[access, level - 1] if level else 0
    return f"{pos}[{parent}]", f"{pos}[{plus(parent, 1)}]"


def position_name(statement: Statement, access: Access, level: int) -> str:
    root = statement.storage.stored(access)[level]
    wish = f"{root}{access.tensor}"
    return statement.storage.names.of("position", root, access.tensor, *access.index, wish=wish)


def position_kind(statement: Statement, segments: tuple[Segment, ...]) -> str:
    level = segments[-1].level
    return "int" if statement.compressed(level) or level == 0 else "long"


def widest_window(statement: Statement, leaf: str, scope: LoopScope) -> Window:
    """The smallest window that all steps of `leaf` are in: its own, or that of what it is part of."""
    variables = statement.variables
    done = set(scope.coordinates)
    candidate = leaf
    while True:
        window = window_of(statement, candidate, scope.known)
        if window is not None and not set(window.roots) & done:
            return window
        match variables.above.get(candidate):
            case SplitBy(parent=parent) | DivideBy(parent=parent):
                candidate = parent
            case None:
                raise LoweringError(f"the loop {leaf} is outside of loops its positions depend on")
            case derivation:
                left = [p for p in parents(derivation) if not set(variables.roots(p)) <= done]
                if len(left) != 1:
                    raise LoweringError(f"the loop {leaf} is outside of loops its positions depend on")
                candidate = left[0]
