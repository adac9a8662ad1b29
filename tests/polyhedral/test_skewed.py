"""Time steps are skewed by as little as dependences allow, and tiles of them keep whole rows."""

from __future__ import annotations

from tests.polyhedral.scops import FORWARD, JACOBI, ROWS, SOLVE, SWEEPS, SYRK
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.model.work import works_of
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.schedules.tree import Band, source_tree
from tunepass.polyhedral.shapes.shapes import shapes_of
from tunepass.polyhedral.shapes.skewed import skewed
from tunepass.polyhedral.spaces.chains import chains_of
from tunepass.polyhedral.spaces.derive import derive_space
from tunepass.polyhedral.spaces.openings import Choices, openings_of


def test_rows_move_by_one_step_and_the_last_statement_by_one_more() -> None:
    tree = skewed(SWEEPS, source_tree(SWEEPS))
    assert isinstance(tree, Band) and isinstance(tree.child, Band)
    assert dict(tree.child.rows) == {"S0": "1 * (t) + (0) + 0", "S1": "1 * (t) + (i) + 0", "S2": "1 * (t) + (i_2) + 1"}
    assert "skewed" in shapes_of(SWEEPS)
    assert chains_of(SWEEPS, "skewed")[0].loops == ("t", "i")


def test_a_tile_of_steps_goes_over_the_rows_once() -> None:
    plan = Plan(shape="skewed", tile=(("t", 4),), order=("i", "t"), vectorize=("*",))
    assert is_legal(SWEEPS, plan) and not is_legal(
        SWEEPS, Plan(tile=(("t", 4),), order=("i", "t"), shape="fused", parallel=("t",))
    )
    text = rewrite_scop(SWEEPS, plan, numbered=False)
    headers = [line.strip() for line in text.splitlines() if "for (" in line]
    assert headers[0] == "for (int t_tile = 0; t_tile < m; t_tile += 4) {"
    assert headers.count("for (int j = 0; j < n; j++) {") == 3 == text.count("#pragma omp simd")
    assert "C[i - t - 1][j] = C[i - t - 1][j] - 0.7 *" in text


def test_other_nests_have_nothing_to_skew() -> None:
    assert all(skewed(scop, source_tree(scop)) is None for scop in (FORWARD, JACOBI, ROWS, SOLVE, SYRK))


def test_tiles_of_steps_are_tried_early() -> None:
    found, shapes = derive_space(SWEEPS, SWEEPS.span, parallel=False), shapes_of(SWEEPS)
    choices = Choices(directives=found.directives, parameters=found.parameters, shapes=shapes, chains=found.chains)
    early = [
        dict(o.values)
        for o in openings_of(choices, works_of(SWEEPS, shapes, {}))
        if dict(o.values)["SHAPE"] == "skewed"
    ]
    assert {8, 16, 32} == {values.get("TILE_t", 1) for values in early}
    for values in early:
        order = next(v for k, v in values.items() if k.startswith("ORDER") and isinstance(v, tuple) and "t" in v)
        assert order.index("i") < order.index("t")
