"""Malformed sources: each gives exactly one diagnostic; file, line, column, caret and hint are in its golden file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend

CASES = sorted((Path(__file__).parents[2] / "golden" / "c" / "malformed").glob("*.c*"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_one_diagnostic(path: Path, golden: Callable[[str, str], None]) -> None:
    with pytest.raises(SourceError) as caught:
        CFrontend().parse(Source(path.name, path.read_text()))
    assert len(caught.value.diagnostics) == 1
    golden(f"c/malformed/{path.stem}.txt", caught.value.diagnostics[0].render() + "\n")


def test_there_are_thirty() -> None:
    assert len(CASES) >= 30


def test_independent_mistakes_are_told_together() -> None:
    lines = ["param A: ordnal(1)", "param B: integer(1, 2)", "kernel f(n = 1)"]
    text = "".join(f"#pragma tunepass {line}\n" for line in lines)
    with pytest.raises(SourceError) as caught:
        CFrontend().parse(Source("two.c", text))
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [1, 2]


@pytest.mark.parametrize(
    "constraint",
    [
        "(" * 10_000 + "N" + ")" * 10_000 + " > 0",
        "N == " + "1" * 1_000_000,
        "10 ** 10 ** 10 > N",
        'N == "' + "x" * 1_000_000,
    ],
    ids=["deep", "long literal", "tower", "open string"],
)
@pytest.mark.slow_but(4)
def test_hostile_constraints_are_diagnostics(constraint: str) -> None:
    text = (
        "#pragma tunepass param N: integer(1..8)\n"
        f"#pragma tunepass constraint {constraint}\n"
        "#pragma tunepass kernel f(y: out double[8])\n"
        "void f(double *y) { y[0] = N; }\n"
    )
    with pytest.raises(SourceError) as caught:
        CFrontend().parse(Source("hostile.c", text))
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [2]
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize(
    "before",
    ["(" * 100_000, "f(1, " * 30_000, "namespace a { " * 10_000, "word" * 40_000 + "(x)", 'tune("A", ' * 12_000],
    ids=["brackets", "calls", "scopes", "word", "constants"],
)
@pytest.mark.slow_but(3)
def test_what_is_never_closed_is_passed_over_in_one_go(before: str) -> None:
    """A square of so many characters would not end."""
    text = "#pragma tunepass param N: integer(1..8)\n#pragma tunepass kernel g(y: out double[8])\n"
    with pytest.raises(SourceError):
        CFrontend().parse(Source("open.cpp", f"{text}{before}"))


def test_a_nest_without_a_body_is_told() -> None:
    text = (
        "#pragma tunepass param T: integer(1..8)\n#pragma tunepass kernel f(n = 9, y: out double[n])\n"
        "void f(int n, double *y) {\n#pragma tunepass loop(i) tile(i: T)\nfor (int i = 0; i < n; i++)\n"
    )
    with pytest.raises(SourceError, match="is not closed") as caught:
        CFrontend().parse(Source("short.c", text))
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [3]
