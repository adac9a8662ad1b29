"""Loop nests as they are written out: what a person would have written, and what the compiler gets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import flags, lower
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Choice, Kernel
from tunepass.space.configuration import Configuration, Value

HEAD = """\
#pragma tunepass param ORDER: permutation(i, j, k)
#pragma tunepass param T: ordinal(1, 32)
#pragma tunepass param U: ordinal(1, 2, 4)
#pragma tunepass param V: categorical(false, true)
#pragma tunepass kernel f(n = 64, A: in double[n*n], B: in double[n*n], C: inout double[n*n])
"""
MATMUL = """\
void f(int n, const double *A, const double *B, double *C)
{
    // tunepass: loop(i, j, k) tile(k: T) order(ORDER) unroll_and_jam(i: U) unroll(k: U) vectorize(j: V) parallel(i: V)
    for (int i = 0; i < n; i++)
        for (int j = 1; j <= n - 1; j += 2) {
            for (int k = 0; k < n; ++k)
                C[i*n + j] += A[i*n + k] * B[k*n + j];
        } // done
}
"""


def kernel(text: str, head: str = HEAD) -> Kernel:
    return CFrontend().parse(Source("f.c", head + text)).kernels[0]


def scheduled(k: Kernel, **values: Value) -> Kernel:
    return k.scheduled(tuple(Choice(name, value) for name, value in values.items()))


@pytest.mark.parametrize(
    "name,values",
    [
        ("as_it_was", {}),
        ("order", {"ORDER": ("k", "i", "j")}),
        ("tiled", {"ORDER": ("i", "k", "j"), "T": 32}),
        ("unrolled", {"U": 2}),
        ("everything", {"ORDER": ("i", "k", "j"), "T": 32, "U": 2, "V": True}),
    ],
)
def test_emitted(name: str, values: dict[str, Value], golden: Callable[[str, str], None]) -> None:
    text = CFrontend().emit((scheduled(kernel(MATMUL), **values),))[0].text
    golden(f"c/rewrite/{name}.c", text[text.index("void f") :])


def test_the_compiler_sees_the_sources_lines(golden: Callable[[str, str], None]) -> None:
    k = kernel(MATMUL)
    text = lower(k, chosen(scheduled(k, T=32, U=2))).text
    golden("c/rewrite/numbered.c", text)
    lines = text.splitlines()
    assert lines[lines.index('#line 13 "f.c"', len(lines) - 4) + 1 :] == [" // done", "}"]


def test_flags_follow_the_directives() -> None:
    k = kernel(MATMUL)
    assert flags(k, chosen(k)) == ()
    assert flags(k, chosen(scheduled(k, V=True))) == ("-fopenmp",)
    simd = kernel(MATMUL.replace(" parallel(i: V)", ""))
    assert flags(simd, chosen(scheduled(simd, V=True))) == ("-fopenmp-simd",)


def test_a_vectorized_loop_around_a_parallel_one_says_that_it_is_not() -> None:
    k = kernel(MATMUL)
    inside, outside = (
        lower(k, Configuration({"T": 1, "U": 1, "V": True, "ORDER": order}))
        for order in (("i", "j", "k"), ("j", "i", "k"))
    )
    assert [r.obstacle for r in inside.requests] == [""] and "omp simd" in (inside.text or "")
    (request,) = outside.requests
    assert "over i, inside a vectorized one" in request.obstacle and "simd" not in (outside.text or "")


def test_an_order_of_tile_loops_implies_that_they_stand_outside() -> None:
    head = HEAD.replace("permutation(i, j, k)", "permutation(k_tile, i, j, k)")
    k = kernel(MATMUL, head)
    assert [str(c) for c in k.constraints] == ["pos(ORDER, k_tile) < pos(ORDER, k)"]
    assert k.constraints[0].span is not None and k.constraints[0].span.line == 8
    text = CFrontend().emit((scheduled(k, ORDER=("i", "k_tile", "j", "k"), T=32),))[0].text
    assert text.index("for (int i ") < text.index("for (int k_tile ") < text.index("for (int j ")


def test_a_macro_that_hides_the_index_keeps_its_name() -> None:
    text = """\
#define HERE x[i]
void f(int n, const double *x, double *y)
{
    #pragma tunepass loop(i) unroll(i: U)
    for (int i = n; i > 0; i -= 3) {
        int i_base = 2;
        y[i - 1] = HERE * i_base;
    }
}
"""
    head = (
        "#pragma tunepass param U: ordinal(1, 2, 4)\n"
        "#pragma tunepass kernel f(n = 64, x: in double[n + 1], y: inout double[n])\n"
    )
    emitted = CFrontend().emit((scheduled(kernel(text, head), U=2),))[0].text
    assert "const int i_now = -i - 3;" in emitted and emitted.count("const int i = i_now;") == 3
    assert emitted.count("y[i - 1] = HERE * i_base;") == 3


def test_a_pragma_inside_a_kernels_function_belongs_to_it() -> None:
    text = HEAD + MATMUL + "#pragma tunepass param W: integer(1..2)\n#pragma tunepass kernel g(y: out double[8])\n"
    kernels = CFrontend().parse(Source("f.c", text + "void g(double *y) { y[0] = W; }\n")).kernels
    assert [len(k.body_as(CKernel).scops) for k in kernels] == [1, 0]


def test_a_directives_parameter_that_code_uses_is_a_macro_as_well() -> None:
    k = kernel(MATMUL.replace("    // tunepass", "    (void)T;\n    // tunepass"))
    assert [b.role for b in k.bindings] == ["directive", "macro", "directive", "directive"]
    candidate = lower(k, Configuration({**chosen(k), "T": 32}))
    assert candidate.defines == ("-DT=32",) and "k_tile += 32" in (candidate.text or "")


def test_many_copies_are_ruled_out() -> None:
    head = HEAD.replace("ordinal(1, 2, 4)", "integer(0..64)")
    k = kernel(MATMUL, head)
    assert [str(c) for c in k.constraints] == ["max(1, U) * max(1, U) <= 256"]


@pytest.mark.parametrize(
    "define,body,replaced",
    [
        ("", "y[i] = 2 * i;", True),
        ("", "y[i] = s.i + p->i;", True),
        ("#define TWICE(v) (2 * (v))", "y[i] = TWICE(i);", True),
        ("#define HERE (x[i])", "y[i] = HERE;", False),
        ("#define HERE (x[i])\n#define THERE (HERE + 1)", "y[i] = THERE;", False),
        ("", "{ int q = 0; for (int i = 0; q < 1; q++) y[q] = 1; }", False),
        ("", "y[i] = i++;", None),
        ("", "{ struct t i; y[0] = i.a; }", False),
        ("", "{ int *i; (void)i; }", False),
    ],
)
def test_where_the_index_may_be_replaced(define: str, body: str, replaced: bool | None) -> None:
    text = f"{define}\nvoid f(int n, const double *x, double *y)\n{{\n"
    text += f"    #pragma tunepass loop(i) unroll(i: U)\n    for (int i = 0; i < n; i++)\n        {body}\n}}\n"
    head = (
        "#pragma tunepass param U: ordinal(1, 2, 4)\n"
        "#pragma tunepass kernel f(n = 64, x: in double[n], y: inout double[n])\n"
    )
    if replaced is None:
        with pytest.raises(SourceError, match="the index `i` is changed inside its loop"):
            kernel(text, head)
        return
    assert (kernel(text, head).body_as(CKernel).scops[0].scop.statements[0].uses is not None) == replaced


def test_a_pointer_to_a_row_may_stand_between_listed_loops() -> None:
    text = """\
void f(int n, const double *A, const double *B, double *C)
{
    #pragma tunepass loop(i, j) tile(j: T)
    for (int i = 0; i < n; i++) {
        const double *row = A + i * n;
        for (int j = 0; j < n; j++)
            C[i * n + j] += row[j];
    }
}
"""
    head = (
        "#pragma tunepass param T: ordinal(1, 32)\n"
        "#pragma tunepass kernel f(n = 64, A: in double[n*n], B: in double[n*n], C: inout double[n*n])\n"
    )
    emitted = CFrontend().emit((scheduled(kernel(text, head), T=32),))[0].text
    assert "C[i * n + j] += A[(long)(i * n) + j];" in emitted and "j_tile += 32" in emitted
