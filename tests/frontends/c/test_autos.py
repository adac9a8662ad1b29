"""`loop auto` in a source: a space without a `param`, a program without a `run`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.ir.run import OutputCheck
from tunepass.ir.scop_directives import Factor
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

PROGRAM = """\
#include <stdio.h>
#ifndef N
#define N 64
#endif
static double A[N][N], x[N], y[N];
int main(void)
{
    int i, j;
#pragma tunepass loop auto CLAUSES
    for (i = 0; i < N; i++) {
        x[i] = 0;
        for (j = 0; j < N; j++)
            x[i] += A[j][i] * y[j];
    }
    printf("%f\\n", x[3]);
    return 0;
}
"""


def read(clauses: str = "", words: tuple[str, ...] = (), before: str = "") -> Kernel:
    source = Source("program.c", before + PROGRAM.replace("CLAUSES", clauses))
    (kernel,) = CFrontend().parse(source, words=words).kernels
    return kernel


def test_one_line_is_a_kernel_with_a_space() -> None:
    kernel = read()
    body = kernel.body_as(CKernel)
    assert body.run is not None and body.run.arguments == ("./a.out",) and body.run.check == OutputCheck()
    assert all(kernel.binding(p.name).role == "directive" for p in kernel.parameters)
    assert Space(kernel.parameters, kernel.constraints).size > 100
    default = Configuration({p.name: p.default for p in kernel.parameters})
    assert lower(kernel, default).text is None
    drawn = Space(kernel.parameters, kernel.constraints).sample(5, np.random.default_rng(1))
    assert all(lower(kernel, configuration).text != kernel.source.text for configuration in drawn)


def test_its_clauses_are_those_of_a_run() -> None:
    run = read('metric "{time}" check_with("-DDUMP")').body_as(CKernel).run
    assert run is not None and run.check == OutputCheck(words=("-DDUMP",))
    assert [m.objective for m in run.metrics] == ["time"]
    assert "PARALLEL" in [p.name for p in read("parallel").parameters]
    assert "PARALLEL" not in [p.name for p in read().parameters]


def test_the_compiler_s_words_say_what_macros_are() -> None:
    short = {p.name: p for p in read(words=("-DN=20",)).parameters}
    usual = {p.name: p for p in read().parameters}
    assert max(short["TILE_i"].domain) < max(usual["TILE_i"].domain)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "clauses,before,message",
    [
        ("metric", "", "expected a pattern in quotes"),
        ("tile(i: 4)", "", "unknown clause `tile`"),
        ("check(none)", '#pragma tunepass run "./a.out"\n', "this file has a pragma that says how it is judged"),
        ("", "#pragma tunepass param SIMD: ordinal(1, 2)\n#define SIMD 1\n", "SIMD"),
    ],
)
def test_what_makes_no_sense_is_an_error(clauses: str, before: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read(clauses, before=before)


def test_a_schedule_that_is_not_proven_is_refused() -> None:
    text = PROGRAM.replace("CLAUSES", "").replace("x[i] += A[j][i] * y[j]", "y[j] = x[i] - y[j]")
    (kernel,) = CFrontend().parse(Source("program.c", text)).kernels
    body, default = kernel.body_as(CKernel), Configuration({p.name: p.default for p in kernel.parameters})
    assert lower(kernel, default).requests == ()
    (nest,) = body.scops
    backwards = replace(nest.directives, reverse=(Factor("i", True),))
    turned = replace(kernel, body=replace(body, scops=(replace(nest, directives=backwards),)))
    (request,) = lower(turned, default).requests
    assert "dependence" in request.obstacle
