"""Kernels some of whose arrays have given contents: a sparse matrix times a vector, with its structure in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.evaluators.kernels import QUICK
from tunepass.diagnostics import ToolError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.reference.cases import Inputs
from tunepass.evaluators.harness.reference.drawing import drawn
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.evaluators.process.run import Limits
from tunepass.frontends.c.harness.contents import FileNumbers, TableNumbers
from tunepass.frontends.c.harness.plan import CArray, CScalar
from tunepass.frontends.c.harness.text import harness_text
from tunepass.ir.candidate import Candidate
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured, Outcome

ROWS, COLUMNS = 300, 200
SMALL_POS = (0, 0, 4, 4, 5)  # an empty row, a dense one, an empty one, and one
SMALL_CRD = (0, 1, 2, 3, 2)
PROTOTYPE = "void spmv(int m, int n, const int *pos, const int *crd, const double *vals, const double *x, double *y)"
SPMV = f"""
{PROTOTYPE}
{{
    (void)n;
    for (int i = 0; i < m; i++) {{
        double sum = 0;
        for (int p = pos[i]; p < pos[i + 1]; p++)
            sum += vals[p] * x[crd[p]];
#if SHAPE == 1      /* an empty row keeps what it had */
        if (pos[i] == pos[i + 1]) continue;
#elif SHAPE == 2    /* reads after the last row */
        sum += pos[i + 2];
#elif SHAPE == 3    /* writes its input */
        if (i == 7) ((int *)crd)[3] = 0;
#elif SHAPE == 4    /* right for the large matrix alone, which has no row as short as a dense one of the small */
        if (pos[i + 1] - pos[i] == n) sum = 0;
#endif
        y[i] = sum;
    }}
}}
"""
WORDS = {
    1: ("wrong_result", "elements differ"),
    2: ("out_of_bounds", "past its end"),
    3: ("wrong_result", "crd"),
    4: ("wrong_result", "at a small matrix"),
}


def structure() -> tuple[np.ndarray, np.ndarray]:
    """No row is empty."""
    rng = np.random.default_rng(0)
    rows = [np.sort(rng.choice(COLUMNS, 1 + rng.integers(9), replace=False)) for _ in range(ROWS)]
    pos = np.cumsum([0, *(len(row) for row in rows)]).astype("i4")
    return pos, np.concatenate(rows).astype("i4")


def arguments(size: tuple[int, int], pos: CArray, crd: CArray) -> list[CScalar | CArray]:
    return [
        CScalar(name="m", element="int", value=str(size[0])),
        CScalar(name="n", element="int", value=str(size[1])),
        pos,
        crd,
        CArray(name="vals", element="double", direction="in", length=crd.length),
        CArray(name="x", element="double", direction="in", length=size[1]),
        CArray(name="y", element="double", direction="out", length=size[0]),
    ]


def task(folder: Path, **changes: object) -> KernelTask:
    pos, crd = structure()
    path = folder / 'the "data"\n.bin'
    path.write_bytes(b"\0" * 64 + pos.tobytes() + crd.tobytes())
    large = arguments(
        (ROWS, COLUMNS),
        CArray(name="pos", element="int", direction="in", length=len(pos), content=FileNumbers(path, 64)),
        CArray(name="crd", element="int", direction="in", length=len(crd), content=FileNumbers(path, 64 + pos.nbytes)),
    )
    small = arguments(
        (4, 4),
        CArray(name="pos", element="int", direction="in", length=len(SMALL_POS), content=TableNumbers(SMALL_POS)),
        CArray(name="crd", element="int", direction="in", length=len(SMALL_CRD), content=TableNumbers(SMALL_CRD)),
    )
    source = folder / "spmv.c"
    source.write_text(SPMV)
    fields: dict[str, object] = {
        "command": ("gcc", "-O1"),
        "source": source,
        "text": SPMV,
        "harness": harness_text("spmv", PROTOTYPE, large, further=[small]),
        "lower": lambda configuration: Candidate(defines=(f"-DSHAPE={configuration['SHAPE']}",)),
        "inputs": Inputs(sizes=("a small matrix",), stated=True),
        "plan": QUICK,
        "run_limits": Limits(wall_s=10, memory_bytes=256 << 20),
        **changes,
    }
    return KernelTask(**fields)  # type: ignore[arg-type]


def outcome(run: CompileRun, shape: int) -> Outcome:
    return run.evaluate(Configuration({"SHAPE": shape})).outcome


def test_a_right_kernel_is_measured_and_wrong_ones_are_told(tmp_path: Path) -> None:
    with CompileRun(task(tmp_path)) as run:
        assert isinstance(outcome(run, 0), Measured)
        for shape, (stage, words) in WORDS.items():
            failed = outcome(run, shape)
            assert isinstance(failed, Failed), shape
            assert (failed.stage, words in failed.log) == (stage, True), (shape, failed)


def test_the_reference_computes_what_numpy_does_with_the_same_numbers(tmp_path: Path) -> None:
    with CompileRun(task(tmp_path)) as run:
        computed = run.set_up().outputs
    pos, crd = structure()
    for seed, calls in computed.items():
        vals, x = (drawn(seed, k, count, np.dtype("f8"), -1, 1) for k, count in ((2, len(crd)), (3, COLUMNS)))
        expected = np.add.reduceat(vals * x[crd], pos[:-1])
        assert np.allclose(calls[0][0].values, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_a_reference_that_another_way_to_compute_contradicts_ends_the_build(tmp_path: Path) -> None:
    def refuse(reference: Reference) -> None:
        raise ToolError(f"{len(reference.outputs)} outputs are wrong")

    with CompileRun(task(tmp_path, confirm=refuse)) as run, pytest.raises(ToolError, match="2 outputs are wrong"):
        run.set_up()


def test_data_that_is_gone_is_an_error_of_the_harness(tmp_path: Path) -> None:
    made = task(tmp_path)
    next(tmp_path.glob("*.bin")).unlink()
    with CompileRun(made) as run, pytest.raises(ToolError) as caught:
        run.set_up()
    assert "cannot read the data" in str(caught.value.diagnostics[0].hint)


@pytest.mark.parametrize("element,letter", [("float", "f4"), ("int", "i4"), ("int64_t", "i8"), ("double", "f8")])
@pytest.mark.slow_but(2)
def test_numbers_are_drawn_again(element: str, letter: str, tmp_path: Path) -> None:
    source = tmp_path / "copy.c"
    prototype = f"void copy(const {element} *x, {element} *y)"
    source.write_text(f"#include <stdint.h>\n{prototype} {{ for (int i = 0; i < 99; i++) y[i] = x[i]; }}")
    given = [CArray(name=n, element=element, direction=d, length=99) for n, d in (("x", "in"), ("y", "out"))]
    changes = {"source": source, "text": source.read_text(), "harness": harness_text("copy", prototype, given)}
    with CompileRun(task(tmp_path, **changes, inputs=Inputs())) as run:
        bounds = (-1, 1) if letter[0] == "f" else (0, 255)
        for seed, calls in run.set_up().outputs.items():
            assert np.array_equal(calls[0][0].values, drawn(seed, 0, 99, np.dtype(letter), *bounds))
