"""The feasible configuration nearest to the parameters' defaults, where those are infeasible together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tunepass.diagnostics import Diagnostic, Severity
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.columns import Columns
from tunepass.space.configuration import Configuration
from tunepass.space.feasible.diagram import Indices
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.parameter import Column

if TYPE_CHECKING:
    from tunepass.space.space import Space

NEAREST_DRAWS = 128


def settle(space: Space) -> tuple[Configuration, tuple[Diagnostic, ...]]:
    """The default configuration of a space, and a warning where it is not the parameters' own."""
    wanted = Configuration({p.name: p.default for p in space.parameters})
    if space.contains(wanted):
        return wanted, ()
    found = nearest_feasible(space, wanted)
    if found is None:
        return wanted, (Diagnostic("no feasible configuration was found by sampling", severity=Severity.WARNING),)
    changes = ", ".join(f"{k}={v!r}" for k, v in found.items() if v != wanted[k])
    columns = space.columns([wanted])
    unmet = (c.span for c in space.constraints if not satisfied(c.expression, columns, 1)[0])
    message = f"the default configuration is infeasible; the nearest feasible one changes {changes}"
    return found, (Diagnostic(message, next(unmet, None), severity=Severity.WARNING),)


def nearest_feasible(space: Space, wanted: Configuration) -> Configuration | None:
    """A feasible configuration with few changes from `wanted`: group by group, the fewest among many, then repaired."""
    target = {p.name: p.column([wanted[p.name]]) for p in space.parameters}
    best: dict[str, Column] = {}
    for g in space.groups:
        mine = {p.name: target[p.name] for p in g.parameters}
        if g.walk(mine)[0][0]:
            best.update(mine)
            continue
        rng = np.random.default_rng(0)
        if isinstance(g, DiagramGroup):
            row = nearest_row(g, mine)
            best.update(g.columns(row[None, :]))
            continue
        rows = g.draw(NEAREST_DRAWS, rng)
        n = len(next(iter(rows.values())))
        if n == 0:
            return None
        closest = int(np.argmin(sum(p.changes(rows[p.name], mine[p.name]) for p in g.parameters)))
        best.update({name: c[closest : closest + 1] for name, c in rows.items()})
    return space.configurations(best)[0]


def nearest_row(g: DiagramGroup, target: Columns) -> Indices:
    """The path with the least total change: exact, bottom-up over the diagram."""
    diagram = g.diagram
    wanted = g.rows(target)[0]
    by_name = {p.name: p for p in g.parameters}
    cost = np.zeros(1)
    picks = []
    for i in reversed(range(len(diagram.layers))):
        layer, (name, position) = diagram.layers[i], g.layers[i]
        p = by_name[name]
        if position >= 0:
            own = (np.arange(layer.width) != wanted[i]).astype(np.float64)
        else:
            own = p.changes(p.at(np.arange(layer.width)), p.at(wanted[i : i + 1]))
        arc = own[layer.value] + cost[layer.child]
        sources = layer.sources
        order = np.lexsort((arc, sources))
        first = np.full(len(layer.start) - 1, -1, dtype=np.int64)
        filled = np.diff(layer.start) > 0
        first[filled] = order[layer.start[:-1][filled]]
        cost = np.where(filled, arc[first], np.inf)
        picks.append(first)
    node, row = 0, np.zeros(len(diagram.layers), dtype=np.int64)
    for i, first in enumerate(reversed(picks)):
        arc_at = first[node]
        row[i], node = diagram.layers[i].value[arc_at], int(diagram.layers[i].child[arc_at])
    return row
