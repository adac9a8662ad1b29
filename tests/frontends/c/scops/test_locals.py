"""Locals and row pointers in a nest, and rows of an expression's length: as many schedules as of the same nest written
in place, and the text that it becomes."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, nest, scop_of
from tunepass.ir.scop import Scop
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.plan import Plan
from tunepass.polyhedral.spaces.derive import derive_space
from tunepass.space.space import Space

FORMALS = "int n, int m, double *a, const double *b, const double *x, double *y, long ld, double C[n][m], double **rows"
LOOPS = "for (int i = 0; i < n; i++)", "for (int j = 0; j < m; j++)"


def schedules(scop: Scop) -> int:
    found = derive_space(scop, scop.span, parallel=False)
    return Space(found.parameters, found.constraints).size


def read(body: str, before: str = "", after: str = "", head: str = "") -> Scop:
    return scop_of(f"{head}\nvoid f({FORMALS}) {{\n{before}\n{PRAGMA}\n{body}\n{after}\n}}\n")


def each(*body: str) -> str:
    """Two loops with the first of `body` between them, the rest inside."""
    return f"{LOOPS[0]} {{ {body[0]} {LOOPS[1]} {{ {' '.join(body[1:])} }} }}"


IN_PLACE = each("", "a[i * m + j] = 2 * b[i * m + j];")
SUM = each("", "y[i] += b[i * m + j] * x[j];")
SAME = {
    # the nest with locals, what stands before it: the same nest without.
    (each("", "int index = i * m + j; a[index] = 2 * b[index];"), ""): IN_PLACE,
    (each("", "int index; index = i * m + j; a[index] = 2 * b[index];"), ""): IN_PLACE,
    (each("", "index = i * m + j; a[index] = 2 * b[index];"), "int index;"): IN_PLACE,
    (each("int start = i * m;", "const long at = start + j; a[at] = 2 * b[at];"), ""): IN_PLACE,
    (each("unsigned row = i;", "a[row * m + j] = 2 * b[row * m + j];"), ""): IN_PLACE,
    (each("double *p = a + i * m; const double *q = &b[i * m];", "p[j] = 2 * q[j];"), ""): IN_PLACE,
    (each("p = a + i * m; q = b + i * m;", "p[j] = 2 * *(q + j);"), "double *p; const double *q;"): IN_PLACE,
    (each("double *p = &a[i * m];", "double *q = p + j; q[0] = 2 * b[i * m + j];"), ""): IN_PLACE,
    (each("const double *o = b + i * m;", "y[i] += o[j] * x[j];"), ""): SUM,
    (each("int last = i;", "if (j <= last) y[last] += b[last * m + j];"), ""): each(
        "", "if (j <= i) y[i] += b[i * m + j];"
    ),
    (each("int at = i * width;", "double *p = a + at; p[j] = 2 * b[at + j];"), ""): each(
        "", "a[i * width + j] = 2 * b[i * width + j];"
    ),
    (each("double *row = C[i];", "row[j] += x[j];"), ""): each("", "C[i][j] += x[j];"),
    (each("double *row = rows[i];", "row[j] += x[j];"), ""): each("", "rows[i][j] += x[j];"),
    (each("", "z[i * m + j] = 2 * b[i * m + j];"), "double *z; z = a;"): IN_PLACE,
    (each("", "z[i * m + j] = 2 * b[i * m + j];"), "double *z; z = malloc(8 * n * m);"): IN_PLACE,
    (each("", "z[i * m + j] = 2 * b[i * m + j];"), "double *z = made(n * m);"): IN_PLACE,
    (each("", "z[i * m + j] = 2 * b[i * m + j];"), "static double all[900]; double *z = all;"): IN_PLACE,
    (each("", "z[i * m + j] = 2 * b[i * m + j];"), "double *z = n > 9 ? a : table;"): IN_PLACE,
    (each("", "a[i * (m + 1) + j] = b[i * (m + 1) + j];"), ""): each("", "a[i * m + j] = b[i * m + j];"),
    (each("", "a[(i + 1) * (2 * m + 3) + j + 2] = x[j];"), ""): each("", "a[(i + 1) * m + j] = x[j];"),
    (each("", "a[i * ld + j] = b[i * ld + j];"), ""): each("", "a[i * m + j] = b[i * m + j];"),
}


@pytest.mark.parametrize("written", SAME, ids=lambda written: written[0][28:])
def test_as_many_schedules_as_of_the_nest_in_place(written: tuple[str, str]) -> None:
    head = "#include <stdlib.h>\nstatic double table[900];\nint width;\n"
    head += "static double *made(int n) { double *p = malloc(8 * n); if (p) p[0] = 1; return p; }"
    assert schedules(read(*written, head=head)) == schedules(read(SAME[written], head=head)) > 20


def test_the_numbers_of_schedules() -> None:
    assert (schedules(read(IN_PLACE)), schedules(read(SUM))) == (784, 1176)
    deep = "for (int i = 0; i < n; i++) for (int j = 0; j < h; j++) for (int k = 0; k < w; k++)"
    formals = "int n, int h, int w, double *a, double *b"
    assert schedules(nest(f"{deep} a[(i * h + j) * w + k] = b[(i * h + j) * w + k];", formals)) == 53_508
    local = f"{deep} {{ int row = i * h + j; int at = row * w + k; a[at] = b[at]; }}"
    assert schedules(nest(local, formals)) == 53_508


def test_a_use_becomes_the_text_of_the_definition() -> None:
    scop = read(each("double *p = a + i * m;", "int t = j + 1; long u = t; p[t] += p[j < t ? j : 0] + b[u] + *p;"))
    text = "a[(long)(i * m) + (j + 1)] += a[(long)(i * m) + (j < (j + 1) ? j : 0)] + b[((long)(j + 1))] + *(a + i * m);"
    assert [s.text for s in scop.statements] == [text]
    scop = read(each("int at = i * m;", "{ int t = at + j; double v = a[t]; a[t] = v * v; }"))
    assert scop.statements[0].text == "{ int t = (i * m) + j; double v = a[t]; a[t] = v * v; }"
    assert accesses(scop) == ["rw a[i, j]"] and not scop.declarations


def test_a_variable_that_only_the_nest_sets_is_not_told_to_be_unused() -> None:
    scop = read(each("", "at = i * m + j; a[at] = 0;"), "int at;")
    assert scop.after == ("(void)at;",)
    again = read(each("", "at = i * m + j; a[at] = 0;"), "int at;", "at = 1; y[at] = 0;")
    assert again.after == () and accesses(again) == ["w a[i, j]"]


STAYS = {
    "read later": (each("", "at = i * m + j; a[at] = 0;"), "int at;", "y[at] = 0;"),
    "read later, perhaps": (each("", "at = i * m + j; a[at] = 0;"), "int at;", "if (n) at = 0; y[at] = 0;"),
    "read by the next iteration": (
        each("", "at = i * m + j; a[at] = 0;"), "int at = 0; for (int t = 0; t < 3; t++) { if (t) y[at] = 0;", "}"),
    "read before it is set": (each("", "a[at] = 0; at = i * m + j;"), "int at = 0;", ""),
    "set under a condition": (each("", "at = 0; if (x[j] > 0) at = i * m + j; a[at] = 0;"), "int at;", ""),
    "changed between": (each("", "at = s + j; s = s + 1; a[at] = 0;"), "int at, s = 0;", ""),
    "changed by a call": (each("", "at = shared + j; change(); a[at] = 0;"), "int at;", ""),
    "its address is taken": (each("", "at = i * m + j; a[at] = 0;"), "int at; int *p = &at; *p = 0;", ""),
    "hidden by a macro": (each("", "at = i * m + j; HERE = 0;"), "int at;", ""),
    "of a type that wraps": (each("", "unsigned char at = i * m + j; a[at] = 0;"), "", ""),
    "static": (each("", "at = i * m + j; a[at] = 0;"), "static int at;", ""),
    "of memory": (each("", "at = (int)x[j]; a[at] = 0;"), "int at;", ""),
}  # fmt: skip
GLOBALS = "#define HERE a[at]\nextern int shared;\nvoid change(void);\n"


@pytest.mark.parametrize("name", STAYS)
def test_a_local_that_does_not_stand_for_its_definition(name: str) -> None:
    body, before, after = STAYS[name]
    scop = read(body, before, after, GLOBALS)
    written = [(a.array, a.certain) for s in scop.statements for a in s.accesses if a.written]
    assert ("a", False) in written or ("at", True) in written
    assert not any("a[(i * m + j)]" in s.text for s in scop.statements)


def test_a_name_that_means_something_else_where_it_is_used() -> None:
    scop = read("for (int i = 0; i < n; i++) { int at = i; for (int j = 0; j < 3; j++) for (int i = 0; i < m; i++) "
                "a[at * m + i] = 0; }")  # fmt: skip
    assert accesses(scop, 1) == ["w? a[o0]"] or not all(a.certain for s in scop.statements for a in s.accesses)


def test_pointers_to_one_array_are_that_array() -> None:
    scop = read(each("double *up = a + i * m; double *down = a + (i + 1) * m;", "down[j] = up[j];"))
    assert accesses(scop) == ["r a[i, j]", "w a[i + 1, j]"]
    before = "double *up = a, *down = a + 8;"
    assert accesses(read("for (int i = 0; i < n; i++) down[i] = up[i];", before)) == ["r a[i]", "w a[i + 8]"]
    unknown = read("for (int i = 0; i < n; i++) down[i] = up[i];", "double *up = n ? a : y, *down = n > 2 ? y : a;")
    assert unknown.statements[0].opaque == "`up` may point into any array"


@pytest.mark.parametrize(
    "body",
    ["return last;", "double *p = malloc(8 * n); last = p; return p;", "double *p = last; return p;",
     "double *p = malloc(8 * n); keep(p); return p;", "double *p = malloc(8 * n); return n ? p : last;"],
)  # fmt: skip
def test_a_function_whose_result_others_may_reach(body: str) -> None:
    head = f"#include <stdlib.h>\ndouble *last; void keep(double *p);\nstatic double *made(int n) {{ {body} }}"
    scop = read(each("", "z[i * m + j] = 2 * b[i * m + j];"), "double *z = made(n * m);", head=head)
    assert scop.statements[0].opaque == "`z` may point into any array"


def test_a_pointer_to_a_row_that_may_leave_it_reaches_the_whole_array() -> None:
    inside = read(each("double *row = C[i];", "row[j] = 1;"))
    assert accesses(inside) == ["w C[i, j]"]
    beyond = read(each("double *row = C[i];", "row[j + 1] = 1;"))
    assert accesses(beyond) == ["w? C[o0, o1]"]


def test_what_is_not_proven_of_rows_is_checked_before_the_schedule() -> None:
    scop = read(each("", "a[i * ld + j] += b[i * m + j];"))
    assert scop.condition == "[n, m, ld] -> { : (ld >= m) }"
    text = rewrite_scop(scop, Plan(order=("j", "i")), numbered=False)
    assert text.startswith("if (ld >= (long)m) {\n    for (int j = 0; j < m; j++) {")
    assert text.endswith("} else {\n    " + each("", "a[i * ld + j] += b[i * m + j];") + "\n}")
    assert not read(each("", "y[j] += b[i * ld + j];")).condition  # nothing is written: rows may overlap
    assert accesses(read(each("", "a[i * ld + i * j] = 0;"))) == ["w? a[o0]"]


def test_an_index_may_move_along_rows_and_across_them() -> None:
    rows = "a[i * (n + 2) + i] = 0; y[i] += a[i * (n + 2) + 1] + a[i];"
    scop = read(f"for (int i = 0; i < n; i++) {{ {rows} }}")
    assert accesses(scop) == ["w a[i, i]"]
    assert accesses(scop, 1) == ["+ y[i]", "r a[0, i]", "r a[i, 1]"]
