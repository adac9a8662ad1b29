"""From a kernel to its evaluator."""

from __future__ import annotations

from pathlib import Path

import tunepass
from tunepass.driver.evaluation import evaluator
from tunepass.evaluators.compile_run import CompileRun
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured


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
