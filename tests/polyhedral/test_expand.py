"""Scalars become arrays where every iteration sets them anew, and only there."""

from __future__ import annotations

from tests.polyhedral.scops import JACOBI, ROWS, SOLVE, Written, scop
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.shapes.expand import expanded
from tunepass.polyhedral.shapes.shapes import shapes_of


def test_an_expanded_scalar_lets_loops_change_places() -> None:
    plan = Plan(shape="expanded_distributed", order=("j", "i"), vectorize=("i",))
    assert is_legal(ROWS, plan)
    assert rewrite_scop(ROWS, plan, numbered=False).splitlines() == [
        "{",
        "    double *w_of_i = (double *)__builtin_malloc(sizeof(double) * (n > 0 ? n : 1));",
        "    #pragma omp simd",
        "    for (int i = 0; i < n; i++) {",
        "        w_of_i[i] = 0.0;",
        "    }",
        "    for (int j = 0; j < m; j++) {",
        "        #pragma omp simd",
        "        for (int i = 0; i < n; i++) {",
        "            y[i][j] = x[i][j] + 0.5 * w_of_i[i];",
        "            w_of_i[i] = x[i][j];",
        "        }",
        "    }",
        "    __builtin_free(w_of_i);",
        "    (void)w;",
        "}",
    ]


def test_a_scalar_that_is_read_by_the_next_iteration_stays() -> None:
    assert expanded(JACOBI) is JACOBI
    assert "expanded_distributed" in shapes_of(ROWS)
    assert [array.name for array in expanded(SOLVE).arrays] == ["w", "b", "A", "x", "w_of_i"]


def test_a_loop_that_never_runs_needs_no_room() -> None:
    code = (
        "for (int i = 0; i < n; i++)\n    for (int j = i; j < i; j++) {\n        w = b[j];\n        x[j] = w;\n    }\n"
    )
    never = "0 <= i < n and i <= j < i"
    statements = [
        Written(("i", "j"), never, (0, 0, 0), (("w", "", "w"), ("b", "j", "r")), "w = b[j];"),
        Written(("i", "j"), never, (0, 0, 1), (("x", "j", "w"), ("w", "", "r")), "x[j] = w;"),
    ]
    arrays: dict[str, tuple[str, ...]] = {"w": (), "b": ("n",), "x": ("n",)}
    subject = scop(code, {"i": 1, "j": 1}, statements, arrays, frozenset("w"))
    assert expanded(subject) is subject
    assert "x[j] = w;" not in rewrite_scop(subject, Plan(), numbered=False)
