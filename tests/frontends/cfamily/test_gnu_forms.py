"""Forms of GNU C and of C++20 that the grammars do not have."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, scop_of
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.tree import Binary, Jump, Lambda
from tunepass.frontends.cfamily.syntax.walk import nodes

COMPUTED = """
void f(int n, int *x) {
  static void *const table[] = { &&even, &&odd, [2 ... 3] = &&even };
  goto *table[n & 1 && n];
even: x[0] = 1; return;
odd: x[0] = 2;
}
"""


def test_a_computed_goto_is_a_goto() -> None:
    (function,) = read(Source("k.c", COMPUTED), (), "c").functions
    assert [n.kind for n in nodes(function.body) if isinstance(n, Jump)] == ["goto", "label", "return", "label"]


def test_ranges_of_cases_and_imaginary_numbers_are_read() -> None:
    switch = "switch (n) { case 'a' ... 'c': case 1 + 1 ... 5: return 3; default:; }"
    text = f"int f(int n) {{ _Complex double z = 1.0iF + 2i * 1e3j; {switch} return 0; }}\n"
    (function,) = read(Source("k.c", text), (), "c").functions
    cases = [n.value for n in nodes(function.body) if isinstance(n, Jump) and n.kind == "case"]
    assert [value.op if isinstance(value, Binary) else value for value in cases] == ["...", "...", None]


@pytest.mark.parametrize(
    "clause",
    ["requires C<T>", "requires (sizeof(T) > 1) && C<T> || n::D<T, 2>", "requires requires(T a) { { a + a } -> C; }",
     "noexcept requires true"],
)  # fmt: skip
def test_a_lambda_may_have_requirements(clause: str) -> None:
    text = f"template <class T> concept C = true;\nauto g = []<typename T>(T v) {clause} {{ return v; }};\nint last;\n"
    unit = read(Source("k.cpp", text), (), "c++")
    assert not unit.faults and [d.name.text for g in unit.globals for d in g.declarators] == ["g", "last"]
    assert any(isinstance(node, Lambda) for g in unit.globals for node in nodes(g))


@pytest.mark.parametrize(
    "typedef,name",
    [
        ("typedef double v4 __attribute__((vector_size(32), aligned(8)));", "k.c"),
        ("typedef double __attribute__((__vector_size__(32))) v4;", "k.c"),
        ("using v4 [[gnu::vector_size(32)]] = double;", "k.cpp"),
    ],
)
def test_a_vector_is_no_number_of_its_elements_type(typedef: str, name: str) -> None:
    loop = f"{PRAGMA}\nfor (int i = 0; i < n; i++) *(v4 *)(y + i) = (v4){{x[i], x[i], x[i], x[i]}};\n"
    scop = scop_of(f"{typedef}\nvoid f(int n, double *x, double *y) {{\n{loop}}}\n", name)
    assert "rw? y[o0]" in accesses(scop) and scop.hindrances


def test_a_nest_in_a_lambda_is_refused_with_its_cause() -> None:
    loop = f"auto g = [&](int m) {{\n{PRAGMA}\nfor (int i = 0; i < m; i++) x[i] = 1; }};\ng(n);\n"
    with pytest.raises(SourceError, match="a loop inside a lambda is not scheduled"):
        scop_of(f"void f(int n, double *x) {{\n{loop}}}\n", "k.cpp")


@pytest.mark.parametrize(
    "head",
    ["f(n, x)\n  double *x;\n{", "f(int n, double *x) {", "double g(void);\nf(n, x) int n; double *x; {"],
)
def test_a_definition_without_a_return_type_is_named(head: str) -> None:
    pragmas = "#pragma tunepass param U: ordinal(1, 2) = 1\n#pragma tunepass kernel f(n = 64, x: inout double[n])\n"
    text = f"{pragmas}{head}\n for (; n--;) x[n] *= U; }}\n"
    with pytest.raises(SourceError, match="the definition of `f` states no return type") as caught:
        CFrontend().parse(Source("k.c", text), words=("gcc", "-std=gnu89"))
    span = caught.value.diagnostics[0].span
    assert span is not None and span.text == "f"
