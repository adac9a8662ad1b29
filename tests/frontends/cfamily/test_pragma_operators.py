"""Pragmas that operators make, lines of raw strings that look like directives, trigraphs."""

from __future__ import annotations

import shutil

import pytest

from tunepass.diagnostics import Diagnostic, Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.reading import read

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
PARAM = "#pragma tunepass param U: ordinal(1, 2) = 1\n"
KERNEL = "#pragma tunepass kernel f(n = 64, x: inout double[n])\n"
BODY = "void f(int n, double *x) {\n  for (int i = 0; i < n; i++) x[i] += U;\n}\n"


def refusal(text: str, *words: str) -> Diagnostic:
    with pytest.raises(SourceError) as caught:
        CFrontend().parse(Source("k.c", text), words=words)
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(
    "text,place",
    [
        (f'{PARAM}_Pragma("tunepass kernel f(n = 64, x: inout double[n])")\n{BODY}', '_Pragma("tunepass kernel'),
        (
            f"#define P(x) _Pragma(#x)\n{PARAM}{KERNEL}{BODY.replace('  for', 'P(tunepass loop auto) for')}",
            "P(tunepass",
        ),
    ],
)
def test_a_pragma_of_tunepass_in_an_operator_is_refused_at_its_place(text: str, place: str) -> None:
    found = refusal(text)
    assert found.message.startswith("tunepass reads its pragmas from lines `#pragma`")
    assert found.span is not None and found.span.text.startswith(place)
    assert CFrontend().parse(Source("k.c", f'#if 0\n_Pragma("tunepass x")\n#endif\n{PARAM}{KERNEL}{BODY}')).kernels


@pytest.mark.parametrize("compiler", COMPILERS)
def test_lines_of_raw_strings_are_no_directives(compiler: str) -> None:
    inside = '\n#pragma once\n#define N 9\n# 3 "other.c"\n#if 0\n}}} /* " \\\n'
    text = f'const char *a = R"x({inside})x", *b = "R"; int c = 3;\n#pragma GCC ivdep\nint d;\n'
    unit = read(Source("k.cpp", text), (compiler,), "c++")
    assert [d.name.text for declaration in unit.globals for d in declaration.declarators] == ["a", "b", "c", "d"]
    assert "N" not in unit.text.macros and [p.words[0].text for p in unit.pragmas] == ["GCC"]
    assert next(t.text for t in unit.tokens if t.kind == "text") == f'R"x({inside})x"'


@pytest.mark.parametrize("words", [(), ("gcc", "-std=c99")])
def test_a_trigraph_is_refused_by_its_name(words: tuple[str, ...]) -> None:
    loop = BODY.replace("  for", "#pragma tunepass loop auto\n  for").replace("x[i]", "x??(i??)")
    found = refusal(f"{PARAM}{KERNEL}{loop}", *words)
    assert (found.message, found.hint) == ("the trigraph `??(` is not read", "write `[`")
    assert found.span is not None and found.span.line == 5
