"""Evaluators of kernels that are compiled here: nothing happens before one is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

import tunepass
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.jobs.compiled import evaluators_for
from tunepass.space.configuration import Configuration


@pytest.mark.parametrize(("count", "metric"), [(False, "time"), (True, "instructions")])
def test_the_compiler_is_looked_for_when_a_kernel_is_opened(tmp_path: Path, count: bool, metric: str) -> None:
    source = tmp_path / "f.c"
    source.write_text(
        "#pragma tunepass param B: ordinal(1, 2) = 1\n"
        "#pragma tunepass kernel f(n = 10, x: in double[n], y: out double[n])\n"
        "void f(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = B * x[i]; }\n"
    )
    kernel = tunepass.load(source)
    missing = evaluators_for(("no-such-compiler-at-all",))
    with pytest.raises(TunepassError), missing(kernel) as evaluate:
        evaluate(Configuration({"B": 1}))
    with evaluators_for(("gcc", "-O1"), count=count)(kernel) as made:
        assert isinstance(made, CompileRun) and made.task.metric == metric
