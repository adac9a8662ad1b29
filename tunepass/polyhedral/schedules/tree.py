"""Trees of loops over a scop's statements: what directives rearrange, and what code is written from.

A loop's `rows` say which value of its index each statement inside runs at, as an affine expression of the statement's
own indices (isl's text). Children of a sequence run one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop, ScopStatement

if TYPE_CHECKING:
    import islpy as isl

Rows = tuple[tuple[str, str], ...]
"""(statement, affine expression of its indices)."""


@dataclass(frozen=True, slots=True)
class Leaf:
    statement: str


@dataclass(frozen=True, slots=True)
class Sequence:
    children: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Band:
    """One loop. `name` is the source loop it stands for; `strip` > 1 makes it step from one group of that many
    values of its rows to the next, `tiles` where the group is a tile; `copies` > 1 unrolls it, side by side inside if
    `jam`."""

    name: str
    rows: Rows
    child: Tree
    strip: int = 1
    tiles: bool = False
    copies: int = 1
    jam: bool = False
    parallel: bool = False
    vectorize: bool = False
    peel: int = 0

    @property
    def jams(self) -> bool:
        """Do copies of its iterations run side by side inside the loops inside it?"""
        return self.jam and self.copies > 1

    @property
    def label(self) -> str:
        return f"{self.name}_tile" if self.tiles else self.name


Tree = Leaf | Sequence | Band


def statements_in(tree: Tree) -> frozenset[str]:
    match tree:
        case Leaf(statement):
            return frozenset([statement])
        case Sequence(children):
            return frozenset().union(*(statements_in(child) for child in children))
        case Band(child=child):
            return statements_in(child)


def bands_in(tree: Tree) -> Iterator[Band]:
    """Every loop, outer ones first."""
    match tree:
        case Sequence(children):
            for child in children:
                yield from bands_in(child)
        case Band(child=child):
            yield tree
            yield from bands_in(child)


def sequence(children: list[Tree]) -> Tree:
    """The children in a row, sequences among them opened."""
    flat: list[Tree] = []
    for child in children:
        flat += child.children if isinstance(child, Sequence) else [child]
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def mapped(tree: Tree, change: Callable[[Band], Tree]) -> Tree:
    """`tree` with every loop changed, inner ones first."""
    match tree:
        case Sequence(children):
            return sequence([mapped(child, change) for child in children])
        case Band(child=child):
            return change(replace(tree, child=mapped(child, change)))
    return tree


def restricted(tree: Tree, statements: frozenset[str]) -> Tree | None:
    """The part of `tree` that runs the statements `statements`."""
    match tree:
        case Leaf(statement):
            return tree if statement in statements else None
        case Sequence(children):
            parts = [part for child in children if (part := restricted(child, statements)) is not None]
            return sequence(parts) if parts else None
        case Band(rows=rows, child=child):
            inner = restricted(child, statements)
            return inner and replace(tree, rows=tuple(row for row in rows if row[0] in statements), child=inner)


@lru_cache(maxsize=16)
def source_tree(scop: Scop) -> Tree:
    """The loops as the source has them."""
    import islpy as isl

    positions = {s.name: _positions(isl.Map(s.schedule)) for s in scop.statements}
    return _source_level(scop, list(scop.statements), 0, positions)


def _positions(schedule: isl.Map) -> tuple[int, ...]:
    """The constants of the 2d+1 form."""
    from islpy import dim_type

    places = range(0, schedule.dim(dim_type.out), 2)
    values = [schedule.plain_get_val_if_fixed(dim_type.out, place) for place in places]
    return tuple(int(str(value)) if value.is_int() else 0 for value in values)


def _source_level(
    scop: Scop, statements: list[ScopStatement], depth: int, positions: dict[str, tuple[int, ...]]
) -> Tree:
    groups: dict[int, list[ScopStatement]] = {}
    for statement in statements:
        groups.setdefault(positions[statement.name][depth], []).append(statement)
    children: list[Tree] = []
    for position in sorted(groups):
        members = groups[position]
        first = members[0]
        if len(first.loops) == depth:
            children.append(Leaf(first.name))
            continue
        loop = scop.loop(first.loops[depth])
        row = f"-{loop.name}" if loop.step < 0 else loop.name
        rows = tuple((s.name, row) for s in members)
        children.append(Band(loop.name, rows, _source_level(scop, members, depth + 1, positions)))
    return sequence(children)
