"""Sources that do not compile as written: which bodies are emptied, and what is said where nothing helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.cfamily.types import asking
from tests.frontends.cfamily.types.asking import (
    answer,
    function,
    local_variables,
    parameters,
    signature,
    with_c,
    with_cpp,
)
from tunepass.frontends.cfamily.types import compiling
from tunepass.frontends.cfamily.types.ask import Rung

OTHERS = """\
int good(int a) { int k = a; return k; }
int bad(int a) {
  return undeclared + a;
}
int after(int a) { return a; }
"""


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were compiled."""
    texts: list[str] = []
    compile_text = compiling.compile_text

    def counted(compiler: compiling.TypeCompiler, text: str, scratch: Path) -> Path | compiling.Messages:
        texts.append(text)
        return compile_text(compiler, text, scratch)

    monkeypatch.setattr("tunepass.frontends.cfamily.types.ladder.compile_text", counted)
    return texts


@with_c
def test_a_source_that_compiles_is_compiled_once(cc: str, compiles: list[str]) -> None:
    text = "int f(int a) { return a; }\n"
    assert answer(text, [cc], [function(text, "int f")]).rung is Rung.AS_WRITTEN
    assert len(compiles) == 1


@with_c
def test_only_the_body_with_the_error_is_emptied(cc: str, compiles: list[str]) -> None:
    told = answer(OTHERS, [cc], [function(OTHERS, "int good"), function(OTHERS, "int after")])
    assert told.rung is Rung.OTHERS_EMPTIED and len(compiles) == 2
    assert [OTHERS[start:end] for start, end in told.emptied] == ["{\n  return undeclared + a;\n}"]
    assert local_variables(signature(told)) == ["int k"] and not signature(told).locals_lost
    assert ("after", 5) in told.functions and signature(told, 1).name == "after"


@with_c
def test_the_own_body_is_emptied_where_its_locals_do_not_compile(cc: str, compiles: list[str]) -> None:
    told = answer(OTHERS, [cc], [function(OTHERS, "int bad")])
    assert told.rung is Rung.OWN_EMPTIED and len(compiles) == 2
    assert parameters(signature(told)) == ["int a"] and signature(told).locals == () and signature(told).locals_lost


@with_c
def test_errors_in_probes_and_bodies_are_mended_together(cc: str, compiles: list[str]) -> None:
    told = answer(OTHERS, [cc], [function(OTHERS, "int good")], ["nothing", "good"])
    assert told.rung is Rung.OTHERS_EMPTIED and len(compiles) <= 3
    assert told.types["good"].declare("g") == "int g(int)"  # type: ignore[union-attr]


@with_c
def test_an_error_outside_of_bodies_is_the_compilers_own(cc: str, compiles: list[str]) -> None:
    text = "int f(unknown_t a)\n{ return a; }\n"
    told = answer(text, [cc], [function(text, "int f")], name="kernel.c")
    assert told.failure is not None and told.rung is None and len(compiles) == 1
    assert (told.failure.file, told.failure.line) == ("kernel.c", 1) and "unknown_t" in told.failure.message


@with_c
def test_a_missing_header_is_said_at_once(cc: str, compiles: list[str]) -> None:
    text = '\n#include "not_there.h"\nint f(int a) { return b; }\n'
    told = answer(text, [cc], [function(text, "int f")], name="kernel.c")
    assert told.failure is not None and len(compiles) == 1
    assert (told.failure.file, told.failure.line) == ("kernel.c", 2) and "not_there.h" in told.failure.message


@with_c
def test_the_first_error_is_of_the_text_as_written(cc: str) -> None:
    text = "int f(int a) { return b; }\nunknown_t v;\n"
    told = answer(text, [cc], [function(text, "int f")], ["nothing"], name="kernel.c")
    assert told.failure is not None and told.failure.line == 1


@with_cpp
def test_emptied_bodies_keep_what_others_deduce_from_them(cc: str) -> None:
    text = """\
constexpr int square(int x) { return x * x; }
auto half(double x) { return x / 2; }
int bad() { return undeclared; }
double f(double *a) { double b[square(3)]; auto k = half(a[0]); return k + b[0]; }
"""
    told = answer(text, [cc], [function(text, "double f")], name="f.cpp")
    assert told.rung is Rung.OTHERS_EMPTIED
    assert local_variables(signature(told)) == ["double b[9]", "double k"]


@with_cpp
def test_an_error_in_a_header_empties_the_body_that_asks_for_it(cc: str, tmp_path: Path) -> None:
    (tmp_path / "box.h").write_text("template <class T> int size_of(T t) { return t.size(); }\n")
    text = '#include "box.h"\nint bad() { return size_of(3); }\nint f(int a) { int k = a; return k; }\n'
    told = answer(text, [cc], [function(text, "int f")], (), tmp_path, "f.cpp")
    assert told.rung is Rung.OTHERS_EMPTIED and local_variables(signature(told)) == ["int k"]


def test_a_compiler_that_is_not_there_is_said() -> None:
    told = answer("int a;\n", ["no-such-compiler"], [], ["a"])
    assert told.failure is not None and "no-such-compiler" in told.failure.message


def test_nvcc_is_refused_with_the_remedy() -> None:
    told = answer("int a;\n", ["nvcc"], [], ["a"])
    assert told.failure is not None and "host compiler" in told.failure.message


@pytest.mark.skipif(not asking.C, reason="no compiler")
def test_a_compiler_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slow = tmp_path / "gcc-slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(compiling, "COMPILE_S", 0.2)
    monkeypatch.setattr("tunepass.compilers.asking.PATIENCE_S", 0.2)  # of the question which one it is
    told = answer("int a;\n", [str(slow)], [], ["a"])
    assert told.failure is not None and "did not end" in told.failure.message
