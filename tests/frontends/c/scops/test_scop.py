"""What is read of nests as people write them."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, domain, nest, scop_of
from tunepass.diagnostics import SourceError
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.plan import Plan


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
    assert scop.after == ("(void)i; (void)j;",)  # nothing else names them, which compilers would warn of


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
        ("for (i = 0; i < n; i++) for (j = 0; j < n; j++) A[i * ld + j] = 0;", ["w A[i, j]"]),  # if n <= ld
        ("for (i = 0; i < n; i++) for (j = 0; j <= n; j++) A[i * n + j] = 0;", ["w? A[o0]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[i * j] = 0;", ["w? A[o0]"]),
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[16 * i + j] = 0;", ["w A[16*i + j]"]),
        ("for (i = 0; i < n; i++) A[i * ld] = B[i * m];", ["r B[i, 0]", "w A[i, 0]"]),  # if ld >= 1
        ("for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[(j * n + i) * ld] = 0;", ["w A[j, i, 0]"]),
        ("for (i = 0; i < n; i++) A[n - i * ld] = 0;", ["w A[-i, n]"]),  # if n < ld
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
    assert accesses(scop) == ["w x[i, 100]"]  # if N > 100


def test_arithmetic_on_parameters_that_is_not_affine_is_a_parameter() -> None:
    scop = nest("for (i = 0; i < n * m; i++) x[i] = 0;")
    assert [(p.name, p.text, p.type) for p in scop.parameters] == [("p2", "(n * m)", "long")]
    assert domain(scop) == "{ S0[i] : (i >= 0) and (i - p2 < 0) }"
    sized = nest("for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) x[i] = 0;", "double *x")
    assert [p.text for p in sized.parameters] == ["(sizeof ( table ) / sizeof ( table [ 0 ] ))"]


def test_a_header_found_in_a_folder_gives_types_and_macros(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#ifndef A_H\n#define A_H\n#define LOOP_BOUND(x, y) y\ntypedef float real;\n#endif\n")
    loop = "for (int i = 0; i < LOOP_BOUND(N, n); i++) x[i] = 0;"
    text = f'#include "a.h"\nvoid f(int n, real x[n]) {{\n{PRAGMA}\n{loop} }}'
    scop = scop_of(text, words=(f"-I{tmp_path}",))
    assert [p.text for p in scop.parameters] == ["n"]
    assert scop.array("x").element == "float"
    assert scop.array("x").element_byte == 4
    with pytest.raises(SourceError, match=r"a\.h: No such file or directory") as caught:
        scop_of(text)
    (problem,) = caught.value.diagnostics
    assert problem.span is not None and problem.span.text == '#include "a.h"'
    assert problem.hint == "name its folder with -I after `--`, or generate it first"


def test_conditionals_are_decided_by_the_compilers_definitions() -> None:
    text = (
        "#if defined(LARGE) && LARGE > 1\n#define N n\n#elif !defined(LARGE)\n#define N 7\n#else\n#define N m\n#endif\n"
        f"void f(int n, int m, double x[n]) {{\n{PRAGMA}\nfor (int i = 0; i < N; i++) x[i] = 0; }}"
    )
    bounds = [scop_of(text, words=d).parameters[0].text for d in ((), ("-DLARGE",), ("-DLARGE=2",))]
    assert bounds == ["N", "m", "n"]


def test_variables_declared_inside_are_declared_before() -> None:
    scop = nest("for (i = 0; i < n; i++) { double sum = x[i]; for (j = 0; j < i; j++) sum += A[i][j]; x[i] = sum; }")
    assert scop.declarations == ("double sum;",)
    assert [s.text for s in scop.statements] == ["sum = x[i];", "sum += A[i][j];", "x[i] = sum;"]
    assert scop.array("sum").private
    assert not scop.array("x").private


def test_a_block_without_loops_that_declares_is_one_statement() -> None:
    scop = nest("for (i = 0; i < n; i++) { const double t = x[i]; double *p = y; x[i] = y[i] + t; y[i] = t; }")
    assert [s.text[:10] for s in scop.statements] == ["{ const do"]
    one = nest("for (i = 0; i < n; i++) { const double t = x[i]; x[i] = y[i] + t; y[i] = t; }")
    assert accesses(one) == ["rw x[i]", "rw y[i]"]


def test_scalars_that_nothing_reads_later_are_private() -> None:
    loop = "for (int i = 0; i < n; i++) {{ t = x[i]; x[i] = t * t; }}"
    text = f"void f(int n, double x[n]) {{{{ double t;\n{{0}}\n{loop}\n{{1}} }}}}"
    assert scop_of(text.format(PRAGMA, "")).array("t").private
    assert scop_of(text.format(PRAGMA, "t = 0; x[0] = t;")).array("t").private
    assert not scop_of(text.format(PRAGMA, "x[0] = t;")).array("t").private
    loop = "for (int i = 0; i < n; i++) { x[i] = t; t = x[i]; }"
    looped = f"void f(int n, double x[n]) {{ double t = 0;\nfor (int r = 0; r < 3; r++) {{\n{PRAGMA}\n{loop} }} }}"
    assert not scop_of(looped).array("t").private


@pytest.mark.parametrize(
    "before, after, private",
    [
        ("double *p = &t;", "x[0] = *p;", False),  # read by a pointer
        ("if (n > 9) goto out;", "t = 0; x[0] = t; out: x[1] = 0;", True),
        ("if (n > 9) goto out;", "t = 0; out: x[0] = t;", False),
        ("", "switch (n) { case 1: t = 0; break; case 2: x[0] = t; }", False),
        ("", "switch (n) { case 1: t = 0; x[0] = t; break; default: x[0] = 1; }", True),
        ("", 'asm volatile("" : : "r"(t));', False),
    ],
)
def test_scalars_that_jumps_pointers_or_assembler_may_read_are_not_private(
    before: str, after: str, private: bool
) -> None:
    loop = "for (int i = 0; i < n; i++) { t = x[i]; x[i] = t * t; }"
    text = f"void f(int n, double *x) {{\n  double t = 0; {before}\n{PRAGMA}\n{loop}\n{after}\n}}\n"
    assert scop_of(text).array("t").private == private


def test_an_index_that_is_read_later_gets_its_value_by_its_loop_run_empty() -> None:
    loops = "for (i = 0; i < n; i += 2) for (j = i; j < n; j++) x[j] = 0;"
    text = f"int f(int n, double x[n]) {{{{ int i, j;\n{{0}}\n{loops}\n{{1}} }}}}"
    both, j = ("(void)i; (void)j;",), "(void)j;"
    assert scop_of(text.format(PRAGMA, "return 0;")).after == both
    assert scop_of(text.format(PRAGMA, "for (i = 0; i < n; i++) x[i] = 1; return 0;")).after == (j,)
    assert scop_of(text.format(PRAGMA, "i = 3; return i;")).after == (j,)
    assert scop_of(text.format(PRAGMA, "if (n) i = 3; return i;")).after == ("for (i = 0; i < n; i += 2);", j)
    run = "for (i = 0; i < n; i += 2) for (j = i; j < n; j++);"
    assert scop_of(text.format(PRAGMA, "return j;")).after == (run, "(void)i;")


def test_what_is_not_affine_is_one_statement_whose_accesses_are_guessed() -> None:
    scop = nest(
        "for (i = 0; i < n; i++) { y[i] = 0; for (k = ptr[i]; k < ptr[i + 1]; k++) y[i] += x[col[k]]; }",
        "int n, int *ptr, int *col, double *x, double *y",
    )
    assert scop.statements[1].text == "for (k = ptr[i]; k < ptr[i + 1]; k++) y[i] += x[col[k]];"
    assert accesses(scop, 1) == [
        "r ptr[i + 1]", "r ptr[i]", "r? col[o0]", "r? x[o0]", "rw k[]", "rw? y[i]",
    ]  # fmt: skip
    assert scop.statements[1].opaque is None


def test_calls_of_functions_that_are_not_known_may_touch_everything() -> None:
    scop = nest("for (i = 0; i < n; i++) { x[i] = sqrt(y[i]); work(x[i]); }")
    assert accesses(scop) == ["r y[i]", "w x[i]"]
    assert scop.statements[1].opaque == "`work` is called, and may read and write anything"
    assert accesses(scop, 1) == ["r x[i]", "rw? memory[]", "rw? x[o0]", "rw? y[o0]"]


def test_texts_joined_with_macros_of_headers_that_are_not_read() -> None:
    scop = nest('for (i = 0; i < n; i++) printf("%" PRId64 " of %d" "\\n", x[i], n);')
    assert scop.statements[0].opaque == "`printf` is called, and may read and write anything"


def test_volatile_variables_keep_their_order() -> None:
    scop = nest("for (i = 0; i < n; i++) *port = x[i];", "int n, double *x, volatile double *port")
    assert scop.statements[0].opaque == "`port` is volatile"


def test_pointers_that_may_reach_any_array_are_not_taken_apart() -> None:
    formals = "int n, double *x, double *y"
    body = "double *p = n > 9 ? x : y; double *restrict q = y; double *own = malloc(8 * n);\n"
    text = f"void f({formals}) {{ {body}{PRAGMA}\nfor (int i = 0; i < n; i++) {{ q[i] = own[i]; p[i] = 0; }} }}"
    scop = scop_of(text)
    assert scop.statements[0].opaque is None
    assert scop.statements[1].opaque == "`p` may point into any array"


@pytest.mark.parametrize(
    ("statement", "update"),
    [
        ("x[i] += y[i];", "+"), ("x[i] -= y[i];", "+"), ("x[i] *= y[i];", "*"), ("x[i]++;", "+"), ("x[i] /= 2;", None),
        ("x[i] = x[i] + y[i] * 2;", "+"), ("x[i] = 2 * y[i] + x[i] - 1;", "+"), ("x[i] = y[i] * x[i];", "*"),
        ("x[i] = y[i] - x[i];", None), ("x[i] = x[i] + x[i];", None), ("x[i] = x[i + 1] + y[i];", None),
        ("x[i] = (x[i] + 1) / 2;", None), ("x[i] = x[i] + 2 * x[i];", None),
        ("x[i] = x[i] > y[i] ? x[i] : y[i];", "max"), ("x[i] = y[i] < x[i] ? y[i] : x[i];", "min"),
        ("x[i] = x[i] < y[i] ? y[i] : x[i];", "max"), ("x[i] = fmin(x[i], 2 * y[i]);", "min"),
        ("x[i] = x[i] > y[i] ? y[i] : 3;", None), ("x[i] = max(x[i], y[i]);", None),
        ("x[i] = x[i] > x[i] + 1 ? x[i] : x[i] + 1;", None),
    ],
)  # fmt: skip
def test_associative_updates(statement: str, update: str | None) -> None:
    (found,) = [
        a for a in nest(f"for (i = 0; i < n; i++) {statement}").statements[0].accesses if a.written and a.certain
    ]
    assert found.update == update
    assert found.read or update is None


@pytest.mark.parametrize("place", ["before", "inside", "instead"])
def test_a_region_of_several_statements(place: str) -> None:
    marks = {"before": (f"{PRAGMA}\n#pragma scop", ""), "inside": ("#pragma scop", PRAGMA), "instead": (PRAGMA, "")}
    first, second = marks[place]
    text = (
        f"void f(int n, double x[n]) {{ int i;\n{first}\n\n{second}\nx[0] = 1;\nfor (i = 1; i < n; i++) x[i] = 0;\n"
        "#pragma endscop\nfor (i = 0; i < n; i++) x[i] += 1; }"
    )
    scop = scop_of(text)
    assert [s.text for s in scop.statements] == ["x[0] = 1;", "x[i] = 0;"]
    assert scop.span.text.startswith("x[0] = 1;")
    assert scop.span.text.endswith("x[i] = 0;")


def test_a_macro_may_hide_an_index_or_make_words_of_it() -> None:
    head = "#define HERE A[i]\n#define ADD(a, b) a##b\n#define PLAIN(a) (a)\n"
    body = "for (int i = 0; i < n; i++) { HERE = 0; *ADD(x, i) = 1; A[PLAIN(i)] = 2; }"
    text = f"{head}void f(int n, double *A, double *xi) {{\n{PRAGMA}\n{body} }}"
    assert [s.uses is None for s in scop_of(text).statements] == [True, True, False]


def test_an_unsigned_index_and_conditions_that_may_wrap() -> None:
    formals = "unsigned long n, double *x"
    scop = scop_of(f"void f({formals}) {{\n{PRAGMA}\nfor (unsigned long i = 1; i < n; i++) if (i - 2 < n) x[i] = 0; }}")
    assert scop.statements[0].text == "if (i - 2 < n) x[i] = 0;"
    assert scop.context == "[n] -> { : n >= 0 }"


def test_names_of_cpp_are_qualified() -> None:
    loops = "for (std::size_t i = 0; i < (std::size_t)n; ++i) x[i] = std::sqrt(y[i]) + grid::scale;"
    head = "namespace grid { extern double scale; }\n"
    text = f"{head}void f(std::size_t n, double *x, const double *y)\n{{\n{PRAGMA}\n{loops}\n}}\n"
    scop = scop_of(text, name="nest.cpp")
    assert scop.loops[0].type == "size_t" and scop.statements[0].opaque is None
    assert scop.statements[0].text == "x[i] = std::sqrt(y[i]) + grid::scale;"
    written = rewrite_scop(scop, Plan(vectorize=("*",)), numbered=False)
    assert "#pragma omp simd" in written and "x[i] = std::sqrt(y[i])" in written


def test_bounds_may_all_be_numbers() -> None:
    """Without any parameter, what is legal is proven like elsewhere, and loops are written."""
    scop = nest("for (i = 1; i < 40; i++) for (j = 1; j < 39; j++) A[i][j] = A[i - 1][j + 1];", "double A[40][40]")
    assert not scop.parameters
    assert is_legal(scop, Plan()) and not is_legal(scop, Plan(order=("j", "i")))
    assert not is_legal(scop, Plan(parallel=("i",))) and is_legal(scop, Plan(vectorize=("j",)))
    assert "for (int i = 1; i < 40; i++) {" in rewrite_scop(scop, Plan(vectorize=("j",)), numbered=False)


def test_a_sum_of_nothing_touches_nothing() -> None:
    """Where a loop has no iterations, the element that it adds to need not exist."""
    scop = nest("for (i = 0; i < n; i++) { y[i] = 1; for (k = 0; k < i - 5; k++) x[i - 6] += A[i][k]; }")
    text = rewrite_scop(scop, Plan(vectorize=("*",)), numbered=False)
    assert "        if (0 < i - 5) {\n            double sums[8] = {0};" in text


def test_an_index_of_a_narrow_type_is_counted_in_a_wide_one() -> None:
    """Tiles go past the end of what a byte holds."""
    scop = nest("for (uint8_t i = 0; i < 200; ++i) x[i] += i;", "double *x")
    text = rewrite_scop(scop, Plan(tile=(("i", 128),)), numbered=False)
    assert "for (long i_tile = 0; i_tile < 200; i_tile += 128)" in text and "x[i] += ((uint8_t)i);" in text
    with pytest.raises(SourceError, match="unsigned index that counts down"):
        nest("for (unsigned char i = 9; i > 0; i--) x[i] = 0;", "double *x")


@pytest.mark.parametrize("type_", ["unsigned", "std::size_t", "uint32_t"])
def test_bounds_of_unsigned_sizes_are_signed(type_: str) -> None:
    """`n - 2` of an unsigned n that is 1 would be a large number, and a comparison with it is warned of."""
    loops = f"for ({type_} i = 0; i < n; i++) for ({type_} j = i; j + 2 < n; j++) A[i][j] = A[i][j] * i;"
    text = f"#include <stdint.h>\n#include <cstddef>\nvoid f({type_} n, double *A) {{\n{PRAGMA}\n{loops}\n}}\n"
    scop = scop_of(text.replace("A[i][j]", "A[i * n + j]"), "nest.cpp")
    assert "for (long i = 0; i < (long)n - 2; i++) {" in rewrite_scop(scop, Plan(), numbered=False)
    assert "for (long i = -(long)n + 3; i < 1; i++) {" in rewrite_scop(scop, Plan(reverse=("i",)), numbered=False)


def test_an_index_of_a_qualified_type_is_written_as_the_source_spells_it() -> None:
    loops = "for (std::size_t i = 0; i < n; ++i) for (std::size_t j = 0; j < n; ++j) y[i] += f(i) * a[j * n + i];"
    head = "#include <vector>\ndouble f(std::size_t);\nvoid g(std::size_t n, double *a, double *y) {\n"
    text = f"{head}{PRAGMA}\n{loops}\n}}\n"
    scop = scop_of(text, "nest.cpp")
    written = rewrite_scop(scop, Plan(), numbered=False)
    assert "(std::size_t)" in written and "(size_t)" not in written


def test_a_condition_of_the_compilers_words_is_settled_inside_a_nest() -> None:
    inside = "x[i] = 0;\n#ifdef LATER\n x[i] += 1;\n#else\n x[i] += 2;\n#endif\n"
    text = f"void f(int n, double *x) {{\n{PRAGMA}\nfor (int i = 0; i < n; i++) {{ {inside} }}\n}}\n"
    for words, last in (((), "x[i] += 2;"), (("-DLATER",), "x[i] += 1;")):
        assert [s.text for s in scop_of(text, words=words).statements] == ["x[i] = 0;", last]
