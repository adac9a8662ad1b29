"""What a nest after `loop auto` is told of what is opaque in it, and of pragmas of its own."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError
from tunepass.frontends.base import Parsed
from tunepass.frontends.c.frontend import CFrontend

HEAD = "#pragma tunepass kernel f(n = 100, A: inout double[n][n], p: inout double[n], idx: in int[n])\n"
BEGIN = "void f(int n, double A[n][n], double *p, const int *idx)\n{\n#pragma tunepass loop auto\n"


def parsed(nest: str, words: tuple[str, ...] = ()) -> Parsed:
    return CFrontend().parse(Source("nest.c", f"{HEAD}{BEGIN}{nest}\n}}\n"), words=words)


def notes(nest: str) -> list[Diagnostic]:
    return [d for d in parsed(nest).warnings if d.severity is Severity.NOTE]


NOTES = {
    "for (int i = 0; i < n; i++) p[idx[i]] += A[i][0];": (
        "p[idx[i]]", "its subscript depends on data, or is not affine"),
    "for (int i = 0; i < n; i++) for (int j = idx[i]; j < n; j++) p[j] += A[i][j];": (
        "for (int j = idx[i]; j < n; j++)", "where `j` starts depends on data or is not affine"),
    "for (int i = 0; i < n; i++) p[i] = g(i);": (
        "p[i] = g(i);", "`g` is called, and may read and write anything"),
}  # fmt: skip


@pytest.mark.parametrize("nest", NOTES)
def test_a_nest_of_few_schedules_is_told_why(nest: str) -> None:
    text, reason = NOTES[nest]
    first = notes(nest)[0]
    assert first.span is not None and first.hint
    assert first.span.text == text and first.span.line == 5
    count, message = first.message.split(" ", 1)
    assert count.isdigit() and message == f"schedules: `{text}` is read as opaque: {reason}"


def test_a_nest_that_is_seen_through_has_no_notes() -> None:
    assert not notes("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = A[i][j] * 2 + p[j];")


OWN = "#pragma omp parallel for\n"


@pytest.mark.parametrize(("words", "threads"), [((), False), (("-O2", "-fopenmp"), True), (("-fopenmp-simd",), False)])
def test_threads_of_the_nest_are_a_parameter(words: tuple[str, ...], threads: bool) -> None:
    for nest in (f"{OWN}for (int i = 0; i < n; i++) p[i] = 1;",
                 f"for (int j = 0; j < n; j++) {{\n{OWN}for (int i = 0; i < n; i++) A[j][i] = 1; }}"):  # fmt: skip
        answer = parsed(nest, words)
        assert any(p.name == "PARALLEL" for p in answer.kernels[0].parameters) == threads
        (warning,) = [d for d in answer.warnings if d.severity is Severity.WARNING]
        assert warning.message == "only the source's own schedule keeps this pragma"
        assert ("PARALLEL" in (warning.hint or "")) == threads


@pytest.mark.parametrize("words", ["omp for", "omp parallel", "omp critical", "omp single"])
def test_pragmas_that_are_a_part_of_the_code_are_refused(words: str) -> None:
    with pytest.raises(SourceError, match=f"`#pragma {words}` is a part of what the loops do"):
        parsed(f"for (int j = 0; j < n; j++) {{\n#pragma {words}\nfor (int i = 0; i < n; i++) A[j][i] = 1; }}")


def test_a_long_piece_of_code_is_cut_between_words() -> None:
    name = "a_rather_long_name_of_a_function_that_is_called"
    (first, *_) = notes(f"for (int i = 0; i < n; i++) p[i] = {name}(a_first_argument, i);")
    assert f"`p[i] = {name}(a_first_argument, ...`" not in first.message and "p[i] = ...`" in first.message
