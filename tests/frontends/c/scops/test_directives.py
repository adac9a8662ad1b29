"""Directives on loops that need not be a perfect nest: what they may name, and what is refused."""

from __future__ import annotations

import re

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.ir.scop_directives import Factor, Pair, ScopDirectives
from tunepass.space.configuration import Configuration

PARAMS = """#pragma tunepass param TI: ordinal(1, 8, 32)
#pragma tunepass param U: ordinal(1, 2, 4)
#pragma tunepass param P: categorical(false, true)
#pragma tunepass param ORDER: permutation(i, j)
#pragma tunepass param SHAPE: categorical("source", "distributed")
#pragma tunepass param NAME: categorical("a", "b")
#pragma tunepass param FLAG: ordinal(1, 2) flag
#pragma tunepass constraint TI >= U
"""
BODY = """for (i = 0; i < n; i++) {
    x[i] = 0;
    for (j = 0; j <= i; j++)
      x[i] += A[i][j] * y[j];
  }
  for (i = 1; i < n; i++)
    for (j = 1; j < n; j++)
      A[i][j] = A[i - 1][j] + A[i][j - 1];"""


def kernel(clauses: str, params: str = PARAMS) -> Kernel:
    used = {line.split()[3].rstrip(":"): line for line in params.splitlines() if " param " in line}
    kept = [line for name, line in used.items() if re.search(rf"\b{name}\b", clauses) or name == "FLAG"]
    text = (
        "\n".join(kept)
        + f"""
#pragma tunepass kernel f(n = 64, A: inout double[n * n], x: out double[n], y: in double[n])
void f(int n, double A[n][n], double *x, const double *y) {{
  int i, j;
#pragma scop
#pragma tunepass loop {clauses}
  {BODY}
#pragma endscop
}}
"""
    )
    return CFrontend().parse(Source("f.c", text)).kernels[0]


def directives(clauses: str) -> ScopDirectives:
    return kernel(clauses).body_as(CKernel).scops[0].directives


def test_clauses_become_directives_on_the_scops_loops() -> None:
    read = directives("tile(i: TI, j_2: 16) jam(i_2: U) vectorize(j) parallel(i: P) peel(j_2: 1) unroll(j: U)")
    assert read.tile == (Factor("i", "TI"), Factor("j_2", 16))
    assert read.unroll_and_jam == (Factor("i_2", "U"),)
    assert read.vectorize == (Factor("j", True),)
    assert read.parallel == (Factor("i", "P"),)
    assert read.peel == (Factor("j_2", 1),)
    assert read.unroll == (Factor("j", "U"),)
    assert directives("skew(j_2, i_2: 1) reverse(j: P) distribute(i)") == ScopDirectives(
        skew=(Pair("j_2", "i_2", 1),), reverse=(Factor("j", "P"),), distribute=(Factor("i", True),)
    )
    assert directives("shape(SHAPE) order(ORDER) assume(independent)") == ScopDirectives(
        shape="SHAPE", order=("ORDER",), independent=True
    )
    assert directives("fuse(i, i_2: P)").fuse == (Pair("i", "i_2", "P"),)


def test_an_interchange_is_an_order_with_two_loops_in_each_others_place() -> None:
    assert directives("interchange(i_2, j_2)").order == ("i", "j", "j_2", "i_2")


def test_the_nest_is_written_as_the_parameters_say() -> None:
    tuned = kernel("tile(j: TI) distribute(i)")
    text = lower(tuned, Configuration({"TI": 8, "FLAG": 1})).text or ""
    assert "j_tile" in text
    assert text.count("for (int i") >= 2
    assert "#pragma endscop" in text


REFUSED = {
    "tile(k: 4)": ("k", "`k` is not one of the loops"),
    "tile(i: TX)": ("TX", "unknown parameter `TX`"),
    "tile(i: NAME)": ("NAME", "a factor is a whole number; `NAME` is"),
    "tile(i: FLAG)": ("FLAG", "`FLAG` is a compiler flag"),
    "tile(i: 2000000)": ("2000000", "a factor is at most 1048576"),
    "tile(i: -1)": ("-", "a factor is not negative, got -1"),
    "tile(i)": (")", "expected `:` after `i`"),
    "tile i": ("i", "expected `(` after `tile`"),
    "tile(i: 2, i: 4)": ("i", "`i` is given twice"),
    "tile(i: 2) tile(j: 2)": ("tile", "`tile` is given twice"),
    "tyle(i: 2)": ("tyle", "unknown clause `tyle`"),
    "shape(NAME)": ("NAME", "`shape` needs a categorical of shapes"),
    "shape(fused, split)": ("shape", "`shape` names 1, got 2"),
    "order(TI)": ("TI", "`order` needs a permutation"),
    "order(i, k)": ("k", "`k` is not one of the loops"),
    "order(i, i)": ("order", "`i` is given twice"),
    "interchange(i)": ("interchange", "`interchange` names 2, got 1"),
    "fuse(i)": (")", "expected `,` after `i`"),
    "fuse(i, i)": ("i", "`fuse` needs two loops"),
    "skew(j, i)": (")", "expected `:` after `i`"),
    "assume(nothing)": (")", "what can be assumed is `independent`"),
    "pack(A, i)": ("A", "what `i` reads of `A` cannot be copied to a buffer"),
    "pack(A, i_tiles)": ("i_tiles", "`i_tiles` is not one of the loops"),
    "prefetch(Q: 8)": ("Q", "`Q` is not one of the arrays"),
    "parallel(i_2)": ("loop", "these directives would change what the nest computes"),
    "reverse(i_2)": ("loop", "these directives would change what the nest computes"),
    "interchange(i, j)": ("i", "something else stands between the loops to interchange"),
    "distribute(i) shape(SHAPE) parallel(i_2)": ("loop", "these directives would change what the nest computes"),
    "tile(i: 4) 7": ("7", "expected the end of the pragma after the clauses"),
}


@pytest.mark.parametrize("clauses", REFUSED)
def test_a_clause_that_does_not_apply(clauses: str) -> None:
    marked, message = REFUSED[clauses]
    with pytest.raises(SourceError) as caught:
        kernel(clauses)
    (problem,) = caught.value.diagnostics
    assert problem.message.startswith(message)
    assert problem.span is not None
    assert problem.span.text == marked


def test_arrays_that_may_overlap_depend_on_each_other() -> None:
    text = """#pragma tunepass param T: ordinal(1, 8)
#pragma tunepass kernel f(n = 64, a: in double[n], b: out double[n]) ALIASING
void f(int n, const double *x, double *y) {
#pragma tunepass loop tile(i: T) REVERSE
  for (int i = 1; i < n; i++) y[i] = x[i - 1];
}
"""
    CFrontend().parse(Source("f.c", text.replace("ALIASING", "").replace("REVERSE", "reverse(i)")))
    with pytest.raises(SourceError, match="would change what the nest computes"):
        CFrontend().parse(Source("f.c", text.replace("ALIASING", "aliasing(a, b)").replace("REVERSE", "reverse(i)")))


def test_loops_that_are_written_anew_twice() -> None:
    text = """#pragma tunepass param T: ordinal(1, 8)
#pragma tunepass kernel f(n = 64, x: out double[n])
void f(int n, double *x) {
#pragma tunepass loop tile(i: T)
  for (int i = 0; i < n; i++) {
#pragma tunepass loop(j) tile(j: T)
    for (int j = 0; j < n; j++) x[j] = i;
  }
}
"""
    with pytest.raises(SourceError, match="part of others"):
        CFrontend().parse(Source("f.c", text))
