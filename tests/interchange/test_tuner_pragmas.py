"""Kernel Tuner's own pragmas."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.interchange.tuner_pragmas import tuned_sections

ADD = """\
#include <stdlib.h>
#define N 1000

int main(void) {
    float *a = malloc(N * sizeof(float));
    #pragma tuner initialize
    a[0] = 1;
    #pragma tuner stop
    #pragma tuner start add a(float*:N) b(float*:N, 2) \\
        size(int:N) scale(int:3)
    #pragma omp parallel for num_threads(nthreads)
    for (int i = 0; i < size; i++)
        a[i] += b[i] * scale;
    #pragma tuner stop
}
"""


def test_a_section_is_a_function_of_its_arguments() -> None:
    (section,) = tuned_sections(Source("add.c", ADD))
    expected = """\
#include <stdlib.h>
#define N 1000
void add(float *a, float *b, int size, int scale)
{
    #pragma omp parallel for num_threads(nthreads)
    for (int i = 0; i < size; i++)
        a[i] += b[i] * scale;
}
"""
    assert section.function() == expected
    assert [a.pragma for a in section.arguments] == [
        "a: inout float[1000]", "b: inout float[2000]", "size = 1000", "scale = 3",
    ]  # fmt: skip


def test_a_size_from_elsewhere() -> None:
    text = ADD.replace("#define N 1000\n", "")
    (section,) = tuned_sections(Source("add.c", text), {"N": 8})
    assert section.arguments[1].length == 16


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("tuner stop\n}", "tuner end\n}", "`#pragma tuner end` is out of place", 14),
        ("    #pragma tuner stop\n}", "}", "this section is not stopped", 9),
        ("tuner start add", "tuner stop add", "`#pragma tuner stop` is out of place", 9),
        ("initialize", "start x y(int*:1)\n#pragma tuner start", "`#pragma tuner start` inside a section", 7),
        ("a(float*:N)", "a(float*)", "an argument is written", 9),
        ("a(float*:N)", "a(float*:M)", "no `#define` gives `M` a number", 9),
        ("a(float*:N)", "a(float*:0)", "the length of an array", 9),
        ("a(float*:N)", "a(float**:N)", "an array of pointers", 9),
        ("add a(float*:N) b(float*:N, 2) \\\n        size(int:N) scale(int:3)", "add", "has an array", 9),
        (" add a(float*:N) b(float*:N, 2) \\\n        size(int:N) scale(int:3)", "", "a section has a name", 9),
        ("a(float*:N)", f"a(float*:{'9' * 30})", "no `#define` gives `999", 9),
    ],
)
def test_what_is_wrong_is_said_where_it_is(old: str, new: str, message: str, line: int) -> None:
    assert old in ADD
    with pytest.raises(SourceError) as caught:
        tuned_sections(Source("add.c", ADD.replace(old, new, 1)))
    (diagnostic,) = caught.value.diagnostics
    assert message in diagnostic.message and diagnostic.span is not None and diagnostic.span.line == line
