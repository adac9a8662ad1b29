"""OpenCL kernels on PoCL, which makes a device of the processor: right ones are measured, each wrong one is a typed
failure that harms no other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluators.gpu_run.kernels import e, one, scale_body, shape, task
from tunepass.diagnostics import ToolError
from tunepass.evaluators.capabilities import ComparesAgain, LooksAgain, Prepares, SetsUpAgain, Warns
from tunepass.evaluators.gpu_run.evaluator import GpuRun
from tunepass.evaluators.gpu_run.found import found_devices
from tunepass.ir.gpu import GpuBuffer, GpuScalar, Launch
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.testing.evaluator import EvaluatorContract

pytest.importorskip("pyopencl", reason="OpenCL kernels need pyopencl")
if not found_devices("opencl"):
    pytest.skip("no OpenCL device compiles; `pip install 'tunepass[pocl]'` brings one", allow_module_level=True)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[GpuRun]:
    with GpuRun(task(tmp_path, run_s=3.0)) as evaluator:
        assert isinstance(evaluator, GpuRun)
        yield evaluator


class TestContract(EvaluatorContract):
    @pytest.fixture(autouse=True)
    def private_temporary_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "tmp").mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))

    @pytest.fixture
    def evaluator(self, tmp_path: Path) -> GpuRun:
        return GpuRun(task(tmp_path))

    @pytest.fixture
    def good(self) -> Configuration:
        return shape(0)

    @pytest.fixture
    def bad(self) -> Configuration:
        return shape(2)


def test_it_can_do_what_a_search_asks_of_evaluators_that_measure(run: GpuRun) -> None:
    for ability in (ComparesAgain, Prepares, SetsUpAgain, LooksAgain, Warns):
        assert isinstance(run, ability)


FAILURES = {
    1: ("compile", "the compiler says no"),
    2: ("wrong_result", "elements differ"),
    3: ("out_of_bounds", "touched y[1000], 1 past its end: y has 1000 elements"),
    4: ("out_of_bounds", "touched y[-1], 1 before its start"),
    5: ("wrong_result", "wrote to x, which is an input"),
    6: ("crash", "SIGILL"),
    7: ("timeout", "did not end within 3 s"),
    8: ("crash", "SIGSEGV"),
}


@pytest.mark.parametrize("number", FAILURES)
@pytest.mark.one_in(3)
@pytest.mark.slow_but(4)
def test_a_wrong_kernel_is_a_failure_of_its_kind_and_the_next_one_is_measured(run: GpuRun, number: int) -> None:
    stage, words = FAILURES[number]
    assert isinstance(run(shape(0, 25)).outcome, Measured)
    failed = run(shape(number)).outcome
    assert isinstance(failed, Failed) and failed.stage == stage and words in failed.log
    after = run(shape(0)).outcome
    assert isinstance(after, Measured) and after.values["time"] > 0 and len(after.samples) >= 2


def test_what_the_device_lacks_is_infeasible(run: GpuRun) -> None:
    threads = run(shape(0, 1 << 20)).outcome
    assert isinstance(threads, Infeasible) and "threads of a block: 1,048,576" in threads.constraint
    empty = run(shape(0, 0)).outcome
    assert isinstance(empty, Infeasible)
    local = run(shape(9)).outcome
    assert isinstance(local, Infeasible) and local.constraint.startswith("shared memory of a block: 268,435,456 of")
    assert isinstance(run(shape(0)).outcome, Measured)


def test_an_empty_grid_is_infeasible(tmp_path: Path) -> None:
    launch = Launch(grid=(e("n // B"), one(), one()), block=(e("B"), one(), one()))
    with GpuRun(task(tmp_path, scale_body(launch=launch))) as evaluator:
        outcome = evaluator.evaluate(shape(0, 2000)).outcome
    assert outcome == Infeasible("the grid's x must be a whole number >= 1, got 0")


N, X, Y = scale_body().arguments


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((N, X), "the kernel has 3 arguments, its pragma states 2"),
        ((GpuScalar(name="n", element="double", value=e("1000")), X, Y), "argument 1 does not match"),
    ],
)
@pytest.mark.slow_but(2)
def test_arguments_that_do_not_match_the_kernel_are_told(
    tmp_path: Path, arguments: tuple[GpuScalar | GpuBuffer, ...], words: str
) -> None:
    with GpuRun(task(tmp_path, scale_body(arguments=arguments))) as evaluator, pytest.raises(ToolError) as raised:
        evaluator.evaluate(shape(0))
    assert words in str(raised.value)


@pytest.mark.slow
def test_finalists_are_measured_in_turns_and_one_that_fails_has_no_values(run: GpuRun) -> None:
    first, wrong, second = run.compare_again([shape(0), shape(2), shape(0, 25)], rounds=2)
    assert len(first) == len(second) == 2 and wrong == []
    assert run.look_again(shape(0)) is None
    failure = run.look_again(shape(2))
    assert isinstance(failure, Failed) and failure.log.startswith("while timed: ")


@pytest.mark.slow
def test_what_the_reference_does_not_take_is_not_compared(tmp_path: Path) -> None:
    text = """
    __kernel void scale(const int n, __global const float *x, __global float *y, __global float *room) {
        room[get_local_id(0)] = B;
        y[get_global_id(0)] = 2 * x[get_global_id(0)] + (SHAPE == 2);
    }
    __kernel void plain(__global float *y, __global const float *x) { y[get_global_id(0)] = 2 * x[get_global_id(0)]; }
    """
    room = GpuBuffer(name="room", element="float", direction="out", length=e("n"))
    body = scale_body(arguments=(N, X, Y, room))
    made = task(tmp_path, body, text)
    reference = made.lower(shape(0, 25))
    reference = replace(reference, call=replace(reference.call, function="plain", passed=("y", "x")))
    with GpuRun(task(tmp_path, body, text, reference=reference)) as evaluator:
        assert isinstance(evaluator.evaluate(shape(0)).outcome, Measured)
        wrong = evaluator.evaluate(shape(2)).outcome
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result" and "y" in wrong.log


def test_vectors_fills_local_memory_and_what_is_updated(tmp_path: Path) -> None:
    text = """
    __kernel void scale(__global float3 *y, __local float3 *t, __global const uint *k, const float a) {
        t[get_local_id(0)] = a * y[get_global_id(0)];
        y[get_global_id(0)] = t[get_local_id(0)] + k[get_global_id(0)];
    }"""
    body = scale_body(
        arguments=(
            GpuBuffer(name="y", element="float3", direction="inout", length=e("400")),
            GpuBuffer(name="t", element="float3", direction="out", length=e("B"), memory="local"),
            GpuBuffer(name="k", element="unsigned int", direction="in", length=e("400"), fill=e("i % 7")),
            GpuScalar(name="a", element="float", value=e("1.5")),
        ),
        launch=Launch(grid=(e("400 // B"), one(), one()), block=(e("B"), one(), one())),
    )
    reference = task(tmp_path, body, text).lower(shape(0, 25))
    with GpuRun(task(tmp_path, body, text, reference=reference)) as evaluator:
        outcome = evaluator.evaluate(shape(0)).outcome
        assert isinstance(outcome, Measured)
        assert isinstance(evaluator, GpuRun)
        y = evaluator.set_up().outputs[evaluator.set_up().cases[0]]["y"].values
    assert y.size == 1200 and y.min() >= -1.5 and y.max() < 7.5
