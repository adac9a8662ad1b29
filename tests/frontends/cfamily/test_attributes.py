"""Attributes of C++11 and of GNU: they change no type and no nest."""

from __future__ import annotations

import pytest

from tests.frontends.c.scops.reading import PRAGMA, accesses, scop_of
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.functions.definitions import definitions
from tunepass.frontends.cfamily.reading import read
from tunepass.polyhedral.codegen.write import rewrite_scop
from tunepass.polyhedral.schedules.plan import Plan

HEAD = "void f(int n, double *x, double *y) {\n"


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < n; i++) [[likely]] { y[i] = x[i]; }",
        "[[likely]] for (int i = 0; i < n; i++) { y[i] = x[i]; }",
        '[[maybe_unused]] [[gnu::unused, foo::bar(1, [2], "]]")]] for (int i = 0; i < n; i++) y[i] = x[i];',
        "for (int i = 0; i < n; i++) [[]] { [[likely]] y[i] = x[i]; }",
        "for (int i [[maybe_unused]] = 0; i < n; i++) { [[fallthrough]]; y[i] = x[i]; }",
        "for ([[using gnu: unused, aligned(8)]] int i = 0; i < n; i++) [[unlikely]] y[i] = x[i];",
        "for (int i __attribute__((unused)) = 0; i < n; i++) { __attribute__((fallthrough)); y[i] = x[i]; }",
    ],
)
def test_attributes_of_loops_and_statements_are_left_out(loop: str) -> None:
    scop = scop_of(f"{HEAD}{PRAGMA}\n{loop}\n}}\n", "k.cpp")
    assert accesses(scop) == ["r x[i]", "w y[i]"]
    assert "[[" not in rewrite_scop(scop, Plan(), numbered=False)
    assert scop.span.text == loop


def test_attributes_of_declarations_are_no_words_of_types() -> None:
    text = "[[gnu::hot, nodiscard]] double f([[maybe_unused]] const double *x, int n [[maybe_unused]]) { return n; }\n"
    unit = read(Source("k.cpp", text), (), "c++")
    (function,) = definitions(unit)
    assert function.returns == "double" and unit.functions[0].words == ("double",)
    assert [formal.words for formal in function.formals] == [("const", "double"), ("int",)]


def test_attributes_that_say_what_runs_are_refused() -> None:
    loop = "for (int i = 0; i < n; i++) { [[omp::directive(atomic)]] y[0] += x[i]; }"
    with pytest.raises(SourceError, match="OpenMP's attributes") as caught:
        scop_of(f"{HEAD}{PRAGMA}\n{loop}\n}}\n", "k.cpp")
    span = caught.value.diagnostics[0].span
    assert span is not None and (span.line, span.column) == (3, 31)
