"""The backend of tensor kernels: how they are compiled, compared, identified and written."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import tunepass
from tests.backends.tensors import BOUND, KERNELS, SPMM, backend, matrix, written
from tunepass.backends.base import Starts, Target, default_of
from tunepass.backends.tensor.backend import TensorBackend, cache_folder
from tunepass.diagnostics import SourceError, ToolError, TunepassError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.ir.candidate import Candidate
from tunepass.ir.kernel import Kernel
from tunepass.passes.apply_schedule import scheduled
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space
from tunepass.study.identity import Identity
from tunepass.study.outcome import Failed, Measured
from tunepass.testing.backend import BackendContract

PARALLEL = Configuration({"chunk": 4, "order": ("i0", "i1", "j", "k")})
THREADS = ", parallelize(i0, CPUThread, NoRaces, schedule(dynamic, 1), 1)"
ILLEGAL = Configuration({"chunk": 4, "order": ("j", "k", "i0", "i1")})


class TestContract(BackendContract):
    @pytest.fixture
    def kernel(self, tmp_path_factory: pytest.TempPathFactory) -> Kernel:
        return tunepass.load(written(tmp_path_factory.mktemp("source"), SPMM))

    @pytest.fixture
    def target(self) -> Target:
        return Target(compiler=("gcc", "-O1"))


@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if shutil.which(c)])
@pytest.mark.slow_but(2)
def test_a_schedule_is_measured_and_an_illegal_one_fails_with_the_rule(tmp_path: Path, compiler: str) -> None:
    text = SPMM if compiler == "gcc" else SPMM.replace(THREADS, "")  # clang may be without its OpenMP library
    with backend(tmp_path, text, compiler, "-O1").evaluator() as run:
        assert isinstance(run(PARALLEL).outcome, Measured)
        failed = run(ILLEGAL).outcome
        assert isinstance(failed, Failed) and failed.stage == "compile" and "order" in failed.log
        assert run.look_again(PARALLEL) is None and run.sanitize(PARALLEL) is None


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.one_in(3)
@pytest.mark.slow_but(5)
def test_what_the_plain_loops_compute_is_what_numpy_does(tmp_path: Path, name: str) -> None:
    made = backend(tmp_path, KERNELS[name] + BOUND)
    with made.evaluator() as run:
        reference = run.set_up()
        words = {case.words for case in reference.expected if case.size}
        assert not reference.left_out and not run.warnings and len(words) == 3, words
        outcome = run(default_of(made.kernel)).outcome
        assert isinstance(outcome, Measured), outcome


BODY = """
{
    for (int i = 0; i < i_size; i++) {
        for (int k = 0; k < k_size; k++) {
            double sum = 0;
            for (int p = B2_pos[i]; p < B2_pos[i + 1] + PAST; p++)
                sum += FACTOR * B_vals[p] * C_vals[B2_crd[p] * k_size + k];
            if (WRITTEN) A_vals[i * k_size + k] = sum;
        }
    }
    LAST;
    return j_size - j_size + STATUS;
}
"""
RIGHT = {"PAST": "0", "FACTOR": "1", "WRITTEN": "1", "LAST": "", "STATUS": "0"}


def by_hand(task: KernelTask, **wrong: str) -> Candidate:
    """The plain loops with something else in places."""
    defines = tuple(f"-D{name}={text}" for name, text in {**RIGHT, **wrong}.items())
    return Candidate(text=task.text.partition("{")[0] + BODY, defines=defines)


def test_a_wrong_lowering_ends_the_build_before_anything_is_compared(tmp_path: Path) -> None:
    task = backend(tmp_path).evaluator().task
    with CompileRun(replace(task, reference=by_hand(task))) as run:
        run.set_up()
    for factor in ("-1", "(1 + (j_size == 17) / 1000.)"):
        with (
            CompileRun(replace(task, reference=by_hand(task, FACTOR=factor))) as run,
            pytest.raises(ToolError, match="do not compute what NumPy does"),
        ):
            run.set_up()


@pytest.mark.parametrize(
    "place,text,stage,words",
    [
        ("FACTOR", "1.0000001", "wrong_result", "elements differ"),
        ("WRITTEN", "p[0]", "compile", "p"),
        ("WRITTEN", "(B2_pos[i + 1] > B2_pos[i])", "wrong_result", "small tensors with empty slices"),
        ("FACTOR", "(i_size != 13 || i != 6)", "wrong_result", "small tensors with empty slices and a full one"),
        ("FACTOR", "(i_size == 1 ? 2 : 1)", "wrong_result", "at extents of 1"),
        ("PAST", "(B2_pos[i + 2 * (i + 1 == i_size)] == 77)", "out_of_bounds", "B2_pos"),
        ("STATUS", "2", "wrong_result", "return: expected 0, got 2"),
        ("LAST", "((int *)B2_crd)[0] = 0", "wrong_result", "B2_crd"),
    ],
)
@pytest.mark.one_in(2)
@pytest.mark.slow_but(4)
def test_candidates_that_are_wrong_are_told(tmp_path: Path, place: str, text: str, stage: str, words: str) -> None:
    task = backend(tmp_path).evaluator().task
    with CompileRun(replace(task, lower=lambda configuration: by_hand(task, **{place: text}))) as run:
        failed = run(PARALLEL).outcome
    assert isinstance(failed, Failed) and failed.stage == stage and words in failed.log, failed


def test_the_identity_knows_the_data_the_space_and_the_compiler(tmp_path: Path) -> None:
    def identity(starts: Starts = Starts.TOOLS, *compiler: str) -> Identity:
        made = backend(tmp_path, SPMM, *compiler, starts=starts)
        return made.identity(Space(made.kernel.parameters, made.kernel.constraints))

    first, again = identity(), identity()
    assert first == again and first.flags == ("-O1",) and first.compiler and first.files and first.toolchain
    assert identity(Starts.TOOLS, "gcc", "-O3").changed(first) == ["flags"]
    told = identity(Starts.NOTHING)
    assert not told.files and not told.compiler and told.source == first.source
    (tmp_path / "b.mtx").write_text(matrix(61))
    made = TensorBackend(tunepass.load(tmp_path / "kernel.taco"), Target(compiler=("gcc", "-O1")))
    other = made.identity(Space(made.kernel.parameters, made.kernel.constraints))
    assert other.changed(first) == ["files"]
    before = backend(tmp_path).manifests()[first.files]
    assert before.changes(made.manifests()[other.files]) == ["file changed: b.mtx"]


def test_the_data_are_packed_once(tmp_path: Path) -> None:
    backend(tmp_path).evaluator()
    (packed,) = (tmp_path / ".tunepass" / "data").iterdir()
    before = packed.stat().st_ino
    backend(tmp_path).evaluator()
    assert packed.stat().st_ino == before


def test_where_nothing_can_be_written_data_are_kept_with_other_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache_folder(tmp_path) == tmp_path / ".tunepass" / "data"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert cache_folder(tmp_path) == tmp_path / "caches" / "tunepass" / "data"


@pytest.mark.parametrize(
    "old,new,message",
    [
        ('bind B = "b.mtx"', "", "B is sparse, and nothing says where its entries are"),
        ('bind B = "b.mtx"', 'bind B = "gone.mtx"', "gone.mtx"),
        ("dim k = 5", "", "the extent of k is not known"),
        ("dim k = 5", "dim k = 5, j = 41", "40"),
    ],
)
def test_data_that_do_not_fit_are_told_with_their_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SourceError, match=re.escape(message)) as caught:
        backend(tmp_path, SPMM.replace(old, new)).evaluator()
    assert caught.value.diagnostics[0].span is not None


def test_what_a_tensor_kernel_cannot_be_built_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TunepassError, match="did you mean 'time'"):
        backend(tmp_path, objectives=("tim",)).objectives()
    with pytest.raises(TunepassError, match="search for them alone"):
        backend(tmp_path, objectives=("instructions", "time")).objectives()
    with pytest.raises(TunepassError, match="no device 'stratix-v' compiles and runs"):
        backend(tmp_path, device="stratix-v")


def test_the_written_c_builds_with_the_command_in_its_header(tmp_path: Path) -> None:
    made = backend(tmp_path, SPMM, "gcc", "-O2")
    out = tmp_path / "out"
    out.mkdir()
    files = made.write([scheduled(made.kernel, default_of(made.kernel))], "chosen */ by hand", out)
    names = sorted(path.name for path in files)
    assert {"kernel.tuned.c", "kernel.tuned.o"} <= set(names)
    text = (out / "kernel.tuned.c").read_text()
    command = re.search(r"Compile: (.*)", text)
    assert command is not None and "-fopenmp" in command[1]
    assert " *   C_vals  the numbers of C, by j, k, the last one innermost, read\n" in text
    (out / "kernel.tuned.o").unlink()
    subprocess.run([*shlex.split(command[1]), "-Wall", "-Wextra", "-Werror"], cwd=out, check=True)
    assert (out / "kernel.tuned.o").exists()
