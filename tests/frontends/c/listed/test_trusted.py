"""Listed loops around bodies that are a guess: what is known is proven, the rest is taken to be independent."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

TEXT = """\
#include <cstddef>
#pragma tunepass param T: ordinal(1, 8)
#pragma tunepass param U: ordinal(1, 2)
#pragma tunepass param V: categorical(false, true)
#pragma tunepass param ORDER: permutation(i, j)
#pragma tunepass kernel f(n = 64, x: in double[n*n], y: inout double[n*n], idx: in int[n])
double g(double);
void f(int n, const double *x, double *y, const int *idx)
{
    double t;
#pragma tunepass loop(i, j) tile(i: T) order(ORDER) unroll_and_jam(i: U) CLAUSES
    for (int i = 0; i < n; i++)
        for (INNER)
            BODY
}
"""
INNER = "int j = 0; j < n; j++"
CHANGED = {"T": 8, "U": 2, "V": True, "ORDER": ("j", "i")}


def kernel(body: str, clauses: str = "parallel(i: V)", inner: str = INNER) -> Kernel:
    text = TEXT.replace("BODY", body).replace("CLAUSES", clauses).replace("INNER", inner)
    return CFrontend().parse(Source("f.cpp", text)).kernels[0]


@pytest.mark.parametrize(
    "body",
    [
        "y[idx[i] + j] = x[i * n + j];",
        "y[i * n + j] = g(x[i * n + j]);",
        "{ double s = x[i * n + j]; while (s > 1) s /= 2; y[i * n + j] = s; }",
        "{ double s = 0; for (int k = 0; k < n; k++) s += x[i * n + k]; y[i * n + j] = s; }",
        "{ t = x[i * n + j]; y[i * n + j] = t * t; }",
        "{ double *p = y + i * n; p[j] = x[j]; }",
        "for (double v : {1.0, 2.0}) y[i * n + j] += v;",
        "{ try { y[i * n + j] = g(1); } catch (...) { y[i * n + j] = 2; } }",
        "{ auto h = [&](double v) { y[i * n + j] = v; }; h(1.0); }",
        "y[i * i + j * 3 % n] = x[i * n + j];",
    ],
)
def test_all_directives_work_around_bodies_that_are_a_guess(body: str) -> None:
    read = kernel(body)
    assert not read.constraints
    candidate = lower(read, Configuration(CHANGED))
    text = candidate.text or ""
    assert not candidate.requests and "#pragma omp parallel for" in text and "i_tile += 8" in text
    assert text.index("for (int i_tile") < text.index("for (int j") < text.index("for (int i ")


def test_a_proven_dependence_is_kept() -> None:
    read = kernel("y[i * n + j] = y[(i - 1) * n + j + 1];", inner="int j = 0; j < n - 1; j++")
    assert "not V" not in [str(c) for c in read.constraints]
    (scop,) = read.body_as(CKernel).scops
    assert all(access.certain for access in scop.scop.statements[0].accesses)
    assert lower(read, Configuration(CHANGED)).requests[0].obstacle == "a dependence would be turned round"
    kept = CHANGED | {"ORDER": ("i", "j"), "T": 1, "U": 1, "V": False}
    assert not lower(read, Configuration(kept)).requests


@pytest.mark.parametrize("inner", ["int j = 0; j <= i; j++", "int j = 0; j != n; j++", "t = 0; t < n; t++"])
def test_loops_need_not_be_rectangular(inner: str) -> None:
    inner = inner.replace("t", "j") if inner.startswith("t") else inner
    text = TEXT.replace("double t;", "int j;") if "int" not in inner else TEXT
    text = (
        text.replace("BODY", "y[i * n + j] += x[i * n + j];")
        .replace("CLAUSES", "parallel(i: V)")
        .replace("INNER", inner)
    )
    (read,) = CFrontend().parse(Source("f.cpp", text)).kernels
    assert "i_tile" in (lower(read, Configuration(CHANGED)).text or "")


def test_an_outer_loop_is_vectorized_where_it_is_named() -> None:
    read = kernel("y[j * n + i] += x[i * n + j] * x[j * n + i];", "vectorize(i: V)")
    candidate = lower(read, Configuration(CHANGED | {"T": 1, "U": 1, "ORDER": ("i", "j")}))
    lines = [line.strip() for line in (candidate.text or "").splitlines()]
    assert lines[lines.index("#pragma omp simd") + 1].startswith("for (int i")
    assert [request.obstacle for request in candidate.requests] == [""] and candidate.flags == ("-fopenmp-simd",)


def test_an_innermost_loop_that_is_jammed_is_copied() -> None:
    read = kernel("y[i * n + j] += x[i * n + j];")
    text = lower(read, Configuration(CHANGED | {"T": 1, "V": False})).text or ""
    assert text.count("y[i * n + j] +=") == 2 and text.count("y[(i + 1) * n + j] +=") == 1


@pytest.mark.parametrize(
    "body,message",
    [
        ("{ auto q = h<int>{1}; if (q) return; }", "`return` leaves the loop over `i`"),
        ("{ auto q = h<int>{1}; n = q; }", "the bound `n` is changed inside the nest"),
        ("{ static int c; y[i * n + j] = c++; }", "a `static` variable would be copied with the body"),
        ("{ if (x[i] > 0) { auto q = h<int>{1}; break; } }", "`break` leaves the loop over `j`"),
    ],
)
def test_what_would_change_the_loops_is_refused(body: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        kernel(body)
    assert caught.value.diagnostics[0].message == message


def test_the_address_of_a_size_that_is_no_bound_may_be_taken() -> None:
    text = (
        TEXT.replace("double t;", 'scanf("%d", &m);')
        .replace("(int n,", "(int n, int m,")
        .replace("f(n = 64", "f(n = 64, m = 2")
    )
    text = text.replace("BODY", "y[i * m] += x[j];").replace("CLAUSES", "parallel(i: V)").replace("INNER", INNER)
    assert CFrontend().parse(Source("f.cpp", text)).kernels
    with pytest.raises(SourceError, match="the address of the bound `m` is taken"):
        CFrontend().parse(Source("f.cpp", text.replace("j < n", "j < m")))
