"""The backend of C kernels: how they are evaluated, identified and written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tunepass
from tunepass.backends.base import Backend, Target
from tunepass.backends.c.backend import CBackend
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.frontends.cfamily.preprocessing.command import Command
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured
from tunepass.testing.backend import BackendContract


def backend(source: Path, *compiler: str, objectives: tuple[str, ...] = (), device: str | None = None) -> CBackend:
    return CBackend(tunepass.load(source), Target(compiler=compiler, objectives=objectives, device=device))


@pytest.mark.parametrize("metric", ["time", "instructions"])
def test_the_compiler_is_looked_for_when_an_evaluator_is_entered(tmp_path: Path, metric: str) -> None:
    source = tmp_path / "f.c"
    source.write_text(
        "#pragma tunepass param B: ordinal(1, 2) = 1\n"
        "#pragma tunepass kernel f(n = 10, x: in double[n], y: out double[n])\n"
        "void f(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = B * x[i]; }\n"
    )
    with pytest.raises(TunepassError), backend(source, "no-such-compiler-at-all").evaluator() as evaluate:
        evaluate(Configuration({"B": 1}))
    with backend(source, "gcc", "-O1", objectives=(metric,)).evaluator() as made:
        assert isinstance(made, CompileRun) and made.task.metric == metric


def test_a_source_in_cpp_is_compiled_and_linked_by_a_compiler_of_cpp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("TUNEPASS_CC", "TUNEPASS_CXX"):
        monkeypatch.delenv(variable, raising=False)
    source = tmp_path / "f.cpp"
    source.write_text(
        "#pragma tunepass param B: ordinal(1, 2) = 1\n"
        "#pragma tunepass kernel f(n = 10, x: in double[n], y: out double[n])\n"
        "void f(int n, const double *x, double *y) {\n"
        "  try {\n    if (n < 0) throw n;\n    for (int i = 0; i < n; i++) y[i] = B * x[i];\n  } catch (int) {}\n}\n"
    )
    with backend(source).evaluator() as made:
        assert isinstance(made, CompileRun)
        assert isinstance(made(Configuration({"B": 1})).outcome, Measured)
    assert backend(source).command == ("c++", "-O2")
    assert CBackend.usual_compiler(("-O1",), "c++") == ("c++", "-O1")
    assert Command.of((), "f.cpp", "c++").program == "c++" and Command.of((), "f.c", "c").program == "cc"
    monkeypatch.setenv("TUNEPASS_CXX", "g++ -O1")
    assert backend(source).command == ("g++", "-O1")
    assert Command.of((), "f.cpp", "c++").program == "g++"


def test_what_a_c_kernel_cannot_be_built_for_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    source.write_text(REFUSED.replace("BODY", "x[i]"))
    with pytest.raises(TunepassError, match="did you mean 'time'"):
        backend(source, objectives=("tim",)).objectives()
    with pytest.raises(TunepassError, match="search for them alone"):
        backend(source, objectives=("instructions", "time")).objectives()
    with pytest.raises(TunepassError, match="no device 'stratix-v' compiles and runs"):
        backend(source, device="stratix-v")


def test_a_source_may_leave_its_defaults_to_the_pragma(tmp_path: Path) -> None:
    source = tmp_path / "f.c"
    source.write_text(
        "#pragma tunepass param B: ordinal(1, 2, 4) = 2\n"
        "#pragma tunepass kernel f(n = 1000, x: in double[n], y: out double[n])\n"
        "void f(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = B / 2 + x[i] - B / 2; }\n"
    )
    with backend(source, "gcc", "-O1").evaluator() as made:
        assert isinstance(made, CompileRun)
        assert isinstance(made(Configuration({"B": 2})).outcome, Measured)


REFUSED = """\
#pragma tunepass param V: categorical(false, true) = false
#pragma tunepass kernel f(n = 1000, x: in double[n], y: out double[n])
double g(double x);
double g(double x) { __asm__ volatile("" : "+x"(x)); return x; }
void f(int n, const double *x, double *y) {
#pragma tunepass loop(i) vectorize(i: V)
    for (int i = 0; i < n; i++)
        y[i] = BODY;
}
"""


@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if shutil.which(c)])
@pytest.mark.parametrize("body,applied", [("2 * x[i]", True), ("g(x[i])", False)])
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_a_vectorisation_that_the_compiler_refuses_is_not_applied(
    tmp_path: Path, compiler: str, body: str, applied: bool
) -> None:
    source = tmp_path / "f.c"
    source.write_text(REFUSED.replace("BODY", body))
    with backend(source, compiler, "-O2").evaluator() as made:
        assert isinstance(made(Configuration({"V": False})).outcome, Measured)
        outcome = made(Configuration({"V": True})).outcome
    if applied:
        assert isinstance(outcome, Measured)
    else:
        assert isinstance(outcome, Failed) and outcome.stage == "not_applied"
        assert "the compiler did not vectorize the loop over i\n" in outcome.log


class TestContract(BackendContract):
    @pytest.fixture
    def kernel(self, tmp_path: Path) -> Kernel:
        (tmp_path / "source").mkdir()
        source = tmp_path / "source" / "f.c"
        source.write_text(REFUSED.replace("BODY", "x[i]"))
        return tunepass.load(source)

    @pytest.fixture
    def target(self) -> Target:
        return Target(compiler=("gcc", "-O2"))

    def test_what_is_written_is_there(self, backend: Backend, kernel: Kernel, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        super().test_what_is_written_is_there(backend, kernel, tmp_path / "out")
