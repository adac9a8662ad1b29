"""A statement is taken apart at the one iteration that all others of a loop depend on, and only there."""

from __future__ import annotations

from tests.polyhedral.scops import JACOBI, ROWS, SOLVE, SYRK, Written, scop
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.shapes.pieces import pieced
from tunepass.polyhedral.shapes.shapes import shapes_of

PATHS = scop(
    """\
for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            P[i][j] = f(P[i][j], P[i][k], P[k][j]);
""",
    {"k": 1, "i": 1, "j": 1},
    [
        Written(
            ("k", "i", "j"),
            "0 <= k < n and 0 <= i < n and 0 <= j < n",
            (0, 0, 0, 0),
            (("P", "i, j", "rw"), ("P", "i, k", "r"), ("P", "k, j", "r")),
            "P[i][j] = f(P[i][j], P[i][k], P[k][j]);",
        )
    ],
    {"P": ("n", "n")},
)


def test_what_lies_before_and_after_is_vectorized() -> None:
    plan = Plan(shape="pieces_distributed", vectorize=("*",))
    assert is_legal(PATHS, plan) and not is_legal(PATHS, Plan(vectorize=("j",)))
    assert rewrite_scop(PATHS, plan, numbered=False).splitlines() == [
        "for (int k = 0; k < n; k++) {",
        "    for (int i = 0; i < n; i++) {",
        "        #pragma omp simd",
        "        for (int j = 0; j < k; j++) {",
        "            P[i][j] = f(P[i][j], P[i][k], P[k][j]);",
        "        }",
        "    }",
        "    for (int i = 0; i < n; i++) {",
        "        P[i][k] = f(P[i][k], P[i][k], P[k][k]);",
        "    }",
        "    for (int i = 0; i < n; i++) {",
        "        #pragma omp simd",
        "        for (int j = k + 1; j < n; j++) {",
        "            P[i][j] = f(P[i][j], P[i][k], P[k][j]);",
        "        }",
        "    }",
        "}",
    ]


def test_other_statements_stay_whole() -> None:
    assert shapes_of(PATHS) == ("source", "pieces_distributed")
    assert all(pieced(subject) is subject for subject in (JACOBI, ROWS, SOLVE, SYRK))
