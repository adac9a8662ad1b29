"""Branches over parameters are read side by side, and only those that are whole statements of a function."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.branches.alternatives import alternatives
from tunepass.frontends.cfamily.preprocessing.guards import guarded
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.tree import PragmaWords
from tunepass.frontends.cfamily.text.raw import read_raw
from tunepass.space.parameters.ordinal import Ordinal

SYMBOLS = frozenset({"T"})


def words(text: str) -> list[str]:
    """Of the directives that became pragmas."""
    raw = guarded(read_raw(text), SYMBOLS)
    return [" ".join(t.text for t in s.tokens) for s in raw.sections if s.outer is not None]


INSIDE = "void f(int x) {{\n{}\n}}\n"


@pytest.mark.parametrize(
    "code",
    [
        "#if T > 2\nx = 1;\n#else\nx = 2;\n#endif",
        "#if T > 2\nfor (;;) { x++; }\n#endif",
        "#if T > 2\n#pragma unroll\nfor (;;) x++;\n#endif",
        "if (x) {\n#if T == 1\nx = 1;\n#elif T == 2\n#endif\n}",
        "#define BIG (T > 2)\n#if BIG\nx = 1;\n#endif",
    ],
)
def test_whole_statements_of_a_function_are_kept_side_by_side(code: str) -> None:
    found = words(INSIDE.format(code))
    assert found[0].startswith("if ") and found[-1] == "endif"


@pytest.mark.parametrize(
    "text",
    [
        "#if T > 2\nint a;\n#endif\n",  # at file scope
        "namespace n {\n#if T > 2\nvoid f() {}\n#endif\n}",
        INSIDE.format("#if T > 2\nfor (;;) {\n#else\nwhile (x) {\n#endif\n}"),
        INSIDE.format("if (x)\n#if T > 2\nx = 1;\n#else\nx = 2;\n#endif"),
        INSIDE.format("x = 3\n#if T > 2\n+ 1;\n#else\n;\n#endif"),
        INSIDE.format("#if T > 2\n#define A 1\n#endif"),
        INSIDE.format("#if T > 2\n#error too large\n#endif"),
        INSIDE.format("#if defined(T)\nx = 1;\n#endif"),
        INSIDE.format("#if OTHER\nx = 1;\n#endif"),
        "void f(int a,\n#if T > 2\nint b) {\n#else\nint c) {\n#endif\n}\n",
    ],
)
def test_others_stay_the_preprocessors(text: str) -> None:
    assert not words(text)


def test_only_the_others_over_parameters_make_sets_of_branches() -> None:
    text = "#if T == 4\n#elif T == 2\n#else\n#endif\n#if OTHER\n#endif\n" + INSIDE.format("#if T\nx = 1;\n#endif")
    unit = read(Source("f.c", text), (), "c", {"T": 2}, guards=True)
    found = alternatives(unit, [Ordinal("T", [1, 2, 4], default=2)]).listed
    assert [one.chain.conditions for one in found] == [("T == 4", "T == 2")]


def test_all_branches_stand_in_the_tree_and_at_their_places() -> None:
    text = INSIDE.format("#if T > LEAST\nx = 1;\n#else\nx = 2;\n#endif")
    source = Source("f.c", f"#define LEAST 7\n{text}")
    (function,) = read(source, (), "c", {"T": 3}, guards=True).functions
    kinds = [s.words[0].text if isinstance(s, PragmaWords) else "x" for s in function.body.statements]
    assert kinds == ["if", "x", "else", "x", "endif"]
    condition = function.body.statements[0]
    assert isinstance(condition, PragmaWords) and [t.text for t in condition.words] == ["if", "T", ">", "7"]
    assert [source.text[s.start : s.end] for s in function.body.statements if not isinstance(s, PragmaWords)] == [
        "x = 1;",
        "x = 2;",
    ]
    (plain,) = read(source, (), "c", {"T": 3}).functions
    assert len(plain.body.statements) == 1
