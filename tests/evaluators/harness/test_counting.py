"""Instruction counts are deterministic, and tell a longer kernel from a shorter one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.evaluators.kernels import WINDOW, N, window_task
from tunepass.diagnostics import ToolError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured

needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
# every second element twice when WORK is 2, and nothing but work
TEXT = WINDOW.replace("#if SHAPE == 1 ", "    for (int k = 1; k < WORK; k++) memcpy(out, in, n);\n#if SHAPE == 1 ")
TEXT = TEXT.replace("#ifndef SHAPE", "#ifndef WORK\n#define WORK 1\n#endif\n#ifndef SHAPE", 1)


@needs_valgrind
def test_counts_are_the_same_each_time_and_ordered_by_work(tmp_path: Path) -> None:
    task = window_task(tmp_path, text=TEXT, metric="instructions", objective="instructions")
    with CompileRun(task) as evaluator:
        first = evaluator.evaluate(Configuration({"WORK": 1})).outcome
        again, many, wrong = evaluator.compare_again(
            [Configuration({"WORK": 1}), Configuration({"WORK": 40}), Configuration({"SHAPE": 6})], rounds=3
        )
    assert isinstance(first, Measured) and 3 * N < first.values["instructions"] < 50 * N
    assert again == [first.values["instructions"]] * 3 and min(many) > max(again) and wrong == []


def test_a_missing_valgrind_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "valgrind" else which(name))
    with (
        CompileRun(window_task(tmp_path, metric="instructions")) as evaluator,
        pytest.raises(ToolError, match="needs valgrind"),
    ):
        evaluator.evaluate(Configuration({"SHAPE": 0}))
