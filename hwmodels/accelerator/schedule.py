"""The reference of the closed forms: the data-dependence graph of a network, scheduled in cycles.

As Aladdin does (Shao et al., ISCA 2014, section 3): a node starts once its parents allow it and its unit is free, in
the order of the program. A bank reads one word a cycle, a lane starts one multiply-add a cycle.

    load w[o][i]       bank o mod F; after the loads of the step before have started, and the layer before has ended
    multiply-add o, i  lane o mod L; a cycle after its load, and after the sum so far
    output o           after its last multiply-add is done; the next layer reads it
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

Unit = tuple[str, int, int]  # kind, layer, number


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerShape:
    """`lanes` and `banks` may be more than `outputs`."""

    inputs: int
    outputs: int
    lanes: int = 1
    banks: int = 1


@dataclass(slots=True)
class Node:
    """`parents`: (position, cycles after that one's start). `unit` None: it waits for none."""

    unit: Unit | None
    parents: list[tuple[int, int]] = field(default_factory=list)


def dependence_graph(layers: Sequence[LayerShape], multiply_add_cycles: int = 1) -> list[Node]:
    """In the order of the program; parents come first."""
    nodes: list[Node] = []
    outputs: list[int] = []  # positions, of the layer before
    for number, layer in enumerate(layers):
        outputs = _add_layer(nodes, number, layer, outputs, multiply_add_cycles)
    return nodes


def _add_layer(nodes: list[Node], number: int, layer: LayerShape, before: list[int], depth: int) -> list[int]:
    """The positions of the layer's outputs."""
    barrier, finished = before, list[int]()
    for first in range(0, layer.outputs, layer.lanes):
        group = range(first, min(first + layer.lanes, layer.outputs))
        sums: dict[int, int] = {}
        for _ in range(layer.inputs):
            loads = {}
            for o in group:
                loads[o] = len(nodes)
                nodes.append(Node(("bank", number, o % layer.banks), [(parent, 1) for parent in barrier]))
            for o in group:
                parents = [(loads[o], 1), *([(sums[o], 1)] if o in sums else [])]
                sums[o] = len(nodes)
                nodes.append(Node(("lane", 0, o % layer.lanes), parents))
            barrier = list(loads.values())
        for o in group:
            finished.append(len(nodes))
            nodes.append(Node(None, [(sums[o], depth)]))
    return finished


def schedule(nodes: Sequence[Node]) -> list[int]:
    """The cycle in which each node starts."""
    children: list[list[tuple[int, int]]] = [[] for _ in nodes]
    for position, node in enumerate(nodes):
        for parent, cycles in node.parents:
            children[parent].append((position, cycles))
    missing = [len(node.parents) for node in nodes]
    ready, starts = [0] * len(nodes), [0] * len(nodes)
    free: dict[Unit, int] = {}
    waiting = [(0, position) for position, count in enumerate(missing) if count == 0]
    while waiting:
        cycle, position = heapq.heappop(waiting)
        unit = nodes[position].unit
        if unit is not None and free.get(unit, 0) > cycle:
            heapq.heappush(waiting, (free[unit], position))
            continue
        starts[position] = cycle
        if unit is not None:
            free[unit] = cycle + 1
        for child, cycles in children[position]:
            ready[child] = max(ready[child], cycle + cycles)
            missing[child] -= 1
            if missing[child] == 0:
                heapq.heappush(waiting, (ready[child], child))
    return starts


def cycles(layers: Sequence[LayerShape], multiply_add_cycles: int = 1) -> int:
    """Cycles of one inference."""
    return max(schedule(dependence_graph(layers, multiply_add_cycles))) + 1
