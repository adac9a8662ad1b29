"""The trees that schedules start from: the source's loops, distributed as far as dependences allow, or isl's own.

`fused` and `split` come from isl's scheduler (Verdoolaege and Janssens, "Scheduling for PPCG", 2017): bands whose loops
may be exchanged and tiled, skewed where that takes it; statements are brought together, or kept apart, as far as
possible.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import SHAPES
from tunepass.polyhedral.dependences.pairs import Dependences, dependences, union
from tunepass.polyhedral.schedules.legality import domain_of, keeps_order, time_of
from tunepass.polyhedral.schedules.tree import (
    Band,
    Leaf,
    Sequence,
    Tree,
    mapped,
    restricted,
    sequence,
    source_tree,
    statements_in,
)
from tunepass.polyhedral.shapes.expand import expanded
from tunepass.polyhedral.shapes.pieces import pieced
from tunepass.polyhedral.shapes.skewed import skewed
from tunepass.polyhedral.shapes.turned import turned

if TYPE_CHECKING:
    import islpy as isl

OPERATIONS_LIMIT = 4_000_000  # of isl's in one schedule: some seconds
USUAL_CONSTRAINTS = 1_000  # of dependences that the limit is for; beyond, an operation takes longer, and fewer may do


def subject(scop: Scop, shape: str) -> Scop:
    """What a shape's tree runs: the scop, or it with its scalars expanded, or its statements in pieces."""
    if shape.startswith("pieces"):
        return pieced(scop)
    return expanded(scop) if shape.startswith("expanded") else scop


def shape_tree(scop: Scop, shape: str, independent: bool = False) -> Tree | None:
    """The tree of that name, over `subject(scop, shape)`; None where isl finds none, or none that can be written."""
    return _known_tree(scop, shape, independent)


@lru_cache(maxsize=64)
def _known_tree(scop: Scop, shape: str, independent: bool) -> Tree | None:
    scop = subject(scop, shape)
    source = source_tree(scop)
    if shape == "source":
        return source
    known = dependences(scop, independent=independent)
    if shape.endswith("distributed"):
        return distributed(scop, source, known.order)
    if shape == "skewed":
        tree = skewed(scop, source, independent)
    elif shape == "turned":
        tree = turned(source)
    else:
        tree = _isl_tree(scop, known, fuse=shape.endswith("fused"))
    return tree if tree is not None and keeps_order(scop, tree, independent=independent) else None


def shapes_of(scop: Scop, *, independent: bool = False) -> tuple[str, ...]:
    """The shapes that differ from those before them, the source's first."""
    different: dict[Tree, str] = {}
    for shape in SHAPES:
        if subject(scop, shape) is scop and shape.startswith(("expanded", "pieces")):
            continue
        tree = shape_tree(scop, shape, independent)
        if tree is not None:
            different.setdefault(mapped(tree, _nameless), shape)
    return tuple(different.values())


def _nameless(band: Band) -> Band:
    return replace(band, name="")


def distributed(scop: Scop, tree: Tree, pairs: isl.UnionMap, only: frozenset[str] | None = None) -> Tree:
    """Every loop (or those `only`) split between statements that do not depend on each other in a circle. `pairs` are
    dependences at the same iteration of the loops around `tree`."""
    match tree:
        case Sequence(children):
            return sequence([distributed(scop, child, pairs, only) for child in children])
        case Band(child=child):
            same = pairs.eq_at_multi_union_pw_aff(time_of(scop, tree.rows))
            band = replace(tree, child=distributed(scop, child, same, only))
            if not isinstance(band.child, Sequence) or (only is not None and band.name not in only):
                return band
            groups = _circles([statements_in(part) for part in band.child.children], _ends(pairs))
            return sequence([part for group in groups if (part := restricted(band, group)) is not None])
    return tree


def _ends(pairs: isl.UnionMap) -> set[tuple[str, str]]:
    """The statements that each of its maps leads from and to."""
    from islpy import dim_type

    maps: list[isl.Map] = []
    pairs.foreach_map(maps.append)
    return {(m.get_tuple_name(dim_type.in_), m.get_tuple_name(dim_type.out)) for m in maps}


def _circles(groups: list[frozenset[str]], pairs: set[tuple[str, str]]) -> list[frozenset[str]]:
    """Neighbours merged until no dependence leads back: what remains may run one group after the other."""
    merged: list[frozenset[str]] = []
    for group in groups:
        back = [n for n, earlier in enumerate(merged) if any((s, t) in pairs for s in group for t in earlier)]
        first = min(back, default=len(merged))
        merged[first:] = [group.union(*merged[first:])]
    return merged


def _isl_tree(scop: Scop, known: Dependences, *, fuse: bool) -> Tree | None:
    import islpy as isl

    space = known.order
    whole = domain_of(scop, frozenset(s.name for s in scop.statements))
    near = union([d.map for d in known.each if "flow" in d.kinds], space)
    constraints = isl.ScheduleConstraints.on_domain(whole).set_context(isl.Set(scop.context))
    constraints = constraints.set_validity(known.order).set_proximity(near)
    constraints = constraints.set_coincidence(known.order.union(known.updates))
    context = whole.get_ctx()
    before = context.get_max_operations()
    context.set_schedule_serialize_sccs(0 if fuse else 1)
    context.reset_operations()
    context.set_max_operations(_operations(known))
    try:
        root = constraints.compute_schedule().get_root()
        return _read(scop, root.child(0), [s.name for s in scop.statements])
    except isl.Error:
        return None
    finally:
        context.set_max_operations(before)
        context.set_schedule_serialize_sccs(0)


def _operations(known: Dependences) -> int:
    """Of isl's for one schedule. Each works on a tableau with rows for every constraint of a dependence: nests of seven
    loops with private scalars have 5,000 of them, and 400,000 operations take ten seconds; nests of three have 100."""
    constraints = 0

    def count(part: isl.BasicMap) -> None:
        nonlocal constraints
        constraints += part.n_constraint()

    for pairs in (known.order, known.updates):
        pairs.foreach_map(lambda one: one.foreach_basic_map(count))
    share = min(1.0, USUAL_CONSTRAINTS / max(constraints, 1)) ** 3
    return max(1, int(OPERATIONS_LIMIT * share))  # 0 would be no limit


class _UnreadableError(Exception):
    pass


def _read(scop: Scop, node: isl.ScheduleNode, statements: list[str]) -> Tree | None:
    try:
        return _node(scop, node, statements)
    except _UnreadableError:
        return None


def _node(scop: Scop, node: isl.ScheduleNode, statements: list[str]) -> Tree:
    import islpy as isl

    kind = node.get_type()
    types = isl.schedule_node_type
    if kind == types.leaf:
        if len(statements) != 1:
            raise _UnreadableError
        return Leaf(statements[0])
    if kind in (types.sequence, types.set):
        return sequence([_filtered(scop, node.child(n), statements) for n in range(node.n_children())])
    if kind != types.band:
        raise _UnreadableError
    partial = node.band_get_partial_schedule()
    rows = [_rows(scop, partial.get_at(n), statements) for n in range(node.band_n_member())]
    tree = _node(scop, node.child(0), statements)
    for row in reversed(rows):
        if any(_loop_of(scop, name, text) for name, text in row):
            tree = Band(_name(scop, row), row, tree)
    return tree


def _filtered(scop: Scop, node: isl.ScheduleNode, statements: list[str]) -> Tree:
    inside = re.findall(r"(\w+)\[", node.filter_get_filter().to_str())
    return _node(scop, node.child(0), [name for name in statements if name in inside])


def _rows(scop: Scop, time: isl.UnionPwAff, statements: list[str]) -> tuple[tuple[str, str], ...]:
    rows = dict(re.findall(r"(\w+)\[[^\]]*\] -> \[\(([^:;]*)\)\](?=[ ;}])", time.to_str()))
    if set(rows) != set(statements):
        raise _UnreadableError
    return tuple((name, rows[name]) for name in statements)


def _loop_of(scop: Scop, statement: str, row: str) -> str | None:
    """The last of the statement's own loops that the row names."""
    loops = next(s.loops for s in scop.statements if s.name == statement)
    words = set(re.findall(r"[A-Za-z_]\w*", row))
    return next((loop for loop in reversed(loops) if loop in words), None)


def _name(scop: Scop, rows: tuple[tuple[str, str], ...]) -> str:
    """A row of isl's takes the name of the loop that the deepest statement has there."""
    depth = {s.name: len(s.loops) for s in scop.statements}
    deepest = sorted(rows, key=lambda row: -depth[row[0]])
    return next(loop for name, row in deepest if (loop := _loop_of(scop, name, row)))
