"""Tiles of arrays in local buffers: where they may be, how they are written, and when a space offers them."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import nest
from tests.polyhedral.scops import JACOBI, SWEEPS, SYRK
from tunepass.ir.scop import Scop, ScopArray
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.describe import describe_scop
from tunepass.polyhedral.schedules.footprint import Buffer
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.spaces.derive import derive_space

PRODUCT = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) x[i * n + j] += {} * {};"
FORMALS = "int n, double *x, const double *restrict y, const double *restrict z"
FLAT = nest(PRODUCT.format("y[i * n + k]", "z[j * n + k]"), FORMALS)
TILED = Plan(order=("i", "k", "j"), tile=(("k", 4), ("j", 3)), pack=(("z", "j_tile"),))


def test_a_tile_is_copied_with_the_dimension_of_the_innermost_loop_last() -> None:
    assert is_legal(FLAT, TILED)
    assert rewrite_scop(FLAT, TILED, numbered=False).splitlines() == [
        "for (int k_tile = 0; k_tile < n; k_tile += 4) {",
        "    for (int j_tile = 0; j_tile < n; j_tile += 3) {",
        "        double z_pack[4][3] __attribute__((aligned(64)));",
        "        const long z_pack_0 = j_tile, z_pack_1 = k_tile;",
        "        {",
        "            const int j_end = n < j_tile + 3 ? n : j_tile + 3;",
        "            for (int j = j_tile; j < j_end; j++) {",
        "                const int k_end = n < k_tile + 4 ? n : k_tile + 4;",
        "                for (int k = k_tile; k < k_end; k++) {",
        "                    z_pack[k - z_pack_1][j - z_pack_0] = z[j * (n) + k];",
        "                }",
        "            }",
        "        }",
        "        for (int i = 0; i < n; i++) {",
        "            const int k_end = n < k_tile + 4 ? n : k_tile + 4;",
        "            for (int k = k_tile; k < k_end; k++) {",
        "                const int j_end = n < j_tile + 3 ? n : j_tile + 3;",
        "                for (int j = j_tile; j < j_end; j++) {",
        "                    x[i * n + j] += y[i * n + k] * z_pack[k - z_pack_1][j - z_pack_0];",
        "                }",
        "            }",
        "        }",
        "    }",
        "}",
    ]
    assert describe_scop(FLAT, TILED).endswith("tiles of 4 k, 3 j; z packed")


@pytest.mark.parametrize(
    "scop,plan",
    [
        (FLAT, Plan(order=("i", "k", "j"), tile=(("k", 4), ("j", 3)), pack=(("x", "j_tile"),))),  # written
        (FLAT, Plan(order=("i", "k", "j"), tile=(("k", 4), ("j", 3)), pack=(("z", "k_tile"),))),  # of any size
        (FLAT, Plan(order=("i", "k", "j"), tile=(("k", 4),), pack=(("z", "k_tile"),))),
        (FLAT, Plan(order=("k", "j", "i"), tile=(("i", 4),), jam=(("k", 2),), pack=(("z", "j"),))),  # by two at once
        (FLAT, Plan(order=("i", "k", "j"), tile=(("k", 900), ("j", 900)), pack=(("z", "j_tile"),))),  # too large
        (
            nest(
                PRODUCT.format("y[i * n + k]", "*(z + j)"), "int n, double *x, double *restrict y, double *restrict z"
            ),
            TILED,
        ),
        (nest(PRODUCT.format("z[j]", "z[(int)y[k]]"), FORMALS), TILED),
    ],
)
def test_what_cannot_be_packed_is_refused(scop: Scop, plan: Plan) -> None:
    assert is_legal(scop, Plan(order=plan.order, tile=plan.tile, jam=plan.jam))
    assert not is_legal(scop, plan)


def test_a_loop_that_is_not_there_asks_for_nothing() -> None:
    plan = Plan(order=("i", "k", "j"), pack=(("z", "j_tile"), ("z", "*")))
    assert is_legal(FLAT, plan) and "pack" not in rewrite_scop(FLAT, plan, numbered=False)


def test_accesses_that_move_differently_have_buffers_of_their_own() -> None:
    tile = (("i", 2), ("k", 4), ("j_2", 3))
    plan = Plan(shape="distributed", order=("i", "k", "j_2"), tile=tile, pack=(("A", "*"),), vectorize=("*",))
    text = rewrite_scop(SYRK, plan, numbered=False)
    assert "double A_pack[2][4]" in text and "double A_pack_[4][3]" in text
    assert "C[i][j] += A_pack[i - A_pack_0][k - A_pack_1] * A_pack_[k - A_pack__1][j - A_pack__0];" in text


def test_arrays_read_against_the_grain_are_offered() -> None:
    def offered(scop: Scop) -> list[tuple[str, str]]:
        return [(p.array, p.condition) for p in derive_space(scop, scop.span, parallel=False).packs]

    assert offered(SYRK) == [("A", "not PACK_A or TILE_j > 1 and TILE_k > 1")]
    assert offered(FLAT) == [("z", "not PACK_z or TILE_j > 1 and TILE_k > 1")]
    assert offered(JACOBI) == offered(SWEEPS) == []
    along = nest(PRODUCT.format("y[i * n + k]", "z[k * n + j]"), FORMALS)
    assert offered(along) == []


def test_a_subscript_that_is_a_condition_is_subtracted_from_as_a_whole() -> None:
    """`c ? a : b - B_pack_0` would run over the buffer's end where `c` holds."""
    array = ScopArray(name="B", text="B", element="double", element_byte=8, extents=("n", "n"))
    buffer = Buffer("B_pack", "B", "double", order=(1, 0), sizes=(4, 4), flat=False)
    text = buffer.filled(array, ("i", "j > 0 ? j : 2"))
    assert text == "B_pack[(j > 0 ? j : 2) - B_pack_1][i - B_pack_0] = B[i][j > 0 ? j : 2];"
