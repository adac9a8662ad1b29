"""Loops exchanged around statements that stand between them: each runs where the two indices are equal.

    for i: { S0(i); for j < i: S1(i, j); }      becomes      for j: { S0(j); for i > j: S1(i, j); }

so that what S1 adds to element i is pushed to all later elements as soon as element j is known, in place of being
pulled from all earlier ones. Whether that is legal is asked of the dependences of the whole tree.
"""

from __future__ import annotations

from dataclasses import replace

from tunepass.polyhedral.schedules.tree import Band, Leaf, Sequence, Tree, sequence


def turned(tree: Tree) -> Tree | None:
    """`tree` with every loop over statements and one loop turned; None where there is none."""
    match tree:
        case Sequence(children):
            parts = [turned(child) for child in children]
            return sequence([p or c for p, c in zip(parts, children)]) if any(parts) else None
        case Band(child=Sequence(children)) if sum(isinstance(child, Band) for child in children) == 1:
            return _exchanged(tree, children) or _inside(tree)
        case Band():
            return _inside(tree)
    return None


def _inside(tree: Band) -> Band | None:
    child = turned(tree.child)
    return replace(tree, child=child) if child else None


def _exchanged(outer: Band, children: tuple[Tree, ...]) -> Band | None:
    inner = next(child for child in children if isinstance(child, Band))
    if not isinstance(inner.child, Leaf):
        return None
    around, inner_rows = dict(outer.rows), dict(inner.rows)
    moved = Band(outer.name, tuple((name, around[name]) for name in inner_rows), inner.child)
    rows = tuple((name, inner_rows.get(name, row)) for name, row in outer.rows)
    return Band(inner.name, rows, sequence([moved if child is inner else child for child in children]))
