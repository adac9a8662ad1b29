"""Calls from threads: a small stack, two at once, and what a program keeps between calls."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.attacks.source import Attack
from tests.evaluators.test_wrong_kernels import WRONG, task_of
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.programs.symbols import static_variables
from tunepass.evaluators.harness.verification.concurrent import LARGE_STACK, SMALL_STACK
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check
from tunepass.study.outcome import Failed

SOURCES = {path.stem: path for path in WRONG}
AFTER = {"AFTER": "-DAFTER=0"}
NEEDS_TWO = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="with one processor no calls run at once")


def attack_task(name: str, folder: Path) -> KernelTask:
    attack = Attack.read(SOURCES[name])
    return task_of(folder, attack.text, attack.compiler)


def looked_at(task: KernelTask, attacking: int) -> tuple[Failed | None, dict[str, Check]]:
    """What is found, and the rows."""
    with CompileRun(task) as evaluator:
        configuration = Configuration({"ATTACK": attacking, **AFTER})
        found = evaluator.look_again(configuration)
        return found, {check.name: check for check in evaluator.checks(configuration).checks}


@NEEDS_TWO
def test_memory_that_two_calls_share_is_found_and_named(tmp_path: Path) -> None:
    found, rows = looked_at(attack_task("shared_scratch", tmp_path), 1)
    assert found is not None and found.stage == "wrong_result" and "two threads at once" in found.log
    assert rows["all results"].state == "could not run" and rows["all results"].reason.endswith("calls: scratch")


@NEEDS_TWO
def test_a_kernel_of_cpp_that_takes_pointers_is_called_by_two_threads(tmp_path: Path) -> None:
    """One that takes containers is not: the harness makes each once."""
    text = Attack.read(SOURCES["shared_scratch"]).text
    found, _ = looked_at(task_of(tmp_path, text, ("g++", "-O2"), "scale.cc"), 1)
    assert found is not None and found.stage == "wrong_result" and "two threads at once" in found.log
    vectors = "#include <vector>\n" + text.replace("const double *x, double *y", "std::vector<double> &x, double *y")
    assert "one call at a time" in task_of(tmp_path, vectors, ("g++", "-O2"), "scale.cc").serial


@NEEDS_TWO
def test_what_two_threads_may_call_has_its_rows(tmp_path: Path) -> None:
    found, rows = looked_at(attack_task("shared_scratch", tmp_path), 0)
    assert found is None and {rows[name].state for name in ("small stack", "concurrent calls", "all results")} == {
        "ran"
    }


def test_more_stack_than_a_thread_has_is_a_crash(tmp_path: Path) -> None:
    found, _ = looked_at(attack_task("large_stack", tmp_path), 1)
    assert found is not None and found.stage == "crash" and "ran out of stack" in found.log


def test_what_the_source_does_not_stand_is_not_asked_for(tmp_path: Path) -> None:
    """A source with a large stack; and one of which two calls are not to be made at once."""
    attack = Attack.read(SOURCES["large_stack"])
    task = task_of(tmp_path, attack.text.replace("#if ATTACK", "#if ATTACK >= 0"), attack.compiler)
    with CompileRun(replace(task, serial="it is for one thread")) as evaluator:
        configuration = Configuration({"ATTACK": 1, **AFTER})
        assert evaluator.look_again(configuration) is None
        rows = {check.name: check for check in evaluator.checks(configuration).checks}
        known = evaluator._look._concurrency
    assert known is not None and known.stack == LARGE_STACK > SMALL_STACK and known.callers == 1
    assert "the source itself fails with a stack of 1 MiB" in rows["small stack"].reason
    assert rows["concurrent calls"].reason == "it is for one thread"


KEEPS = """
#include <stdio.h>
static int of_file;
static __thread int of_thread = 3;
int common;
const int table[] = {1, 2};
static const char *const name = "x";
int f(void)
{
    static int of_function;
    of_file++, of_thread++, common++;
    fputs(name, stderr);
    return of_function++ + table[common % 2];
}
"""


def test_variables_that_keep_values_are_found_in_objects_and_programs(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(KEEPS + "int main(void) { return f(); }")
    subprocess.run(["gcc", "-O0", "-c", "k.c"], cwd=tmp_path, check=True)
    subprocess.run(["gcc", "k.o", "-o", "k"], cwd=tmp_path, check=True)
    kept = {"of_file", "of_thread", "of_function", "common"}
    assert static_variables(tmp_path / "k.o") == kept
    assert kept <= static_variables(tmp_path / "k") and not {"table", "name", "stderr"} & static_variables(
        tmp_path / "k"
    )
    (tmp_path / "half").write_bytes((tmp_path / "k").read_bytes()[:500])
    assert static_variables(tmp_path / "half") == frozenset() == static_variables(tmp_path / "k.c")
