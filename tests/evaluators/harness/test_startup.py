"""Code that runs before main or after it: whose it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.evaluators.kernels import WINDOW, window_task
from tests.evaluators.test_cpp_kernels import task_of
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.programs.startup import ADDING, startup_sections
from tunepass.ir.candidate import Candidate
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured, Outcome

CONSTRUCTOR = "__attribute__((constructor)) static void early(void) { close(-1); }\n"
EARLY = {
    50: (CONSTRUCTOR, ".init_array"),
    51: ("__attribute__((destructor)) static void late(void) { close(-1); }\n", ".fini_array"),
    52: ('__asm__(".section .init,\\"ax\\"; nop; .text");\n', ".init"),
    53: (
        "static void early(void) { close(-1); }\n"
        '__attribute__((section(".ctors"), used)) static void (*const entry)(void) = early;\n',
        ".ctors",
    ),
    54: ("void __gmon_start__(void) { close(-1); }\n", "__gmon_start__"),
    56: ("char *getenv(const char *name) { close(-1); return 0; }\n", "it defines getenv"),
    55: ("int __libc_start_main(void) { return 0; }\n", "__libc_start_main"),
}
TEXT = WINDOW.replace(
    "static char *kept;\n",
    "static char *kept;\n" + "".join(f"#if SHAPE == {n}\n{code}#endif\n" for n, (code, _) in EARLY.items()),
)
CLONES = """
__attribute__((target_clones("avx2,default"), noinline)) double first(const double *x)
{ return __builtin_cpu_supports("avx2") ? x[0] : x[0] * 1.0; }
"""
CPP = """\
#include <iostream>
#pragma tunepass param SHAPE: integer(0..2) = 0
#pragma tunepass kernel f(n = 100, x: in double[n], y: out double[n])
#ifndef SHAPE
#define SHAPE 0
#endif
struct Counter { int n; Counter() : n(std::cout.good()) {} ~Counter() { std::cout.flush(); } };
static Counter counter;
#if SHAPE == 2
__attribute__((constructor)) static void early(void) { std::cout.flush(); }
#endif
void f(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = SHAPE == 1 ? x[i] + x[i] : 2 * x[i];
}
"""


def outcomes(
    folder: Path, text: str, *candidates: Candidate, command: tuple[str, ...] = ("gcc", "-O1")
) -> list[Outcome]:
    """Of the candidates, as configurations by their number."""
    task = window_task(folder, text=text, command=command, lower=lambda c: candidates[int(str(c["SHAPE"]))])
    with CompileRun(task) as evaluator:
        return [evaluator.evaluate(Configuration({"SHAPE": n})).outcome for n in range(len(candidates))]


def shape(number: int, *flags: str) -> Candidate:
    return Candidate(defines=(f"-DSHAPE={number}",), flags=flags)


def test_code_around_main_is_refused_where_the_source_has_none(tmp_path: Path) -> None:
    for outcome, (_, words) in zip(outcomes(tmp_path, TEXT, *map(shape, EARLY)), EARLY.values(), strict=True):
        assert isinstance(outcome, Failed) and outcome.stage == "cheated" and words in outcome.log, outcome


def test_it_is_refused_where_it_is_compiled_when_it_is_linked(tmp_path: Path) -> None:
    """Also where a name of its own makes its object look as if it were."""
    text = TEXT.replace("#if SHAPE == 50\n", "#if SHAPE == 50\nint __gnu_lto_slim;\n")
    candidates = [shape(50), shape(50, "-flto"), shape(50, "-Os", "-DOTHER=50")]
    for outcome in outcomes(tmp_path, text, *candidates):
        assert isinstance(outcome, Failed) and outcome.stage == "cheated" and ".init_array" in outcome.log, outcome
    (outcome,) = outcomes(tmp_path, TEXT, shape(50), command=("gcc", "-O1", "-flto"))
    assert isinstance(outcome, Failed) and outcome.stage == "cheated", outcome


def test_a_macro_among_the_flags_explains_nothing(tmp_path: Path) -> None:
    (outcome,) = outcomes(tmp_path, TEXT, Candidate(flags=("-DSHAPE=50", "-fprofile-generate")))
    assert isinstance(outcome, Failed) and outcome.stage == "cheated", outcome


@pytest.mark.parametrize(
    "flags", [("--coverage",), ("-fprofile-generate",), ("-fsanitize=undefined", "-pg"), ("-flto",)]
)
def test_what_flags_add_is_nobody_elses(tmp_path: Path, flags: tuple[str, ...]) -> None:
    (outcome,) = outcomes(tmp_path, TEXT, shape(0, *flags))
    assert isinstance(outcome, Measured), outcome


@pytest.mark.parametrize("words", [(), ("-flto",)])
def test_functions_for_several_processors_are_no_code_around_main(tmp_path: Path, words: tuple[str, ...]) -> None:
    clones = f"#if SHAPE == 60\n{CLONES}#endif\n"
    text = WINDOW.replace("static char *kept;\n", "static char *kept;\n" + clones)
    text = text.replace(
        "    for (int i = 0; i < n; i++) out[i] = in",
        "#if SHAPE == 60\n    out[0] = first(in);\n#endif\n    for (int i = 0; i < n; i++) out[i] = in",
    )
    (outcome,) = outcomes(tmp_path, text, shape(60), command=("gcc", "-O1", *words))
    assert isinstance(outcome, Measured), outcome


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
@pytest.mark.parametrize("words", [("-O1",), ("-O1", "-flto")])
def test_objects_with_constructors_may_stay_in_a_source(tmp_path: Path, words: tuple[str, ...]) -> None:
    with CompileRun(task_of(tmp_path, CPP, "g++", *words)) as evaluator:
        honest, attack = (evaluator.evaluate(Configuration({"SHAPE": shape})).outcome for shape in (1, 2))
    assert isinstance(honest, Measured) and isinstance(attack, Failed) and attack.stage == "cheated"


def test_another_file_has_no_such_sections(tmp_path: Path) -> None:
    path = tmp_path / "a.o"
    path.write_bytes(b"\x7fELF\x02\x01 and no more")
    assert not startup_sections(path)


@pytest.mark.parametrize(
    "flag", ["-DA=1", "-includex.h", "-I.", "-specs=x", "-mllvm", "-x", "other.c", "@words", "-Wp,-DA"]
)
def test_flags_that_a_source_could_test_for_explain_nothing(flag: str) -> None:
    assert not ADDING.match(flag)
