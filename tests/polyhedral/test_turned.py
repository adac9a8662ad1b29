"""Loops are exchanged around statements that stand between them, where dependences allow it."""

from __future__ import annotations

from tests.polyhedral.scops import FORWARD, PAIRS, SOLVE
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.legality import keeps_order
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.schedules.tree import source_tree
from tunepass.polyhedral.shapes.shapes import shapes_of
from tunepass.polyhedral.shapes.turned import turned


def test_what_was_pulled_in_a_recurrence_is_pushed_in_vectors() -> None:
    assert "turned" in shapes_of(PAIRS)
    assert not is_legal(PAIRS, Plan(vectorize=("k",), sums=False))
    plan = Plan(shape="turned", vectorize=("j",), sums=False)
    assert is_legal(PAIRS, plan)
    assert rewrite_scop(PAIRS, plan, numbered=False).splitlines() == [
        "for (int i = -n + 2; i < 1; i++) {",
        "    for (int k = -i + 1; k < n; k++) {",
        "        C[-i][k] += 0.25 * C[-i][k - 1];",
        "        #pragma omp simd",
        "        for (int j = k + 1; j < n; j++) {",
        "            C[-i][j] += 0.125 * C[-i][k] * C[k + 1][j];",
        "        }",
        "    }",
        "}",
    ]


def test_other_nests_are_refused() -> None:
    """What a solver sets first has to be set before all that is pushed to it."""
    for scop in (FORWARD, SOLVE):
        tree = turned(source_tree(scop))
        assert tree is not None and not keeps_order(scop, tree)
        assert "turned" not in shapes_of(scop)
