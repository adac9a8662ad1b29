"""Nests as others write them have the schedules of the same nest written plainly."""

from __future__ import annotations

import re

import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, domain, nest, scop_of
from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.spaces.derive import derive_space
from tunepass.space.space import Space

PLAIN = "for (i = 0; i < n; i++) for (j = 0; j < m; j++) A[i][j] += B[j][i] * x[i];"
BODY = "A[i][j] += B[j][i] * x[i];"
SAME = {
    "while": f"i = 0; while (i < n) {{ for (j = 0; j < m; j++) {BODY} i++; }}",
    "inner while": f"for (i = 0; i < n; i++) {{ j = 0; while (j < m) {{ {BODY} j += 1; }} }}",
    "declared while": f"for (i = 0; i < n; i++) {{ int j = 0; while (j < m) {{ {BODY} ++j; }} }}",
    "set before": f"i = 0; for (; i < n; i++) for (j = 0; j < m; j++) {BODY}",
    "not equal": f"for (i = 0; i != n; ++i) for (j = 0; m != j; ++j) {BODY}",
    "along": f"for (i = 0, k = 3; i < n; i++, k++) for (j = 0; j < m; j++) {BODY.replace('x[i]', 'x[k - 3]')}",
    "declared along": f"for (int i = 0, o = n; i < n; i++, o--) for (j = 0; j < m; j++) {BODY}",
    "guard": f"for (i = 0; i < n; i++) {{ if (n < 0) continue; for (j = 0; j < m; j++) {BODY} }}",
    "labels": f"rows: for (i = 0; i < n; i++) {{ columns: for (j = 0; j < m; j++) {BODY} }}",
    "pragma": f"for (i = 0; i < n; i++) {{\n#pragma omp simd\nfor (j = 0; j < m; j++) {BODY} }}",
    "braces": f"{{ for (i = 0; i < n; i++) {{{{ ; for (j = 0; j < m; j++) {{{{ {BODY} }}}} }}}} }}",
}


def schedules(scop: Scop) -> int:
    space = derive_space(scop, scop.pragma, parallel=False)
    return Space(list(space.parameters), list(space.constraints)).size


@pytest.mark.parametrize("form", SAME)
def test_a_form_has_the_schedules_of_the_plain_nest(form: str) -> None:
    assert schedules(nest(SAME[form])) == schedules(nest(PLAIN))


DOWNWARDS = "for (i = n - 1; i >= 0; i--) for (j = 0; j < m; j++) A[i][j] += B[j][i] * x[i];"


@pytest.mark.parametrize(
    "head",
    [
        "for (size_t i = n; i-- > 0;)",
        "for (unsigned i = n; i-- != 0;)",
        "for (unsigned long i = n; i--;)",
        "for (unsigned i = n - 1; i < n; i--)",
        "i = n; while (i-- > 0)",
    ],
)
def test_an_index_that_counts_down_to_zero(head: str) -> None:
    scop = nest(f"{head} {{ for (j = 0; j < m; j++) {BODY} }}")
    assert schedules(scop) == schedules(nest(DOWNWARDS))
    assert "i >= 0" in domain(scop) and scop.loops[0].start == "n - 1"


def test_a_do_loop_runs_once_at_least() -> None:
    scop = nest("i = 2; do { x[i] = 0; i += 2; } while (i < n);")
    assert domain(scop) == "{ S0[i] : (i >= 2) and ((i - 2) mod 2 = 0) and (i = 2 or (i - n < 0)) }"


def test_what_a_while_loop_leaves_in_its_index() -> None:
    text = f"int f(int n, double x[n]) {{ int i = 3;\n{PRAGMA}\nwhile (i < n) {{ x[i] = 0; i++; }}\nreturn i; }}"
    scop = scop_of(text)
    assert scop.loops[0].start == "3" and scop.after == ("for (i = 3; i < n; i++);",)


def test_what_a_loop_leaves_in_a_variable_beside_its_index() -> None:
    loop = "for (i = 0, j = n; i < n; i++, j--) x[j - 1] = i;"
    text = f"int f(int n, double x[n]) {{ int i, j;\n{PRAGMA}\n{loop}\nreturn j; }}"
    scop = scop_of(text)
    assert accesses(scop) == ["w x[-i + n - 1]"]
    assert scop.statements[0].text == "x[(n - i) - 1] = i;"
    assert scop.after[0] == "for (i = 0, j = n; i < n; i++, j--);"


@pytest.mark.parametrize(
    "body",
    [
        "i = 0; if (m) goto out; while (i < n) { x[i] = 0; i++; } out:;",
        "i = 0; while (i < n) { x[i] = 0; i++; if (x[i]) continue; }",
        "i = 0; while (i < n) { i++; x[i] = 0; }",
        "i = 0; f(&i); while (i < n) { x[i] = 0; i++; }",
    ],
)
def test_while_loops_that_stay(body: str) -> None:
    """Inside a nest they are statements with their own text."""
    scop = nest(f"for (k = 0; k < n; k++) {{ {body.replace('out:', '')} }}") if "goto" not in body else None
    assert scop is None or [loop.name for loop in scop.loops] == ["k"]


def test_continue_as_a_guard_of_what_follows() -> None:
    scop = nest(
        "for (i = 0; i < n; i++) { if (i == m) continue; x[i] = 1; if (x[i] > y[i]) { y[i] = 0; continue; } y[i] = 2; }"
    )
    assert domain(scop, 0).endswith("(not (i = m)) }")
    assert scop.statements[1].text == "if (x[i] > y[i]) { y[i] = 0;  } else { y[i] = 2; }"


PIECES = {
    "A[i % 2 ? i : j][0] = 1;": "{ S0[i, j] -> A[o0, o1] : ",
    "x[i / 2] = y[i % 4];": "[",
    "x[i >> 1] = y[i & 3];": "[",
    "x[(int)fmin(i, j)] = 1;": "[",
}


@pytest.mark.parametrize("body", PIECES)
def test_piecewise_subscripts_are_certain(body: str) -> None:
    scop = nest(f"for (i = 0; i < n; i++) for (j = 0; j < n; j++) {body}")
    assert all(access.certain for access in scop.statements[0].accesses)


CLASSES = """\
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <vector>
struct View {
    double *p; std::size_t n;
    double &operator()(std::size_t i, std::size_t j) const { return p[i * n + j]; }
};
template <typename T> class Matrix {
    std::vector<T> data; std::size_t r, c;
public:
    Matrix(std::size_t rows, std::size_t columns);
    T &operator()(std::size_t i, std::size_t j) { assert(i < r); return data[index(i, j)]; }
    const T &operator()(std::size_t i, std::size_t j) const { return data[index(i, j)]; }
    std::size_t index(std::size_t i, std::size_t j) const { return i * c + j; }
    std::size_t rows() const { return r; }
    std::size_t columns() const { return c; }
};
struct Rows { double *p; int n; double *operator[](int i) const { return p + i * n; } };
struct Fixed { double a[64][64]; int n; };
static inline double &at(double *p, int n, int i, int j) { return p[i * n + j]; }
"""
LOOPS = "for (int i = 0; i < {0}; i++) for (int j = 0; j < {1}; j++) for (int k = 0; k < {2}; k++) "
PRODUCT = "C[i * n + j] += A[i * n + k] * B[k * n + j];"
POINTERS, N = "double *A, double *B, double *C, int n", ("n", "n", "n")
MATRICES = "const Matrix<double> &a, const Matrix<double> &b, Matrix<double> &c"
VECTORS = "std::vector<double> &A, std::vector<double> &B, std::vector<double> &C, int n"
FIXED = "std::array<std::array<double, 64>, 64> &A, double (&B)[64][64], Fixed *c, int n"
VIEWS = "View a{A, std::size_t(n)}, b{B, std::size_t(n)}, c{C, std::size_t(n)};"
OBJECTS = {
    "operator": (POINTERS, VIEWS, N, "c(i, j) += a(i, k) * b(k, j);"),
    "two levels": (MATRICES, "", ("c.rows()", "c.columns()", "a.columns()"), "c(i, j) += a(i, k) * b(k, j);"),
    "pointer to a row": ("const Rows &a, const Rows &b, Rows &c, int n", "", N, "c[i][j] += a[i][k] * b[k][j];"),
    "function": (POINTERS, "", N, "at(C, n, i, j) += at(A, n, i, k) * at(B, n, k, j);"),
    "vectors": (VECTORS, "", N, "C[i * n + j] += A.at(i * n + k) * B.data()[k * n + j];"),
    "arrays": (FIXED, "", ("n", "n", "c->n"), "c->a[i][j] += A[i][k] * B[k][j];"),
    "reference": (POINTERS, "", N, "{ double &c = C[i * n + j]; c += A[i * n + k] * B[k * n + j]; }"),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_have_the_schedules_of_arrays(name: str) -> None:
    formals, before, ends, body = OBJECTS[name]
    text = f"{CLASSES}void f({formals}) {{ {before}\n{PRAGMA}\n{LOOPS.format(*ends)}{body}\n}}\n"
    plain = f"void f(int n, double *A, double *B, double *C) {{\n{PRAGMA}\n{LOOPS.format('n', 'n', 'n')}{PRODUCT}\n}}\n"
    if name == "arrays":
        plain = plain.replace("double *", "double ").replace(PRODUCT, "C[i][j] += A[i][k] * B[k][j];")
        plain = re.sub(r"double (\w)", r"double \1[64][64]", plain)
    scop = scop_of(text, "nest.cpp")
    assert all(access.certain for access in scop.statements[0].accesses)
    assert schedules(scop) == schedules(scop_of(plain, "nest.cpp"))


def test_text_keeps_calls_and_bounds_name_getters() -> None:
    formals, _, ends, body = OBJECTS["two levels"]
    scop = scop_of(f"{CLASSES}void f({formals}) {{\n{PRAGMA}\n{LOOPS.format(*ends)}{body}\n}}\n", "nest.cpp")
    text = rewrite_scop(scop, Plan(order=("i", "k", "j")), numbered=False)
    assert "c(i, j) += a(i, k) * b(k, j);" in text and "i < (long)(c.rows())" in text


@pytest.mark.parametrize(
    ("formals", "body"),
    [
        ("Matrix<double> &a, int n", "{ if (i > n) a = Matrix<double>(n, n); a(i, j) = k; }"),  # the object changes
        ("std::vector<double> &v, int n", "{ v[i] = k; v.push_back(j); }"),
        ("std::vector<bool> &v, int n", "v[i] = k;"),  # its elements share bytes
    ],
)  # fmt: skip
def test_objects_that_change_stay_opaque(formals: str, body: str) -> None:
    text = f"{CLASSES}void f({formals}) {{\n{PRAGMA}\n{LOOPS.format('n', 'n', 'n')}{body}\n}}\n"
    assert any(statement.opaque for statement in scop_of(text, "nest.cpp").statements)


ANYTHING = "may read and write anything"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("double get(double *p, int i) { static int n; n++; return p[i]; }",
         "in it a variable is `static`, `volatile` or `extern`"),
        ("double get(double *p, int i) { double *q = p;\nreturn q[i]; }",
         "in it what the pointer `q` reaches is not known (line 2)"),
        ("double get(double *p, int i) { p = other; return p[i]; }", "in it a parameter is set anew"),
        ("double get(double *p, int i) {\nif (i < 0) lost(i); return p[i]; }",
         f"in it `lost` is called, and {ANYTHING} (line 3)"),
        ("double get(double *p, int i) { return get(p, i); }", f"in it `get` is called, and {ANYTHING} (line 2)"),
        ("double get(double *p, int i);", ANYTHING),
        ("double get(double *p, int i) { double *q = &p[i]; return *q; }",
         "in it the address of `p` is taken (line 2)"),
    ],
)  # fmt: skip
def test_functions_that_do_more_stay_opaque_and_the_reason_is_told(function: str, reason: str) -> None:
    loop = "for (int i = 0; i < n; i++) A[i] = get(B, i);"
    head = f"int calls; double *other; void lost(int i);\n{function}\n"
    text = f"{head}void f(double *A, double *B, int n) {{\n{PRAGMA}\n{loop}\n}}\n"
    assert scop_of(text).statements[0].opaque == f"`get` is called, and {reason}"


CONFINED = [
    "int get(float v) { const float *p = &v; return (int)*p; }",
    "int get(float v) { int i = *(int *)&v; return i & 7; }",
    "int get(float v) { float t[2] = {v, 1}, *q = t; *q = 3; return t[1] + q[0]; }",
]
REACHING = [
    "int get(float v) { int *p = (int *)(long)v; return *p; }",
    "int get(float v) { float *p = other; *p = v; return 0; }",
    "int get(float v) { float *p = &v; p = from(v); *p = v; return 0; }",
    "int get(float v) { float *p = &other[1]; *p = v; return 0; }",
    "int get(float v) { float *t[2]; t[0] = (float *)(long)v; *t[0] = 1; return 0; }",
]


@pytest.mark.parametrize(("function", "known"), [*((f, True) for f in CONFINED), *((f, False) for f in REACHING)])
def test_addresses_of_a_functions_own_variables_reach_nothing_else(function: str, known: bool) -> None:
    head = f"float *other, *from(float v);\n{function}\n"
    text = f"{head}void f(float *A, int *B, int n) {{\n{PRAGMA}\nfor (int i = 0; i < n; i++) B[i] = get(A[i]);\n}}\n"
    assert bool(scop_of(text).statements[0].opaque) is not known


@pytest.mark.parametrize(
    ("function", "statement", "expected"),
    [
        ("int clip(int v) { int t = v; if (t < 0) t = 0; return t; }", "a[i][j] = clip(b[i][j]);",
         ["r b[i, j]", "w a[i, j]"]),
        ("int size(int v) { int n = 0; while (v) { n++; v >>= 1; } return n + T[n & 3]; }", "a[i][j] = size(i);",
         ["w a[i, j]"]),
        ("int sum(int *p, int n) { int s = 0; for (int k = 0; k < n; k++) s += p[k]; return s; }",
         "a[i][j] = sum(b[i], j);", ["r? b[o0, o1]", "w a[i, j]"]),
        ("void put(int *to, const int *from) { to[0] = from[0]; if (to[0]) to[1] = clipped(from[1]); }",
         "put(&a[i][j], b[i]);", ["r? b[o0, o1]", "rw? a[o0, o1]"]),
        ("int counted(int v) { calls++; return v; }", "a[i][j] = counted(j);", ["rw? calls[]", "w a[i, j]"]),
    ],
)  # fmt: skip
def test_functions_reach_what_their_bodies_name(function: str, statement: str, expected: list[str]) -> None:
    head = "int calls; const int T[4] = {1, 2, 3, 4}; static int clipped(int v) { if (v > 9) return 9; return v; }"
    loops = f"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {statement}"
    scop = scop_of(f"{head}\n{function}\nvoid f(int n, int a[n][n], int b[n][n]) {{\n{PRAGMA}\n{loops}\n}}\n")
    assert accesses(scop) == expected and not scop.statements[0].opaque


def test_what_a_reference_writes_is_written() -> None:
    body = "for (int i = 0; i < n; i++) { double &r = x[p[i]]; r = 2; y[i] = r; }"
    scop = scop_of(f"void f(int n, double *x, double *y, int *p) {{\n{PRAGMA}\n{body}\n}}\n", "nest.cpp")
    assert any(access.array == "x" and access.written for s in scop.statements for access in s.accesses)


def test_elements_of_an_array_that_stays_are_bounds() -> None:
    scop = nest("for (i = p[0]; i < p[1]; i++) for (j = q[1][0]; j < n; j++) A[i][j] += A[i][j] * x[p[2]];",
                "int n, const int *p, int q[2][2], double A[n][n], double x[n]")  # fmt: skip
    assert {p.text for p in scop.parameters} == {"p[0]", "p[1]", "p[2]", "q[1][0]", "n"}
    changed = nest(
        "for (i = 0; i < n; i++) for (j = p[0]; j < n; j++) { x[j] = i; p[0] = j; }", "int n, int *p, double *x"
    )
    assert [loop.name for loop in changed.loops] == ["i"]


def test_functional_casts_and_min_of_cpp_are_no_unknown_calls() -> None:
    text = f"{CLASSES}using namespace std;\nvoid f(double *A, int n) {{\n{PRAGMA}\nfor (int i = 0; i < n; i++) "
    scop = scop_of(text + "A[min(i, 9)] += max(double(i), 0.5);\n}\n", "nest.cpp")
    assert scop.statements[0].opaque is None and all(access.certain for access in scop.statements[0].accesses)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (j = 0; j < n; j++) A[w * k + j] = B[w * k + j];", ["r B[j + p3]", "w A[j + p3]"]),
        ("for (j = 0; j < n; j++) A[(w + 5) * (k - 2) + j - 3] = 0;", ["w A[j + 5*k + p3 - 2*w - 13]"]),
        ("for (j = 0; j < n; j++) A[w * k + j] = A[k * w + j - 1];", ["r A[j + p3 - 1]", "w A[j + p3]"]),
    ],
)
def test_a_product_of_what_the_nest_does_not_change_is_a_number(body: str, expected: list[str]) -> None:
    scop = scop_of(f"void f(int n, int w, int k, double *A, double *B) {{\n  int j;\n{PRAGMA}\n{body}\n}}\n")
    assert accesses(scop) == expected and not scop.hindrances
    assert "((long)k * w)" in {p.text for p in scop.parameters}


def test_a_product_with_an_index_is_none() -> None:
    body = "for (j = 0; j < n; j++) A[j * j + w * k] = 0;"
    assert scop_of(f"void f(int n, int w, int k, double *A) {{\n  int j;\n{PRAGMA}\n{body}\n}}\n").hindrances


HIDDEN = """\
template <typename T> class Plane {
    T *data; int r, c;
public:
    T &operator()(int i, int j) { return data[static_cast<long>(i) * c + j]; }
    GETTER
};
"""


@pytest.mark.parametrize("getter,text", [("int width() const { return c; }", "A.width()"), ("", None)])
def test_a_private_member_is_named_by_a_function_of_its_class(getter: str, text: str | None) -> None:
    loop = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A(i, j) += 1;"
    head = HIDDEN.replace("GETTER", getter)
    scop = scop_of(f"{head}void f(Plane<double> &A, int n) {{\n{PRAGMA}\n{loop}\n}}", "nest.cpp")
    assert [p.text for p in scop.parameters if p.text != "n"] == ([text] if text else [])


def test_a_member_function_names_private_members() -> None:
    head = "class Plane { double *data; int n; void f(); };\n"
    loop = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) data[i * n + j] += 1;"
    scop = scop_of(f"{head}void Plane::f() {{\n{PRAGMA}\n{loop}\n}}", "nest.cpp")
    assert [p.text for p in scop.parameters] == ["n"]


@pytest.mark.parametrize("attribute", ["", "[[likely]] ", "__attribute__((unused)) "])
def test_the_braces_of_a_block_stay_and_the_attributes_of_a_loop_go(attribute: str) -> None:
    loops = "for (i = 0; i < n; i++)\n x[i] = 0;\nfor (j = 0; j < n; j++)\n y[j] = x[j];"
    assert nest(f"{{\n{loops}\n}}").span.text == loops
    loop = f"{attribute}for (i = 0; i < n; i++)\n x[i] = 0;"
    assert nest(loop).span.text == loop
