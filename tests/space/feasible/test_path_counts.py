"""Counts that pass 64 bits: the same ranks and paths as in 64 bits, in memory for the nodes alone."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from tunepass.space.feasible.diagram import order, path_counts
from tunepass.space.feasible.diagram.diagram import Diagram
from tunepass.space.feasible.diagram.path_counts import LargeCounts, SmallCounts
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.parameter import Integer, Ordinal
from tunepass.space.space import Space


def diagram(space: Space) -> Diagram:
    (group,) = space.groups
    assert isinstance(group, DiagramGroup)
    return group.diagram


def compositions(values: list[list[int]], most: int) -> int:
    """Sums of one of each of `values` that are at most `most`, counted one value at a time."""
    ways = {0: 1}
    for column in values:
        following: dict[int, int] = {}
        for total, count in ways.items():
            for value in column:
                if total + value <= most:
                    following[total + value] = following.get(total + value, 0) + count
        ways = following
    return sum(ways.values())


def test_both_ways_of_counting_agree() -> None:
    layers = diagram(Space([Integer(f"x{i}", 0, 5) for i in range(4)], ["x0 * x1 + x2 * x3 == 12", "x0 <= x3"])).layers
    small, large = SmallCounts(layers), LargeCounts(layers)
    assert small.size == large.size > 20
    ranks = np.arange(small.size)
    node = np.zeros(len(ranks), dtype=np.int64)
    rest, exact = ranks, ranks.astype(object)
    for at, layer in enumerate(layers):
        arc, rest = small.descend(at, node, rest)
        same, exact = large.descend(at, node, exact)
        assert (arc == same).all() and (rest == exact).all()
        assert (small.before(at, node, arc) == large.before(at, node, arc)).all()
        node = layer.child[arc].astype(np.int64)


def test_two_hundred_parameters_and_a_sum_are_counted_in_little_memory() -> None:
    values = [[1, 2, 4, 8, 16]] * 200
    total = " + ".join(f"p{i}" for i in range(200))
    space = Space([Ordinal(f"p{i}", column) for i, column in enumerate(values)], [f"{total} <= 700"])
    rows = space.sample(50, np.random.default_rng(0))
    assert space.complete and space.size == compositions(values, 700) > 1 << 300
    assert len(set(rows)) == 50 and all(space.contains(c) for c in rows)
    assert [space.unrank(space.rank(c)) for c in rows[:5]] == rows[:5]
    assert diagram(space).nodes < 200 * 700


def test_large_counts_are_held_for_nodes_not_for_arcs() -> None:
    total = " + ".join(f"p{i}" for i in range(61))
    layers = diagram(Space([Integer(f"p{i}", 0, 15) for i in range(61)], [f"{total} == 300"])).layers
    arcs, nodes = sum(len(layer.child) for layer in layers), sum(len(layer.start) for layer in layers)
    tracemalloc.start()
    counts = LargeCounts(layers)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert counts.size > 1 << 200 and arcs > 12 * nodes and held < 80 * nodes


def test_the_order_of_many_parameters_is_chosen_without_trying_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "_Estimate", None)  # the beam's
    total = " + ".join(f"{i % 7 + 1} * p{i}" for i in range(120))
    space = Space([Integer(f"p{i}", 0, 3) for i in range(120)], [f"{total} <= 300", "p5 * p100 <= 4"])
    layers = [name for name, _ in diagram_group(space).layers]
    assert abs(layers.index("p5") - layers.index("p100")) == 1


def diagram_group(space: Space) -> DiagramGroup:
    (group,) = space.groups
    assert isinstance(group, DiagramGroup)
    return group


def test_spaces_past_64_bits_are_drawn_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> list[object]:
        space = Space([Integer(f"x{i}", 0, 9) for i in range(5)], ["x0 + x1 + x2 + x3 + x4 == 22"])
        return list(space.sample(40, np.random.default_rng(1)))

    before = drawn()
    monkeypatch.setattr(path_counts, "LIMIT", 0)
    assert drawn() == before
