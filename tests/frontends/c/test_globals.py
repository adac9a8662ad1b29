"""The variables that are compared: those that a kernel may change and others can see."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.backends.c.backend import TIME
from tunepass.backends.c.tasks import call_task
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.base import Parsed
from tunepass.frontends.c.call.globals import exposing_text
from tunepass.frontends.c.call.variables import variables
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.reading import read
from tunepass.ir.c_kernel import CKernel, Leaf

PRAGMAS = """\
#pragma tunepass param P: integer(0..1) = 0
#pragma tunepass kernel f(n = 8, x: in double[n], y: out double[n]){clauses}
"""


def parsed(body: str, outside: str = "", clauses: str = "") -> Parsed:
    text = PRAGMAS.format(clauses=clauses and " " + clauses) + outside
    text += f"\nvoid f(int n, const double *x, double *y) {{ y[0] = x[P]; {body} }}\n"
    return CFrontend().parse(Source("globals.c", text))


def names(body: str, outside: str, clauses: str = "") -> list[str]:
    call = parsed(body, outside, clauses).kernels[0].body_as(CKernel).call
    assert call is not None
    return [variable.name for variable in call.globals]


@pytest.mark.parametrize(
    "body,changed",
    [
        ("total = 1;", True),
        ("total += n;", True),
        ("++total;", True),
        ("total--;", True),
        ("g(&total);", True),
        ("if (n && total) y[0] = 1;", False),
        ("y[0] = n & total;", False),
        ("y[0] = total == 3;", False),
        ("y[0] = sizeof(total);", False),
        ("other.total = 1;", False),
        ("hist[n % 8]++;", True),
        ("hist[hist[0]] = 1;", True),
        ("y[0] = hist[hist[1]];", False),
        ("g(hist);", True),
        ("y[0] = sizeof hist;", False),
        ("int *p = &hist[3];", True),
        ("A[1][2] = 0;", True),
        ("g(A[1]);", True),
        ("y[0] = A[1][2];", False),
        ("point.x *= 2;", True),
        ("point.place[1] = 2;", True),
        ("y[0] = point.x;", False),
        ("last = x;", True),
        ("y[0] = *last;", False),
        ("ADD(1);", True),
        ("helper();", True),
        ("limit[0] = 1;", False),
    ],
)
def test_what_may_be_changed_is_compared(body: str, changed: bool) -> None:
    outside = """
long total; int hist[8]; static double A[4][4]; static const double limit[2] = {1, 2};
static struct { double x; int place[2]; } point; const double *last;
#define ADD(k) (total += (k))
static void helper(void) { total = 5; }
double see(void) { return A[0][0] + point.x; }
"""
    assert bool(names(body, outside)) == changed


def test_what_nothing_else_reads_is_no_result() -> None:
    outside = "static double scratch[64]; static void pack(double *to) { to[0] = scratch[0]; }"
    assert names("scratch[1] = 2; pack(scratch);", outside) == []
    assert names("scratch[1] = 2; pack(scratch);", outside + " void other(void) { pack(y0); }") == ["scratch"]
    assert names("scratch[1] = 2;", outside.replace("static", "")) == ["scratch"]


def test_elements_are_those_of_its_type() -> None:
    outside = "typedef struct { double x; int tag[2]; } point_t; point_t points[4][2]; static double (*rows)[3];"
    call = (
        parsed("points[0][1].x = 1; rows++;", outside + " void g(void) { rows = 0; }").kernels[0].body_as(CKernel).call
    )
    assert call is not None
    assert [(v.name, v.dims, v.leaves) for v in call.globals] == [
        ("points", 2, (Leaf(".x", "double"), Leaf(".tag", "int"))),
        ("rows", 0, (Leaf("", "void *", "pointer"),)),
    ]


def test_the_pragma_names_what_counts() -> None:
    outside = "long total; int hist[8]; double A[8];"
    body = "total = hist[0] = 1;"
    assert names(body, outside) == ["total", "hist"]
    assert names(body, outside, "globals(hist, A: in range(0, 2))") == ["hist", "A"]
    assert names(body, outside, "globals()") == []


@pytest.mark.parametrize(
    "body,outside,warning",
    [
        ("far.x = 1;", "struct distant far;", "`f` may change `far`, which is not compared"),
        ("tile[0] = 1;", "double tile[P + 1];", "`f` may change `tile`, which is not compared"),
        ("mine = 1;", "_Thread_local int mine;", "`f` may change `mine`, which is not compared"),
        (
            "static int calls; calls++;",
            "",
            "`calls` keeps its value from one call of `f` to the next and is not compared",
        ),
    ],
)
def test_what_cannot_be_compared_is_a_warning(body: str, outside: str, warning: str) -> None:
    found = parsed(body, outside)
    assert [w.message for w in found.warnings if "calls" in w.message or "may change" in w.message] == [warning]


@pytest.mark.parametrize(
    "clause,message",
    [
        ("globals(totl)", "no variable of this file is called `totl`"),
        ("globals(limit)", "`limit` is const, so there is nothing to compare"),
        ("globals(last: in)", "`last` does not hold numbers alone, so it cannot be filled"),
        ("globals(flags)", "`flags` cannot be compared"),
    ],
)
def test_a_name_that_cannot_be_meant_is_an_error(clause: str, message: str) -> None:
    outside = "long total; const int limit = 3; int *last; struct { int a : 2; } flags;"
    with pytest.raises(SourceError) as caught:
        parsed("", outside, clause)
    (problem,) = caught.value.diagnostics
    assert problem.message == message and problem.span is not None and problem.span.line == 2


def test_variables_at_file_scope() -> None:
    text = """
typedef int number; extern int elsewhere; static unsigned long a = 3, *b, c[2] = {1, 2};
struct point { int x; } origin, *far; int f(int n) { int local; return local; } const char *text = "x";
const int fixed = 3; char *const end = 0; extern "C" { int inner; void g(void); } namespace n { int hidden; }
int (*call)(int); enum { A, B } state; int prototype(int x);
"""
    found = {v.name: v for v in variables(read(Source("v.cpp", text), (), "c++"))}
    assert set(found) == {
        "elsewhere", "a", "b", "c", "origin", "far", "text", "fixed", "end", "inner", "state",
    }  # fmt: skip
    assert {name for name, v in found.items() if v.static} == {"a", "b", "c", "fixed"}
    assert {name for name, v in found.items() if v.constant} == {"fixed", "end"}


def test_conditions_over_parameters() -> None:
    text = """
#ifndef GUARD
#define GUARD
int always;
#define HALF (B / 2)
#ifdef A
int first;
#if HALF > 1
static int inner;
#elif defined(C)
int second;
#else
const int table[2] = {1, 2}; int third;
#endif
#else
static int table[2];
#endif
#if B
int twice;
#else
int twice;
#endif
#endif
"""
    unit = read(Source("v.c", text), ("-DA",), "c", {"B": 2})
    assert {v.name: v.condition for v in variables(unit)} == {
        "always": "",
        "first": "",
        "inner": "(HALF > 1)",
        "second": "!(HALF > 1) && (defined(C))",
        "table": "!(HALF > 1) && !(defined(C))",
        "third": "!(HALF > 1) && !(defined(C))",
        "twice": "((B)) || (!(B))",
    }
    elsewhere = variables(read(Source("v.c", text), (), "c", {"B": 2}))
    assert [v.name for v in elsewhere] == ["always", "table", "twice"] and not elsewhere[1].constant


def test_what_inactive_branches_over_parameters_change_is_compared() -> None:
    outside = """
long total, sum; static int calls;
#define ADD(k) (total += (k))
int see(void) { return calls; }
static void count(void) { calls++; }
"""
    inside = "\n#if P == 0\n y[0] = 1;\n#else\n ADD(1); count();\n#endif\n#ifdef NEVER\n sum = 1;\n#endif\n"
    assert names(inside, outside) == ["total", "calls"]


OPENED = {
    "a block": ("for (int k = 0; k < n; k++)", "{ total{} += k;", "}"),
    "a function": ("", "void g{}(int k) { int own = k;", "total0 = total1 = total2 = own; }"),
    "a struct": ("", "struct s { int total{}, m;", "double d; };"),
    "a bracket": ("total0 = total1 = total2 = (n", "+ (3 + {}", "));"),
    "an else": ("if (n) { total0 = n;", "} else if (n > {}) { total1 = 1; total2 = 2;", "}"),
    "another function": ("void g0(int k) {", "total{} = k; } void h(int k) { int own = {};", "total0 = own; }"),
}


@pytest.mark.parametrize("branches", [2, 3])
@pytest.mark.parametrize("place", OPENED)
def test_braces_that_branches_over_parameters_open_for_code_behind_them(place: str, branches: int) -> None:
    before, branch, after = OPENED[place]
    heads = ["#if P == 0", "#elif P == 1", "#else"][:branches]
    code = [before]
    for number, head in enumerate(heads if branches == 3 else (heads[0], "#else")):
        code += [head, branch.replace("{}", str(number))]
    text = "\n".join([*code, "#endif", after])
    inside = place not in ("a function", "a struct", "another function")
    body, outside = (f"total0 = total1 = total2 = 0;\n{text}\n", "") if inside else ("total0 = 0;", text)
    text = f"int total0, total1, total2;\n{outside}\nvoid f(int n) {{ {body} }}\nint last;"
    for compiled in range(branches):
        unit = read(Source("globals.c", text), (), "c", {"P": compiled})
        assert [variable.name for variable in variables(unit)] == ["total0", "total1", "total2", "last"]


def test_variables_of_headers(tmp_path: Path) -> None:
    (tmp_path / "state.h").write_text(
        "#define COUNT 4\nextern long total;\nextern double weights[];\ndouble table[COUNT][2];\n"
        "static int calls;\nstatic inline void count(void) { calls++; }\nint seen(void) { return calls; }\n"
    )
    body = "{ y[0] = x[P]; total = 1; table[0][1] = 2; weights[0] = 1; count(); }"
    text = (
        PRAGMAS.format(clauses="")
        + f'#include "state.h"\nlong total;\nvoid f(int n, const double *x, double *y) {body}\n'
    )
    parsed = CFrontend().parse(Source(str(tmp_path / "k.c"), text))
    call = parsed.kernels[0].body_as(CKernel).call
    assert call is not None
    assert [(v.name, v.dims) for v in call.globals] == [("total", 0), ("table", 2), ("calls", 0)]
    (doubt,) = [w for w in parsed.warnings if "may change" in w.message]
    assert (
        doubt.message == "`f` may change `weights`, which is not compared"
        and doubt.hint == "its length is not declared here"
    )
    named = text.replace("double[n])\n", "double[n]) globals(table: in)\n")
    call = CFrontend().parse(Source(str(tmp_path / "k.c"), named)).kernels[0].body_as(CKernel).call
    assert call is not None and [(v.name, v.filled) for v in call.globals] == [("table", True)]


def test_nothing_is_exposed_where_nothing_is_compared() -> None:
    assert exposing_text("f", ()) == ""


@pytest.mark.parametrize("words", [(), ("gcc", "-O1", "-DCOUNTED")])
def test_variables_that_only_the_compile_sees_are_told(words: tuple[str, ...]) -> None:
    text = (
        PRAGMAS.format(clauses="") + "#ifdef COUNTED\nint count;\n#define COUNT count++\n#else\n#define COUNT\n#endif\n"
    )
    text += "void f(int n, const double *x, double *y) { y[0] = x[P]; COUNT; }\n"
    kernel = CFrontend().parse(Source("k.c", text), words=words).kernels[0]
    call = kernel.body_as(CKernel).call
    assert call is not None and bool(call.globals) == bool(words)
    warnings = call_task(kernel, call, ("gcc", "-O2", "-DCOUNTED"), TIME).warnings
    assert [("-DCOUNTED" in w and "are not compared" in w) for w in warnings] == [True] * (not words)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("fill(A, n);", True),
        ("*(A + n) = 1;", True),
        ("double *p = A; p[0] = 1;", True),
        ("y[0] = A[n] + *A;", False),
        ("if (A) y[0] = A[0];", False),
        ("if (A != 0 && !B) y[0] = 1;", False),
        ("y[0] = sizeof(A);", False),
        ("fill(R[0], n);", True),
        ("y[0] = R[0][1];", False),
        ("look(C);", False),
    ],
)
def test_what_pointers_of_the_file_lead_to_is_told_where_it_may_be_written(body: str, told: bool) -> None:
    outside = "double *A, *B, **R; const double *C; void fill(double *, int); void look(const double *);"
    messages = [warning.message for warning in parsed(body, outside).warnings]
    assert any("points to, which is not compared" in message for message in messages) == told


def test_static_variables_of_functions_that_the_kernel_calls_are_told() -> None:
    outside = "static int next(void) { static int calls; return ++calls; }"
    (warning,) = parsed("y[1] = next();", outside).warnings
    assert warning.message.startswith("`calls` keeps its value")


OLD_STYLE = """
int first;
untyped(w, m)
float **w;
int m, (*g)();
{ w[0][0] = m; }
float **returned(v, k)
int v, k;
{ return 0; }
int total;
"""


def test_formals_of_definitions_in_old_style_are_no_variables() -> None:
    """The grammar does not read all of them: one without a type, one that returns a pointer."""
    found = [variable.name for variable in variables(read(Source("old.c", OLD_STYLE), (), "c"))]
    assert found == ["first", "total"]
    assert names("double w[4][4]; w[1][1] = n; total = 1;", OLD_STYLE) == ["total"]
