"""Which trees there are for a nest, and how long isl may look for them."""

from __future__ import annotations

import pytest

from tests.polyhedral.scops import JACOBI
from tunepass.polyhedral.shapes import shapes
from tunepass.polyhedral.shapes.shapes import shape_tree, shapes_of


def test_isl_gets_less_of_nests_with_many_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its schedules would take minutes, the source's own loops are left to choose from."""
    assert {"split", "fused"} & set(shapes_of(JACOBI))
    monkeypatch.setattr(shapes, "USUAL_CONSTRAINTS", 0.01)
    shapes._known_tree.cache_clear()
    try:
        assert shape_tree(JACOBI, "split") is None and shape_tree(JACOBI, "fused") is None
        assert shapes_of(JACOBI)[0] == "source"
    finally:
        shapes._known_tree.cache_clear()
