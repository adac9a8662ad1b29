"""Kernels with a setup, built and judged from end to end."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluators.test_cpp_kernels import outcomes, task_of
from tunepass.backends.c.backend import INSTRUCTIONS
from tunepass.backends.c.tasks import call_task
from tunepass.diagnostics import Source, ToolError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

LIST = """\
#include <stdlib.h>
#pragma tunepass param SHAPE: integer(0..3) = 0
#pragma tunepass kernel relax(g, n = 300) setup(make) teardown(drop)
#ifndef SHAPE
#define SHAPE 0
#endif
#ifndef BAD
#define BAD 0
#endif
struct grid { int n; int steps; double *cells; };
void make(struct grid **g, int n, unsigned tunepass_seed)
{
    if (BAD) abort();
    *g = malloc(sizeof **g);
    (*g)->n = n, (*g)->steps = 0, (*g)->cells = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++) (*g)->cells[i] = (tunepass_seed + i) % 17;
}
void drop(struct grid *g) { free(g->cells), free(g); }
void relax(struct grid *g, int n)
{
    for (int i = 1; i < n; i++) g->cells[i] += 0.5 * g->cells[i - 1];
    if (SHAPE != 1) g->steps++;
    if (SHAPE == 2) g->cells[n - 1] += 1;
    if (SHAPE == 3) free(g->cells);
}
"""


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_candidates_are_judged_by_what_the_setup_made(tmp_path: Path) -> None:
    right, counter, cell, freed = outcomes(task_of(tmp_path, LIST, "gcc", "-O1"), *({"SHAPE": k} for k in range(4)))
    assert isinstance(right, Measured)
    assert isinstance(counter, Failed) and counter.stage == "wrong_result" and "*g.steps" in counter.log
    assert isinstance(cell, Failed) and cell.stage == "wrong_result" and "g->cells" in cell.log
    assert isinstance(freed, Failed)


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_a_setup_that_fails_is_an_error_of_the_users(tmp_path: Path) -> None:
    task = task_of(tmp_path, LIST.replace("#define BAD 0", "#define BAD 1"), "gcc", "-O1")
    with pytest.raises(ToolError, match="`setup` or `teardown`") as caught:
        outcomes(task, {"SHAPE": 0})
    assert "make ends with signal 6" in str(caught.value.diagnostics[0].hint)


ROWS = """\
#include <stdlib.h>
#pragma tunepass param STEP: integer(1..2) = 1
#pragma tunepass kernel zero(a) setup(make)
#ifndef STEP
#define STEP 1
#endif
typedef double real3[3];
struct image { int **rows; real3 *f; int *more; };
struct image *make(void)
{
    struct image *a = calloc(1, sizeof *a);
    a->rows = calloc(10, sizeof(int *)), a->f = calloc(10, sizeof(real3));
    for (int i = 0; i < 10; i++) a->rows[i] = calloc(10, sizeof(int));
    return a;
}
void zero(struct image *a)
{
    for (int i = 0; i < 10; i++)
        for (int m = 0; m < 10; m += STEP) ROW[i][m % 3] = i + m;
}
"""


@pytest.mark.parametrize("written", ["a->rows", "a->f"])
@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_what_arrays_of_pointers_and_of_arrays_lead_to_is_compared(tmp_path: Path, written: str) -> None:
    task = task_of(tmp_path, ROWS.replace("ROW[i]", f"{written}[i]"), "gcc", "-O1")
    right, wrong = outcomes(task, {"STEP": 1}, {"STEP": 2})
    assert isinstance(right, Measured)
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result" and written in wrong.log


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_memory_that_the_kernel_allocates_is_told_not_to_be_compared(tmp_path: Path) -> None:
    text = ROWS.replace("ROW[i][m % 3] = i + m", "a->f[i][m % 3] = a->more[m] = i")
    text = text.replace("image *a)\n{", "image *a)\n{\n    a->more = malloc(10 * sizeof(int));")
    with CompileRun(task_of(tmp_path, text, "gcc", "-O1")) as evaluator:
        assert isinstance(evaluator.evaluate(Configuration({"STEP": 1})).outcome, Measured)
        assert "not compared, in none of the arrays and places: memory that *a.more leads to" in evaluator.warnings


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_a_setup_that_leaves_nothing_to_compare_is_an_error(tmp_path: Path) -> None:
    text = """\
#pragma tunepass param STEP: integer(1..2) = 1
#pragma tunepass kernel zero(a) setup(make)
struct image { int *row; };
struct image make(void) { struct image a = {0}; return a; }
void zero(struct image a) { if (a.row) *a.row = STEP; }
"""
    with pytest.raises(ToolError, match="nothing that the kernel writes is compared") as caught:
        outcomes(task_of(tmp_path, text, "gcc", "-O1"), {"STEP": 1})
    assert "A->x: inout double[A->n]" in str(caught.value.diagnostics[0].hint)


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_what_the_pragma_says_of_a_place_has_to_compile(tmp_path: Path) -> None:
    text = LIST.replace("relax(g, n = 300)", "relax(g, n = 300, g->cell: out double[n])")
    with pytest.raises(ToolError, match="does not compile with the call that its kernel pragma describes") as caught:
        outcomes(task_of(tmp_path, text, "gcc", "-O1"), {"SHAPE": 0})
    assert "kernel.c:3" in str(caught.value.diagnostics[0].hint)


@pytest.mark.skipif(not shutil.which("valgrind") or not shutil.which("gcc"), reason="no valgrind")
def test_instructions_of_the_setup_are_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(LIST)
    kernel = CFrontend().parse(Source(str(path), LIST)).kernels[0]
    call = kernel.body_as(CKernel).call
    assert call is not None
    task = call_task(kernel, replace(call, sizes=()), ("gcc", "-O1"), INSTRUCTIONS)
    with CompileRun(task) as evaluator:
        outcome = evaluator.evaluate(Configuration({"SHAPE": 0})).outcome
    assert isinstance(outcome, Measured)
    assert 1000 < outcome.values["instructions"] < 5000  # a few for each cell; the setup divides for each
