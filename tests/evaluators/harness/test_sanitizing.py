"""What the guard pages cannot see, the sanitizers do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.evaluators.kernels import WINDOW, window_task
from tunepass.evaluators.compile_run import CompileRun
from tunepass.space.configuration import Configuration

TEXT = WINDOW.replace(
    "#if SHAPE == 1 ",
    """#if SHAPE == 30                      /* past the end of its own array: the right result all the same */
    volatile double own[4]; for (volatile int i = 0; i <= 4; i++) own[i] = i;
#elif SHAPE == 31                    /* undefined */
    volatile int large = 0x7fffffff; large += n;
#elif SHAPE == 1 """,
)


@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if shutil.which(c)])
@pytest.mark.slow_but(2)
def test_sanitizers_judge_a_candidate(compiler: str, tmp_path: Path) -> None:
    shapes = (0, 6, 8, 10, 30, 31) if compiler == "gcc" else (0, 30)
    with CompileRun(window_task(tmp_path, text=TEXT, compiler=compiler)) as evaluator:
        found = {shape: evaluator.sanitize(Configuration({"SHAPE": shape})) for shape in shapes}
    assert found.pop(0) is None
    stages = {shape: failure.stage for shape, failure in found.items() if failure}
    expected = {6: "wrong_result", 8: "out_of_bounds", 10: "compile", 30: "out_of_bounds", 31: "crash"}
    assert stages == {shape: stage for shape, stage in expected.items() if shape in shapes}
    assert compiler != "gcc" or "signed integer overflow" in found[31].log  # type: ignore[union-attr]
