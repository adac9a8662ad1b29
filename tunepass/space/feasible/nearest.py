"""A feasible row with few changes from a wanted one: what a default is where the parameters' defaults conflict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.space.columns import Column, Columns, Indices, length, take
from tunepass.space.feasible.group import DiagramGroup, ParameterGroup

DRAWS = 128  # rows of a sampled group among which the nearest is looked for


def nearest_feasible(groups: Sequence[ParameterGroup], target: Columns) -> Columns | None:
    """Group by group: exact in a diagram, the nearest of a sample elsewhere; None where sampling finds nothing.

    `target` has one row.
    """
    nearest: dict[str, Column] = {}
    for group in groups:
        group_target = {p.name: target[p.name] for p in group.parameters}
        if group.contains(group_target)[0]:
            nearest.update(group_target)
        elif isinstance(group, DiagramGroup):
            nearest.update(group.columns(nearest_row(group, group_target)[None, :]))
        else:
            rows = group.draw(DRAWS, np.random.default_rng(0))
            if not length(rows):
                return None
            changes = sum(p.changes(rows[p.name], group_target[p.name]) for p in group.parameters)
            closest = int(np.argmin(changes))
            nearest.update(take(rows, slice(closest, closest + 1)))
    return nearest


def nearest_row(group: DiagramGroup, columns: Columns) -> Indices:
    """The path (layers,) with the least total change: exact, bottom-up over the diagram."""
    diagram, target = group.diagram, group.rows(columns)[0]
    by_name = {p.name: p for p in group.parameters}
    cost = np.zeros(1)
    best_arcs = []  # of every node of a layer, from the last layer up; -1 where none leads on
    for i in reversed(range(len(diagram.layers))):
        layer, (name, position) = diagram.layers[i], group.layers[i]
        p = by_name[name]
        if position >= 0:
            change = (np.arange(layer.width) != target[i]).astype(np.float64)
        else:
            change = p.changes(p.at(np.arange(layer.width)), p.at(target[i : i + 1]))
        arc_cost = change[layer.value] + cost[layer.child]
        order = np.lexsort((arc_cost, layer.sources))
        best = np.full(len(layer.start) - 1, -1, dtype=np.int64)
        filled = np.diff(layer.start) > 0
        best[filled] = order[layer.start[:-1][filled]]
        cost = np.where(filled, arc_cost[best], np.inf)
        best_arcs.append(best)
    node, row = 0, np.zeros(len(diagram.layers), dtype=np.int64)
    for i, best in enumerate(reversed(best_arcs)):
        arc = best[node]
        row[i], node = diagram.layers[i].value[arc], int(diagram.layers[i].child[arc])
    return row
