"""Constants that are tuned in place: `constexpr int TILE = tune<int>("TILE", 32);`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import defines, lower
from tunepass.ir.kernel import Choice, Kernel
from tunepass.space.configuration import Configuration

TUNE = "template <class T> constexpr T tune(const char *, T value) { return value; }\n"
SOURCE = (
    "#pragma tunepass param TILE: ordinal(16, 32, 64)\n"
    "#pragma tunepass param STEP: ordinal(1, 2, 4)\n"
    "#pragma tunepass param FAST: categorical(false, true)\n"
    "#pragma tunepass param RATE: real(0.5..2)\n"
    "#pragma tunepass kernel f(n = 64, x: inout double[n])\n"
    + TUNE
    + """\
namespace own { using ::tune; }
constexpr int TILE = tune<int>("TILE", 32);
void f(int n, double *x)
{
    constexpr auto step = own::tune<unsigned long>("STEP", 2);
    constexpr bool fast = tune("FAST", true);
    constexpr double rate = tune<double>( "RATE" , 0.75 );
    for (int i = 0; i < n; i += int(step))
        x[i] += TILE * rate + fast; // tune<int>("TILE", 1)
}
"""
)


def kernel(text: str = SOURCE) -> Kernel:
    parsed = CFrontend().parse(Source("f.cpp", text))
    assert not parsed.warnings
    return parsed.kernels[0]


def test_the_calls_give_the_defaults() -> None:
    k = kernel()
    assert {p.name: p.default for p in k.parameters} == {"TILE": 32, "STEP": 2, "FAST": True, "RATE": 0.75}
    assert {b.role for b in k.bindings} == {"constant"} and defines(k, chosen(k)) == ()


def test_values_take_the_place_of_calls() -> None:
    text = lower(kernel(), Configuration({"TILE": 64, "STEP": 1, "FAST": False, "RATE": 1.5})).text
    assert text is not None
    assert "constexpr int TILE = 64;" in text
    assert "constexpr auto step = static_cast<unsigned long>(1);" in text
    assert "constexpr bool fast = false;" in text and "constexpr double rate = static_cast<double>(1.5);" in text
    assert '// tune<int>("TILE", 1)' in text and text.count("\n") == SOURCE.count("\n")


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_the_source_and_what_is_emitted_compile(compiler: str, tmp_path: Path) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    k = kernel()
    (tmp_path / "f.cpp").write_text(SOURCE)
    emitted = CFrontend().emit((k.scheduled((Choice("TILE", 16), Choice("STEP", 4))),))[0]
    (tmp_path / emitted.name).write_text(emitted.text)
    assert '("TILE", 16);' in emitted.text
    for name in ("f.cpp", emitted.name):
        words = [compiler, "-std=c++14", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Werror", "-c", name]
        subprocess.run(words, cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "old,new,message,hint",
    [
        ('tune<int>("TILE", 32)', 'tune<int>("TIEL", 32)', "no `param` is called `TIEL`", "did you mean `TILE`?"),
        ("TILE: ordinal(16, 32, 64)", "TILE: permutation(a, b)", "`TILE` is a permutation", "make it a macro"),
        ("TILE: ordinal(16, 32, 64)", 'TILE: categorical("-O2") flag', "`TILE` is a flag", "make it a macro"),
        ('tune<int>("TILE", 32)', 'tune<int>("TILE", SIZE)', "is not a value tunepass can read", "give the pragma"),
        ('tune<int>("TILE", 32)', 'tune<int>("TILE", 33)', "33, is not one of its values", ""),
    ],
)
def test_mistakes(old: str, new: str, message: str, hint: str) -> None:
    with pytest.raises(SourceError) as caught:
        CFrontend().parse(Source("f.cpp", SOURCE.replace(old, new, 1)))
    (problem,) = caught.value.diagnostics
    assert message in problem.message and hint in (problem.hint or "")
    assert (
        problem.span is not None and problem.span.line == SOURCE[: SOURCE.index("constexpr int TILE")].count("\n") + 1
    )


def test_a_call_inside_a_nest_is_told() -> None:
    text = SOURCE.replace("    for (int", "#pragma tunepass loop(i) unroll(i: TILE)\n    for (int").replace(
        "TILE * rate", 'tune<int>("TILE", 32)'
    )
    with pytest.raises(SourceError, match="inside a nest"):
        CFrontend().parse(Source("f.cpp", text.replace("i += int(step)", "i++")))


@pytest.mark.parametrize(
    "name",
    ['"TI" "LE"', '/* of tiles */ "TILE" // no comma', 'R"x(TILE)x"', '"TI\\\nLE"', "NAME", 'HALF "LE"'],
)
def test_the_name_may_be_spelled_as_any_string(name: str) -> None:
    macros = '#define HALF "TI"\n#define NAME HALF "LE"\n'
    written = f"tune<int>({name}\n, 32 /* kept */)"
    k = kernel(macros + SOURCE.replace('tune<int>("TILE", 32);', f"{written};", 1))
    assert next(p.default for p in k.parameters if p.name == "TILE") == 32
    text = lower(k, Configuration({"TILE": 64, "STEP": 1, "FAST": False, "RATE": 1.5})).text
    assert text is not None and "constexpr int TILE = 64;" in text
    emitted = CFrontend().emit((k.scheduled((Choice("TILE", 16),)),))[0]
    assert written.replace("32", "16") in emitted.text


@pytest.mark.parametrize("value", ["TUNE(TILE, 32)", 'tune<int>("TI\\x4cE", 32)', "32"])
def test_a_constant_that_no_call_sets_is_refused_where_it_is_declared(value: str) -> None:
    text = "#define TUNE(n, d) tune<int>(#n, d)\n" + SOURCE.replace('tune<int>("TILE", 32);', f"{value};", 1)
    with pytest.raises(SourceError, match="`TILE` is declared here") as caught:
        kernel(text)
    span = caught.value.diagnostics[0].span
    assert span is not None and span.source.line_text(span.start).startswith("constexpr int TILE")


def test_macros_that_stand_for_types_are_no_declarations() -> None:
    param = '#pragma tunepass param REAL: categorical("float", "double") = "double"\n'
    head = f"{param}#ifndef REAL\n#define REAL double\n#endif\n"
    pragma = "#pragma tunepass kernel f(n = 64, x: inout double[n])\n"
    body = "static REAL kept; template <class A, class B> struct S {}; S<const REAL, int> s;\n"
    read = kernel(head + pragma + body + "void f(int n, double *x) { const REAL y = kept; x[0] += y; }\n")
    assert [(p.name, p.default) for p in read.parameters] == [("REAL", "double")]
