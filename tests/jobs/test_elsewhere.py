"""A kernel as text, and the evaluator that another process makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.backends.gpu_kernels import OPENCL
from tests.commands.conftest import SOURCE
from tests.evaluators.gpu_run.kernels import some_device
from tunepass.backends.base import Target
from tunepass.backends.gpu import backend as gpu
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.elsewhere import EvaluatorSource, IdentifiedEvaluator, MeasuresElsewhere
from tunepass.evaluators.gpu_run.found import FoundDevice
from tunepass.executors.base import Executor
from tunepass.executors.local import LocalExecutor
from tunepass.jobs.elsewhere import make_evaluator, measured_elsewhere, resized_elsewhere, target_elsewhere
from tunepass.jobs.job import Job, prepare
from tunepass.jobs.reading import parse
from tunepass.jobs.sizes import resized
from tunepass.search.finalists.rounds import Rounds
from tunepass.study.lock.lock import Lock
from tunepass.study.objective import Objective
from tunepass.study.outcome import Evaluate

WORDS = ("gcc", "-O2")
SAMPLE = Path(__file__).parents[2] / "samples" / "opencl" / "matmul.cl"
PRICED = Path(__file__).parents[2] / "samples" / "cuda" / "matmul.cu"


class Elsewhere(MeasuresElsewhere):
    """Makes the evaluator from text, here; `changes` are fields that the identity has otherwise."""

    source: EvaluatorSource
    made: IdentifiedEvaluator

    def __init__(self, changes: Mapping[str, str]):
        self.changes = changes

    def identity(self, source: EvaluatorSource, /) -> Mapping[str, str]:
        self.source = EvaluatorSource.decode(source.encode())
        self.made = make_evaluator(self.source.text)
        return {**self.made.identity, **self.changes}

    def device(self, source: EvaluatorSource, /) -> str:
        self.identity(source)
        return self.made.device

    def evaluator(self, source: EvaluatorSource, /) -> AbstractContextManager[Evaluate]:
        return self.made.evaluator


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.chdir(tmp_path)
    Path("scale.c").write_text(SOURCE)
    (kernel,) = parse("scale.c", words=WORDS).kernels
    return prepare(kernel, Target(compiler=WORDS), Lock())


def elsewhere(**changes: str) -> Elsewhere:
    return Elsewhere(changes)


def test_the_identity_and_the_code_are_those_of_the_kernel_itself(job: Job) -> None:
    executor = elsewhere()
    moved = measured_elsewhere(job, executor, WORDS)
    assert moved.identity == job.identity and moved.study == job.study and moved.source is not None
    assert EvaluatorSource.decode(moved.source.encode()) == moved.source == executor.source
    own = job.backend.evaluator()
    assert own is not None
    with executor.evaluator(moved.source) as there, own as here:
        default = job.space.default
        assert there.prepare(default).key == here.prepare(default).key  # type: ignore[attr-defined]


def test_the_identity_of_the_machines_takes_the_place_of_this_ones(job: Job) -> None:
    moved = measured_elsewhere(job, elsewhere(device="another processor"), WORDS)
    assert moved.identity.device == "another processor" and moved.study != job.study


def test_workers_that_read_another_kernel_are_refused(job: Job) -> None:
    with pytest.raises(TunepassError, match="the workers read it otherwise than this process: space: sha256:"):
        measured_elsewhere(job, elsewhere(space="sha256:0"), WORDS)


@pytest.mark.parametrize("executor", ["local", LocalExecutor()])
def test_an_executor_of_this_machine_changes_nothing(job: Job, executor: str | Executor) -> None:
    assert measured_elsewhere(job, executor, WORDS) is job


def test_a_priced_kernel_is_refused() -> None:
    kernel = parse(PRICED).kernels[0]
    priced = prepare(kernel, Target(device="a100", generator="model"), Lock())
    with pytest.raises(TunepassError, match="--executor is about what is measured"):
        measured_elsewhere(priced, elsewhere(), None)


class WithDevice(Elsewhere):
    """Only where evaluators are made from text there is a device; `texts` are what was sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        super().__init__({})
        self.monkeypatch = monkeypatch
        self.texts: list[str] = []
        monkeypatch.setattr(gpu, "found_devices", lambda driver: ())

    def identity(self, source: EvaluatorSource, /) -> Mapping[str, str]:
        self.texts.append(source.text)
        there = FoundDevice("opencl", 0, some_device(name="Arc A770", version="OpenCL 3.0"))
        with self.monkeypatch.context() as patched:
            patched.setattr(gpu, "found_devices", lambda driver: (there,))
            return super().identity(source)


def test_a_gpu_kernel_is_prepared_for_the_device_that_only_other_machines_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scale.cl").write_text(OPENCL.replace("accumulators", "sizes(n = 512) accumulators"))
    (kernel,) = parse("scale.cl").kernels
    executor, target = WithDevice(monkeypatch), Target(device="opencl")
    assert target_elsewhere(kernel, target, Lock(), "local", None) is target
    placed = target_elsewhere(kernel, target, Lock(), executor, None)
    moved = measured_elsewhere(prepare(kernel, placed, Lock()), executor, None)
    assert (moved.identity.device, moved.identity.compiler) == ("opencl:0 Arc A770", "OpenCL 3.0")
    assert [c.text for c in moved.space.constraints][-1].startswith("B <= 256 (threads in a block on opencl:0)")
    assert executor.texts == [moved.source.text] * 2 if moved.source else False, "one evaluator is made for both"
    at_512 = resized(moved, (("n", 512),))
    sized = resized_elsewhere(at_512, moved, (("n", 512),), executor)
    assert sized.source != moved.source and sized.kernel.name == "scale[n=512]"
    assert sized.identity == replace(at_512.identity, device="opencl:0 Arc A770", compiler="OpenCL 3.0")
    assert resized_elsewhere(at_512, moved, (("n", 512),), "local") is at_512


def test_a_kernel_that_is_the_same_on_all_devices_asks_nobody_for_one(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = WithDevice(monkeypatch)
    assert target_elsewhere(job.kernel, job.backend.target, Lock(), executor, WORDS) is job.backend.target
    priced = Target(device="a100")
    assert target_elsewhere(parse(PRICED).kernels[0], priced, Lock(), executor, None) is priced
    assert executor.texts == []


@pytest.mark.parametrize("text", ["", "vulkan:0 {}", "opencl:x []", 'opencl:0 ["Done", {}]', "opencl:0 " + "[" * 10**5])
def test_a_device_that_no_worker_describes_so_is_one_error(text: str) -> None:
    with pytest.raises(TunepassError, match="describes its device in a way that cannot be read") as raised:
        prepare(parse(SAMPLE).kernels[0], Target(device="opencl", remote_device=text or " "), Lock())
    assert "the same version of tunepass" in str(raised.value)


def test_the_rule_of_finalists_is_sent_as_text() -> None:
    rule = Rounds(Objective("speed", "1/s", maximise=True), 3.5, lambda: 1.0, spared=2)
    again = Rounds.decode(rule.encode(), lambda: 9.0)
    assert (again.objective, again.seconds, again.spared, again.started) == (rule.objective, 3.5, 2, 9.0)
