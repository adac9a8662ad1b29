"""From a kernel to its evaluator."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tunepass
from tunepass.evaluators.compile_run import CompileRun
from tunepass.jobs.evaluation import evaluator
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured


def test_a_source_may_leave_its_defaults_to_the_pragma(tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    source.write_text(
        "#pragma tunepass param B: ordinal(1, 2, 4) = 2\n"
        "#pragma tunepass kernel f(n = 1000, x: in double[n], y: out double[n])\n"
        "void f(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = B / 2 + x[i] - B / 2; }\n"
    )
    with evaluator(tunepass.load(source), ("gcc", "-O1")) as made:
        assert isinstance(made, CompileRun)
        assert isinstance(made(Configuration({"B": 2})).outcome, Measured)


REFUSED = """\
#pragma tunepass param V: categorical(false, true) = false
#pragma tunepass kernel f(n = 1000, x: in double[n], y: out double[n])
double g(double x);
double g(double x) { __asm__ volatile("" : "+x"(x)); return x; }
void f(int n, const double *x, double *y) {
#pragma tunepass loop(i) vectorize(i: V)
    for (int i = 0; i < n; i++)
        y[i] = BODY;
}
"""


@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if shutil.which(c)])
@pytest.mark.parametrize("body,applied", [("2 * x[i]", True), ("g(x[i])", False)])
def test_a_vectorisation_that_the_compiler_refuses_is_not_applied(
    tmp_path: Path, compiler: str, body: str, applied: bool
) -> None:
    source = tmp_path / "f.c"
    source.write_text(REFUSED.replace("BODY", body))
    with evaluator(tunepass.load(source), (compiler, "-O2")) as made:
        assert isinstance(made(Configuration({"V": False})).outcome, Measured)
        outcome = made(Configuration({"V": True})).outcome
    if applied:
        assert isinstance(outcome, Measured)
    else:
        assert isinstance(outcome, Failed) and outcome.stage == "not_applied"
        assert "the compiler did not vectorize the loop over i\n" in outcome.log
