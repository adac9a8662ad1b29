"""What is tried first: loops that walk through memory innermost, vectors, copies around them."""

from __future__ import annotations

import pytest

from tests.polyhedral.scops import JACOBI, ROWS, SOLVE, SYRK, TURNED_PRODUCT
from tunepass.ir.scop import Scop
from tunepass.polyhedral.model.work import works_of
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.plan import plan_of
from tunepass.polyhedral.shapes.shapes import shapes_of
from tunepass.polyhedral.spaces.derive import derive_space
from tunepass.polyhedral.spaces.openings import Choices, openings_of
from tunepass.space.configuration import Configuration
from tunepass.space.opening import Opening
from tunepass.space.space import Space


def opened(scop: Scop) -> tuple[Space, tuple[Opening, ...], list[Configuration]]:
    found, shapes = derive_space(scop, scop.span, parallel=False), shapes_of(scop)
    space = Space(found.parameters, found.constraints)
    choices = Choices(
        directives=found.directives, parameters=found.parameters, shapes=shapes, chains=found.chains, packs=found.packs
    )
    openings = openings_of(choices, works_of(scop, shapes, {}))
    for opening in openings:
        configuration = Configuration({**space.default, **dict(opening.values)})
        assert not space.contains(configuration) or is_legal(scop, plan_of(found.directives, configuration))
    return space, openings, [Configuration({**space.default, **dict(o.values)}) for o in openings]


@pytest.mark.parametrize("scop", [SYRK, JACOBI, SOLVE, ROWS], ids=["syrk", "jacobi", "solve", "rows"])
def test_the_first_of_each_shape_are_feasible_and_legal(scop: Scop) -> None:
    space, openings, configurations = opened(scop)
    for opening, configuration in zip(openings, configurations):
        if opening.after is None:
            assert space.contains(configuration), configuration
        else:
            assert opening.after < len(openings)
            assert openings[opening.after].after is None or openings[opening.after].when == "failed"


def test_the_loop_along_the_rows_is_innermost() -> None:
    """C[i][j] += A[i][k] * A[j][k]: a sum along k, or what it takes to have copies of it side by side."""
    _, openings, configurations = opened(SYRK)
    first = configurations[0]
    assert first["SHAPE"] == "distributed" and first["SIMD"] and first["SUMS"]
    order = [str(item) for item in first["ORDER"]]  # type: ignore[union-attr]
    assert order.index("i") < order.index("j_2") < order.index("k")
    assert any(o.after == 0 and dict(o.values).get("JAM_j") == 4 for o in openings)
    assert any(o.when == "failed" and dict(o.values)["SUMS"] is False for o in openings)


def test_square_tiles_come_early_where_accesses_disagree_about_rows() -> None:
    """A[i][j] = A[i][j] * C[j][i]: along j the one walks through a row and the other jumps, along i the reverse."""
    space, openings, configurations = opened(TURNED_PRODUCT)
    sides = {(c["TILE_i"], c["TILE_j"]) for c in configurations}
    assert sides >= {(8, 8), (16, 16)} and all(map(space.contains, configurations))
    first = next(o for o, c in zip(openings, configurations) if c["TILE_i"] == 8)
    assert first.after is None and openings.index(first) < 4


def test_no_square_tiles_are_opened_where_all_walk_along_rows() -> None:
    _, openings, _ = opened(JACOBI)
    plain = [o for o in openings if dict(o.values).get("SHAPE") != "skewed"]
    assert not any(name.startswith("TILE_") for opening in plain for name, _ in opening.values)


def test_tiles_of_an_array_read_against_the_grain_are_packed_early() -> None:
    space, openings, configurations = opened(SYRK)
    packed = [c for o, c in zip(openings, configurations) if dict(o.values).get("PACK_A")]
    assert packed and all(space.contains(c) and c["TILE_j"] == c["TILE_k"] == 64 for c in packed)
    orders = [[str(item) for item in c["ORDER"]] for c in packed]  # type: ignore[union-attr]
    assert all(order.index("k") < order.index("j_2") for order in orders)
    assert {(c["JAM_k"], c["JAM_i"]) for c in packed} >= {(1, 1), (4, 4), (4, 2)}
