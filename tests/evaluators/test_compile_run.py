"""Real compilers on small kernels: good candidates are measured, hostile ones are failures of their kind."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.evaluators.kernels import ARGUMENTS, WINDOW, N, window_task
from tunepass.diagnostics import ToolError
from tunepass.evaluators import compile_run as module
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.process.workspace import PREFIX
from tunepass.evaluators.toolchains.compiling import CompileLimits
from tunepass.frontends.c.harness.plan import CArray
from tunepass.frontends.c.harness.text import harness_text
from tunepass.ir.candidate import Candidate, Request
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Evaluation, Failed, Measured


@pytest.fixture(scope="module")
def evaluator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CompileRun]:
    with CompileRun(window_task(tmp_path_factory.mktemp("window"))) as made:
        yield made


def shaped(evaluator: CompileRun, shape: int) -> Evaluation:
    return evaluator.evaluate(Configuration({"SHAPE": shape}))


def test_a_good_candidate_is_measured(evaluator: CompileRun) -> None:
    found = shaped(evaluator, 0)
    assert isinstance(found.outcome, Measured)
    assert 0 < found.outcome.values["time"] < 1000 and len(found.outcome.samples) >= 3
    assert set(found.seconds) == {"compile", "check", "measure"}


def test_the_same_object_code_is_measured_once(evaluator: CompileRun) -> None:
    first, again = shaped(evaluator, 0), evaluator.evaluate(Configuration({"SHAPE": 0, "UNUSED": 1}))
    assert again.outcome == first.outcome
    assert set(again.seconds) == {"compile"} and "same object code" in again.log


@pytest.mark.parametrize(
    "shape,stage,words",
    [
        (1, "timeout", "did not end within"),
        (2, "memory", "an allocation of 107,374,182,400 bytes was refused"),
        (3, "crash", "SIGSEGV"),
        (4, "cheated", "it starts a process, which the untouched source does not"),
        (5, "output", "printed more than 100,000 bytes"),
        (6, "wrong_result", f"out: 1 of {N} elements differ; worst at out[{N // 2}]"),
        (7, "wrong_result", f"out: {N // 2} of {N} elements differ"),
        (8, "out_of_bounds", f"touched out[{N}], 1 past its end"),
        (9, "out_of_bounds", "touched out[-1], 1 before its start"),
        (10, "compile", "error"),
        (11, "out_of_bounds", "touched out["),
        (12, "wrong_result", "wrote to in, which is an input"),
        (13, "crash", "the kernel ended the program"),
        (14, "run", "status 7"),
        (15, "crash", "stack"),
        (16, "wrong_result", "while timed: out"),
        (17, "out_of_bounds", "touched in["),
        (20, "memory", ""),
        (21, "out_of_bounds", "touched in[-1], 1 before its start"),
        (22, "out_of_bounds", f"touched out[{N}], 1 past its end"),
    ],
)
@pytest.mark.slow_but(4)
def test_a_hostile_candidate_is_a_failure_of_its_kind(
    evaluator: CompileRun, shape: int, stage: str, words: str
) -> None:
    found = shaped(evaluator, shape)
    assert isinstance(found.outcome, Failed), found
    assert found.outcome.stage == stage and words in found.outcome.log, found.outcome
    assert isinstance(shaped(evaluator, 0).outcome, Measured)


@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
@pytest.mark.slow
def test_clang_agrees(tmp_path: Path) -> None:
    with CompileRun(window_task(tmp_path, compiler="clang")) as evaluator:
        outcomes = {shape: shaped(evaluator, shape).outcome for shape in (0, 3, 6, 8, 10, 12, 16)}
        assert "same object code" in evaluator.evaluate(Configuration({"SHAPE": 0, "UNUSED": 1})).log
    assert isinstance(outcomes.pop(0), Measured)
    stages = {shape: outcome.stage for shape, outcome in outcomes.items() if isinstance(outcome, Failed)}
    wrong = "wrong_result"
    assert stages == {3: "crash", 6: wrong, 8: "out_of_bounds", 10: "compile", 12: wrong, 16: wrong}


def test_a_candidate_that_compiles_for_ever_costs_its_limit(tmp_path: Path) -> None:
    compiler = tmp_path / "slow-cc"
    compiler.write_text('#!/bin/sh\ncase "$*" in *SHAPE=19*) sleep 60;; esac\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    limits = CompileLimits(least_s=0.5, most_s=20.0, slack=3.0)
    with CompileRun(window_task(tmp_path, compiler=str(compiler), compile_limits=limits)) as evaluator:
        found = shaped(evaluator, 19)
        assert isinstance(found.outcome, Failed) and found.outcome.stage == "compile"
        assert "the compiler did not end within" in found.outcome.log and found.seconds["compile"] < 20
        assert isinstance(shaped(evaluator, 0).outcome, Measured)


def test_a_compile_that_mostly_waited_is_given_longer_once(tmp_path: Path) -> None:
    compiler, asked = tmp_path / "starved-cc", tmp_path / "asked"
    compiler.write_text(
        f'#!/bin/sh\ncase "$*" in *SHAPE=12*) [ -e {asked} ] || {{ touch {asked}; sleep 60; }};; esac\nexec gcc "$@"\n'
    )
    compiler.chmod(0o755)
    limits = CompileLimits(least_s=0.5, most_s=20.0, slack=3.0)
    with CompileRun(window_task(tmp_path, compiler=str(compiler), compile_limits=limits)) as evaluator:
        outcome = shaped(evaluator, 12).outcome
    assert asked.exists() and isinstance(outcome, Failed) and outcome.stage == "wrong_result", outcome


def test_the_harness_is_compiled_with_the_longest_limit(tmp_path: Path) -> None:
    compiler = tmp_path / "slow-cc"
    compiler.write_text('#!/bin/sh\ncase "$*" in *harness.c*) sleep 1.5;; esac\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    limits = CompileLimits(least_s=0.3, most_s=20.0, slack=2.0)
    with CompileRun(window_task(tmp_path, compiler=str(compiler), compile_limits=limits)) as evaluator:
        evaluator.compiling.longest_s = 0.1  # as if the source were compiled already
        assert isinstance(shaped(evaluator, 0).outcome, Measured)


def test_a_request_the_compiler_refuses_is_not_applied(tmp_path: Path) -> None:
    loop = (
        WINDOW[: WINDOW.index("    for (int i = 0; i < n; i++) out[i] = in[i] + in[(i + 1) % n];\n}")].count("\n") + 1
    )
    request = Request("vectorize", loop, loop, "vectorize the loop over i")  # it divides
    task = window_task(tmp_path, lower=lambda c: Candidate(flags=("-O3",), requests=(request,)))
    with CompileRun(task) as evaluator:
        outcome = shaped(evaluator, 0).outcome
    assert isinstance(outcome, Failed) and outcome.stage == "not_applied"
    assert f"line {loop}: the compiler did not vectorize the loop over i" in outcome.log


def test_nothing_is_left_on_disk(tmp_path: Path) -> None:
    with CompileRun(window_task(tmp_path)) as evaluator:
        folder = evaluator.workspace.folder
        shaped(evaluator, 0)
        before = {path.name for path in folder.iterdir()}
        for shape in (3, 6, 8, 10):
            shaped(evaluator, shape)
        assert {path.name for path in folder.iterdir()} == before
    assert not folder.exists() and [p.name for p in tmp_path.iterdir()] == ["window.c"]


def test_a_folder_left_by_a_killed_process_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    abandoned = tmp_path / f"{PREFIX}999999999-abc"
    abandoned.mkdir()
    with CompileRun(window_task(tmp_path)):
        assert not abandoned.exists()


def test_a_hopeless_candidate_is_cut_and_says_so(tmp_path: Path) -> None:
    plan = MeasurePlan(warmup_s=0.001, budget_s=0.05, precision=0.0, least=20, most=20, retries=0)
    with CompileRun(window_task(tmp_path, plan=plan)) as evaluator:
        good, slow = shaped(evaluator, 0).outcome, shaped(evaluator, 18).outcome
    assert isinstance(good, Measured) and isinstance(slow, Measured)
    assert (good.censored, slow.censored) == (False, True) and len(slow.samples) < plan.least
    assert slow.values["time"] > 1.5 * good.values["time"]


def test_finalists_are_measured_again_in_turns(tmp_path: Path) -> None:
    with CompileRun(window_task(tmp_path)) as evaluator:
        shaped(evaluator, 0)
        times = evaluator.compare_again([Configuration({"SHAPE": s}) for s in (0, 18, 6)], rounds=3)
    assert [len(found) for found in times] == [3, 3, 0]
    assert max(times[0]) < min(times[1])


@pytest.mark.parametrize("shapes", [(0, 1, 18), (0, 3, 13, 18)])
@pytest.mark.slow_but(2)
def test_who_hangs_crashes_or_leaves_keeps_no_other_finalist_from_being_measured(
    tmp_path: Path, shapes: tuple[int, ...]
) -> None:
    with CompileRun(window_task(tmp_path, run_limits=Limits(wall_s=2))) as evaluator:
        times = evaluator.compare_again([Configuration({"SHAPE": s}) for s in shapes], rounds=2)
    assert [len(found) for found in times] == [2, *(0 for _ in shapes[2:]), 2]


def test_who_needs_more_memory_than_there_is_for_all_at_once_is_measured_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "memory_left", lambda: 1e6)
    monkeypatch.setattr(module, "time_together", None)
    with CompileRun(window_task(tmp_path)) as evaluator:
        assert evaluator.set_up().peak_bytes > 1e6
        times = evaluator.compare_again([Configuration({"SHAPE": s}) for s in (0, 18)], rounds=2)
    assert max(times[0]) < min(times[1])


def test_the_candidate_may_be_another_text_that_includes_from_the_sources_folder(tmp_path: Path) -> None:
    (tmp_path / "offset.h").write_text("#define OFFSET 1\n")
    text = WINDOW.replace("void window", '#include "offset.h"\nvoid window').replace("(i + 1)", "(i + OFFSET)")
    task = window_task(tmp_path, text=text, lower=lambda c: Candidate(text=text + f"/* {c['X']} */\n"))
    with CompileRun(task) as evaluator:
        first = evaluator.evaluate(Configuration({"X": 1}))
        assert isinstance(first.outcome, Measured)
        assert "same object code" in evaluator.evaluate(Configuration({"X": 2})).log


def test_flags_and_environment_reach_the_candidate(tmp_path: Path) -> None:
    text = WINDOW.replace("#if SHAPE == 1 ", '    if (getenv("WRONG")) return;\n#if SHAPE == 1 ')
    candidates = {
        0: Candidate(flags=("-DSHAPE=0", "-O3")),
        1: Candidate(flags=("-O3", "-DSHAPE=3")),
        2: Candidate(environment=(("WRONG", "1"),)),
    }
    with CompileRun(window_task(tmp_path, text=text, lower=lambda c: candidates[int(str(c["X"]))])) as evaluator:
        found = [evaluator.evaluate(Configuration({"X": x})).outcome for x in candidates]
    assert isinstance(found[0], Measured)
    assert [f.stage for f in found[1:] if isinstance(f, Failed)] == ["crash", "wrong_result"]


def test_a_source_with_its_own_main_and_types_is_harnessed(tmp_path: Path) -> None:
    text = "typedef double real;\n" + WINDOW.replace("const double *in", "const real *in")
    text += "\nint main(void) { return 1; }\n"
    arguments = [
        CArray(name=a.name, element="real", direction=a.direction, length=a.length) if isinstance(a, CArray) else a
        for a in ARGUMENTS
    ]
    harness = harness_text("window", "void window(int n, const real *in, double *out)", arguments)
    with CompileRun(window_task(tmp_path, text=text, harness=harness)) as evaluator:
        assert isinstance(shaped(evaluator, 0).outcome, Measured)
        assert shaped(evaluator, 6).outcome.stage == "wrong_result"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text,words",
    [
        ("syntax error", "does not compile as it is"),
        (WINDOW.replace("void window", "static void window"), "does not link with its harness"),
        (WINDOW.replace("SHAPE 0", "SHAPE 3"), "does not run, so nothing can be judged"),
        (WINDOW.replace("SHAPE 0", "SHAPE 8"), "leaves the bounds of its arrays"),
        (WINDOW.replace("SHAPE 0", "SHAPE 12"), "writes to an input"),
        (WINDOW.replace("out[i] = in[i]", "out[i] += in[i]"), "two calls on the same data give different results"),
    ],
)
@pytest.mark.slow_but(3)
def test_a_reference_that_cannot_be_judged_by_is_an_error(tmp_path: Path, text: str, words: str) -> None:
    with CompileRun(window_task(tmp_path, text=text)) as evaluator, pytest.raises(ToolError, match=words):
        shaped(evaluator, 0)


def test_a_missing_compiler_is_named_with_what_to_do(tmp_path: Path) -> None:
    with (
        CompileRun(window_task(tmp_path, compiler="no-such-cc")) as evaluator,
        pytest.raises(ToolError, match="compiler not found: no-such-cc"),
    ):
        shaped(evaluator, 0)


def test_outputs_the_kernel_leaves_alone_are_not_an_error(tmp_path: Path) -> None:
    text = WINDOW.replace("i < n; i++) out[i] = in[i]", "i < n - 1; i++) out[i] = in[i]")
    with CompileRun(window_task(tmp_path, text=text)) as evaluator:
        assert isinstance(shaped(evaluator, 0).outcome, Measured)
