"""Builds of applications: flags that reach nothing, what an earlier build left, profiles, ccache."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tunepass.backends.application.task import task_of
from tunepass.diagnostics import Source, SourceError
from tunepass.evaluators import application_builds
from tunepass.evaluators.application import DeterministicRun
from tunepass.evaluators.application_builds import ApplicationBuilds, build_environment
from tunepass.evaluators.process.workspace import Workspace
from tunepass.evaluators.source_tree import Sources
from tunepass.frontends.app.frontend import AppFrontend
from tunepass.ir.application import Application
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured

needs_gcc = pytest.mark.skipif(not (shutil.which("make") and shutil.which("gcc")), reason="needs make and gcc")
MAIN = "int main(void) { return 0; }\n"
BASE = """\
tools: [gcc]
sources: ["*"]
parameters:
  OPT: {kind: categorical, values: [-DA=1, -DA=2], role: flag}
  PGO: {kind: categorical, values: [false, true], role: profile}
build: {command: "BUILD", product: prog}
run: {command: ./prog, metrics: ["v {v}"]}
"""


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    made = Workspace()
    yield made
    made.close()


def builds_in(folder: Path, workspace: Workspace, command: str, compiler: str = "gcc") -> ApplicationBuilds:
    text = BASE.replace("BUILD", command).replace("gcc", compiler, 1)
    (kernel,) = AppFrontend().parse(Source(str(folder / "tune.yaml"), text)).kernels
    return ApplicationBuilds(task_of(kernel, kernel.body_as(Application), [Objective("v")]), workspace)


def of(opt: str, pgo: bool = False) -> Configuration:
    return Configuration({"OPT": opt, "PGO": pgo})


def shell(command: str, folder: Path) -> None:
    subprocess.run(["sh", "-c", command], cwd=folder, check=True)


def takes(builds: ApplicationBuilds) -> list[str]:
    return [builds.take(of(opt))[1] for opt in ("-DA=1", "-DA=2")]


@needs_gcc
def test_a_variable_that_no_makefile_uses_is_named(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "Makefile").write_text("prog: main.c\n\tgcc $(CFLAGS) main.c -o prog\n")
    (tmp_path / "main.c").write_text(MAIN)
    with pytest.raises(SourceError, match="every build makes the same program") as error:
        takes(builds_in(tmp_path, workspace, "make -s COPTS={FLAGS}"))
    first = error.value.diagnostics[0]
    assert first.hint == "no Makefile among the sources uses `COPTS`"
    assert first.span is not None and "COPTS={FLAGS}" in first.span.text


@needs_gcc
def test_a_library_that_is_not_made_again_is_named(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "Makefile").write_text("prog: libx.a\n\tgcc libx.a -o prog\nlibx.a: x.c\n\tgcc $(CFLAGS) x.c\n")
    (tmp_path / "x.c").write_text(MAIN)
    shell("gcc -c x.c -o y.o && ar rc libx.a y.o && rm y.o && touch libx.a", tmp_path)
    with pytest.raises(SourceError, match="every build makes the same program") as error:
        takes(builds_in(tmp_path, workspace, "make -s CFLAGS={FLAGS}"))
    assert error.value.diagnostics[0].hint == "libx.a is among the `sources`, and is not made again: leave it out"


@needs_gcc
def test_flags_that_reach_a_compiler_may_change_nothing(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "main.c").write_text(MAIN)
    one, other = takes(builds_in(tmp_path, workspace, "gcc {FLAGS} main.c -o prog"))
    assert one == other


@needs_gcc
def test_objects_of_an_earlier_build_are_not_copied(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "Makefile").write_text("prog: main.o\n\tgcc main.o -o prog\nmain.o: main.c\n\tgcc $(C) -c main.c\n")
    (tmp_path / "main.c").write_text("int main(void) { return A; }\n")
    shell("make -s C=-DA=7", tmp_path)
    one, other = takes(builds_in(tmp_path, workspace, "make -s C={FLAGS}"))
    assert one != other


def test_what_an_earlier_build_left_is_no_source(tmp_path: Path) -> None:
    names = ["a.c", "a.o", "b.o", "CMakeCache.txt", "CMakeFiles/x.make", "config.status", "a.gcda", "sub/a.lo", "prog"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    sources = Sources(folder=tmp_path, patterns=("*",), made="prog")
    assert [path.as_posix() for path in sources.files()] == ["a.c", "b.o"]


def test_what_tunepass_wrote_is_no_source(tmp_path: Path) -> None:
    names = [
        "app.c",
        "tunepass.lock",
        ".tunepass/store.db",
        "out/app.tuned",
        "out/app.tuned.mk",
        "app.tuned.sh",
        "b.tuned",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert [p.as_posix() for p in Sources(folder=tmp_path, patterns=("*",), name="app").files()] == ["app.c", "b.tuned"]


PROFILED = """\
#include <stdio.h>
int main(void)
{
    long n = 0;
    for (int i = 0; i < 1000; i++)
        n += i % 7 == 3 ? i : 1;
    printf("v %ld\\n", n);
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_profile_builds_twice_and_trains_in_between(compiler: str, tmp_path: Path, workspace: Workspace) -> None:
    if not shutil.which(compiler) or (compiler == "clang" and not shutil.which("llvm-profdata")):
        pytest.skip(f"needs {compiler} and what it profiles with")
    (tmp_path / "main.c").write_text(PROFILED)
    builds = builds_in(tmp_path, workspace, f"{compiler} -O2 {{FLAGS}} main.c -o prog", compiler=compiler)
    (plain, one), (trained, two) = (builds.take(of("-DA=1", pgo)) for pgo in (False, True))
    assert plain.failure is trained.failure is None and one != two
    assert {p.name for p in trained.folder.iterdir()} == {"main.c", "prog"}
    assert not list(trained.folder.parent.glob("*.profile"))


@needs_gcc
def test_a_training_run_that_counts_nothing_is_a_failure(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "main.c").write_text(PROFILED)
    (tmp_path / "build.sh").write_text('case "$*" in *-fprofile-generate*) set -- ;; esac; gcc $* main.c -o prog\n')
    tree, _ = builds_in(tmp_path, workspace, "sh build.sh {FLAGS}").take(of("-DA=1", True))
    assert tree.failure is not None and "counted nothing" in tree.failure.log


def test_ccache_comes_before_the_compilers_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ccache = tmp_path / "ccache"
    ccache.write_text("")
    ccache.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(application_builds, "CCACHES", (str(tmp_path / "links"),))
    assert build_environment()["PATH"] == str(tmp_path)
    (tmp_path / "links").mkdir()
    assert build_environment()["PATH"] == f"{tmp_path / 'links'}:{tmp_path}"


OVER = """\
sources: [prog.sh, v]
parameters:
  K: {kind: ordinal, values: [1, 4], role: argument}
build: {command: "true"}
run:
  command: sh prog.sh {INPUT} {K}
  inputs: [two, {input: eight, weight: 3}]
  over_inputs: OVER
  metrics: ["v {v}"]
  deterministic: true
check: {output: all, command: "test {INPUT} != never"}
"""
PROG = "case $1 in two) echo v $((2 * $2)) ;; *) echo v $((8 + $2)) ;; esac\n"


@pytest.mark.parametrize(
    "over,expected",
    [("mean", (7.25, 11.0)), ("worst", (7.25, 29.0)), ("geometric mean", ((2 * 9**3) ** 0.25, (8 * 12**3) ** 0.25))],
)
def test_several_inputs_are_one_value(tmp_path: Path, over: str, expected: tuple[float, float]) -> None:
    """The default has 2 and 9, of the weights 1 and 3; the other has 8 (four times as much) and 12."""
    (tmp_path / "prog.sh").write_text(PROG)
    (tmp_path / "v").write_text("")
    text = OVER.replace("OVER", over)
    (kernel,) = AppFrontend().parse(Source(str(tmp_path / "tune.yaml"), text)).kernels
    with DeterministicRun(task_of(kernel, kernel.body_as(Application), [Objective("v")])) as evaluator:
        found = [evaluator.evaluate(Configuration({"K": k})).outcome for k in (1, 4)]
    assert [o.values["v"] for o in found if isinstance(o, Measured)] == pytest.approx(expected)


def test_a_geometric_mean_of_a_metric_that_is_zero_for_an_input(tmp_path: Path) -> None:
    (tmp_path / "prog.sh").write_text("case $1 in two) echo v $((4 - $2)) ;; *) echo v 8 ;; esac\n")
    (tmp_path / "v").write_text("")
    text = OVER.replace("OVER", "geometric mean").replace("output: all, ", "")
    (kernel,) = AppFrontend().parse(Source(str(tmp_path / "tune.yaml"), text)).kernels
    with DeterministicRun(task_of(kernel, kernel.body_as(Application), [Objective("v")])) as evaluator:
        outcome = evaluator.evaluate(Configuration({"K": 4})).outcome
    assert outcome == Failed("metric", "a geometric mean is of positive values, and v is 0 for an input")


def test_the_output_of_each_input_is_compared(tmp_path: Path) -> None:
    (tmp_path / "prog.sh").write_text("echo v 1; [ $1$2 = eight4 ] && echo wrong\nexit 0\n")
    (tmp_path / "v").write_text("")
    (kernel,) = AppFrontend().parse(Source(str(tmp_path / "tune.yaml"), OVER.replace("OVER", "mean"))).kernels
    with DeterministicRun(task_of(kernel, kernel.body_as(Application), [Objective("v")])) as evaluator:
        outcome = evaluator.evaluate(Configuration({"K": 4})).outcome
    assert isinstance(outcome, Failed) and outcome.stage == "wrong_result" and "2 lines" in outcome.log
