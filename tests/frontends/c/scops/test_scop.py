"""What is read of nests as people write them."""

from __future__ import annotations

import islpy as isl
import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, nest, scop_of


def same_set(a: str, b: str) -> bool:
    return bool(isl.Set(a).is_equal(isl.Set(b)))


def test_an_imperfect_nest_with_indices_declared_outside() -> None:
    scop = nest("for (i = 0; i < n; i++) { x[i] = 0; for (j = 0; j <= i; j++) x[i] += A[i][j] * y[j]; }")
    assert [s.text for s in scop.statements] == ["x[i] = 0;", "x[i] += A[i][j] * y[j];"]
    assert same_set(scop.statements[1].domain, "[n] -> { S1[i, j] : 0 <= i < n and 0 <= j <= i }")
    assert [s.schedule.split("->", 1)[1] for s in scop.statements] == [
        " { S0[i] -> [0, i, 0, 0, 0] }", " { S1[i, j] -> [0, i, 1, j, 0] }",
    ]  # fmt: skip
    assert accesses(scop, 1) == ["+ x[i]", "r A[i, j]", "r y[j]"]
    assert not any(loop.declared for loop in scop.loops)
    assert scop.after == ()


def test_an_index_used_again_gets_a_name_of_its_own() -> None:
    scop = nest("for (i = 0; i < n; i++) { for (j = 0; j < n; j++) A[i][j] = 0; for (j = 0; j < n; j++) B[i][j] = 0; }")
    assert [(loop.name, loop.index, loop.parent) for loop in scop.loops] == [
        ("i", "i", None), ("j", "j", "i"), ("j_2", "j", "i"),
    ]  # fmt: skip
    assert [(u.loop, u.start) for u in scop.statements[1].uses or ()] == [("i", 2), ("j_2", 5)]


@pytest.mark.parametrize(
    ("header", "domain"),
    [
        ("for (i = 1; i <= n - 2; i++)", "1 <= i <= n - 2"),
        ("for (i = n - 1; i >= 0; i--)", "0 <= i < n"),
        ("for (i = n; i > 0; --i)", "0 < i <= n"),
        ("for (i = 0; i < n; i += 3)", "0 <= i < n and i mod 3 = 0"),
        ("for (i = 0; i < n; i = i + 2)", "0 <= i < n and i mod 2 = 0"),
        ("for (i = n; i > 0; i -= 4)", "0 < i <= n and (n - i) mod 4 = 0"),
        ("for (i = 0; i != n; i++)", "0 <= i < n"),
        ("for (i = 0; n > i; ++i)", "0 <= i < n"),
        ("for (i = 0; 2 * i + 1 < n; i++)", "0 <= i and 2i + 1 < n"),
        ("for (i = 0; i < n && i < m; i++)", "0 <= i < n and i < m"),
        ("for (i = 0; i < (n < m ? n : m); i++)", "0 <= i < n and i < m"),
        ("for (i = n / 2; i < n; i++)", "i < n and ((n >= 0 and i >= floor(n/2)) or (n < 0 and i >= -floor(-n/2)))"),
        ("for (i = -2 * m; i < n * 3; i++)", "-2m <= i < 3n"),
    ],
)  # fmt: skip
def test_headers(header: str, domain: str) -> None:
    scop = nest(f"{header} x[i] = 0;")
    assert same_set(scop.statements[0].domain, f"[n, m] -> {{ S0[i] : {domain} }}")


def test_a_loop_that_counts_down_is_scheduled_by_its_negative() -> None:
    assert nest("for (i = n - 1; i >= 0; i--) x[i] = 0;").statements[0].schedule == "[n] -> { S0[i] -> [0, -i, 0] }"


def test_affine_conditions_are_part_of_the_domain_and_others_of_the_statement() -> None:
    scop = nest("for (i = 0; i < n; i++) { if (i > m || !(i == 3)) x[i] = 0; else y[i] = 1; if (x[i] > 0) y[i] = 2; }")
    assert same_set(scop.statements[0].domain, "[n, m] -> { S0[i] : 0 <= i < n and (i > m or i != 3) }")
    assert same_set(scop.statements[1].domain, "[n, m] -> { S1[i] : 0 <= i < n and i = 3 and m >= 3 }")
    assert scop.statements[2].text == "if (x[i] > 0) y[i] = 2;"
    assert accesses(scop, 2) == ["r x[i]", "w? y[i]"]


def test_macros_stay_in_the_text_and_are_read() -> None:
    text = (
        "#define T double\n#define AT(a, i, j) a[i][(j) + 1]\n#define LAST (n - 1)\n#define N 100\n"
        f"void f(int n, T A[N][N]) {{ int i, j;\n{PRAGMA}\n"
        "for (i = 0; i < LAST; i++) for (j = 0; j < N; j++) AT(A, i, j) = AT(A, j, i); }"
    )
    scop = scop_of(text)
    assert scop.statements[0].text == "AT(A, i, j) = AT(A, j, i);"
    assert [u.start for u in scop.statements[0].uses or ()] == [6, 9, 20, 23]
    assert accesses(scop) == ["r A[j, i + 1]", "w A[i, j + 1]"]
    assert [(p.name, p.value) for p in scop.parameters] == [("n", None), ("N", 100)]
    assert same_set(scop.statements[0].domain, "[n, N] -> { S0[i, j] : 0 <= i < n - 1 and 0 <= j < N }")


ROWS = "int n, int m, double *A, double *B, double *C, long ld"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[i * m + j] = B[j + m * i];", ["r B[i, j]", "w A[i, j]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) *(A + i * m + j) = 1;", ["w A[i, j]"]),
        ("for (i = 1; i < n; i++) for (j = 1; j < m; j++) A[i*m+j] = A[(i-1)*m+j-1];",
         ["r A[i - 1, j - 1]", "w A[i, j]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[i*m + m - 1 - j] = 1;", ["w A[i, -j + m - 1]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) for (k = 0; k < n; k++) A[(i*m + j)*n + k] = 1;",
         ["w A[i, j, k]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < n; j++) A[(long)i * n + j] = 0;", ["w A[i, j]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < n; j++) A[i * ld + j] = 0;", ["w? A[o0]"]),  # rows may overlap
        ("for (i = 0; i < n; i++) for (j = 0; j <= n; j++) A[i * n + j] = 0;", ["w? A[o0]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[i * j] = 0;", ["w? A[o0]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[16 * i + j] = 0;", ["w A[16*i + j]"]),
    ],
)  # fmt: skip
def test_subscripts_that_count_rows(body: str, expected: list[str]) -> None:
    assert accesses(nest(body, ROWS)) == expected


def test_rows_of_a_macro_stay_symbolic_and_numbers_are_used_where_they_must_be() -> None:
    head = f"#define N 64\nvoid f(double *A, double *x) {{\n{PRAGMA}\n"
    rows = scop_of(head + "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i * N + j] = 0; }")
    assert accesses(rows) == ["w A[i, j]"]
    assert rows.context == "[N] -> { : true }"
    strided = scop_of(head + "for (int i = 0; i < N; i++) x[N * i + 100] = A[i]; }")
    assert accesses(strided) == ["r A[i]", "w x[64*i + 100]"]
    assert strided.context == "[N] -> { : N = 64 }"


def test_a_macro_that_a_parameter_sets_is_never_a_number() -> None:
    text = f"#define N 64\nvoid f(double *x) {{\n{PRAGMA}\nfor (int i = 0; i < N; i++) x[N * i + 100] = 0; }}"
    scop = scop_of(text, tuned=frozenset({"N"}))
    assert [(p.name, p.value) for p in scop.parameters] == [("N", None)]
    assert accesses(scop) == ["w? x[o0]"]
