"""What models are told of listed loops: affine accesses and operation counts, or nothing where a body is a guess."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.accesses import Access, IterationWork
from tunepass.ir.c_kernel import CKernel

HEADER = """\
#pragma tunepass param T: ordinal(1, 8, 16)
#pragma tunepass kernel f(rows = 60, m = rows // 2, alpha = 1.5, A: in double[rows*m], B: in float[rows*m], \\
    C: inout double[rows*rows], index: in int[rows], count: inout long[rows])
#define WIDTH 7
#define TWICE(x) (2 * (x))
#define OFFSET m + 1
void f(int n, int m, double alpha, const double *A, const float (*B)[m], double C[n][n], const int *index, long *count)
{
    double sum = 0;
    const double *row = n > 9 ? A : C[0];
"""


def work(body: str, loops: str = "(i, j)", fors: str | None = None, before: str = "") -> IterationWork | None:
    fors = fors or "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
    nest = f"{before}\n#pragma tunepass loop{loops} tile(i: T)\n{fors} {body}\n C[0][0] = sum + row[0];\n}}\n"
    (found,) = CFrontend().parse(Source("t.c", HEADER + nest)).kernels[0].body_as(CKernel).scops
    return found.works[0].work if found.works else None


def accesses(body: str) -> dict[str, tuple[tuple[tuple[str, int], ...], int, str]]:
    found = work(body)
    assert isinstance(found, IterationWork), found
    return {f"{a.array}{a.offset or ''}": (a.strides, a.element_byte, "r" * a.read + "w" * a.written)
            for a in found.accesses}  # fmt: skip


@pytest.mark.parametrize(
    ("body", "array", "strides", "element_byte", "use"),
    [
        ("C[i][j] += A[i * m + j];", "C", (("i", 60), ("j", 1)), 8, "rw"),
        ("C[i][j] += A[i * m + j];", "A", (("i", 30), ("j", 1)), 8, "r"),
        ("C[j][i] = B[i][j];", "B", (("i", 30), ("j", 1)), 4, "r"),
        ("C[j][i] = B[i][j];", "C", (("i", 1), ("j", 60)), 8, "w"),
        ("count[j]++;", "count", (("j", 1),), 8, "rw"),
        ("count[2 * (i - j)] = index[(n - 1) - i];", "count", (("i", 2), ("j", -2)), 8, "w"),
        ("count[2 * (i - j)] = index[(n - 1) - i];", "index59", (("i", -1),), 4, "r"),
        ("count[(size_t)i << 1] -= 3;", "count", (("i", 2),), 8, "rw"),
        ("sum += A[j];", "sum", (), 8, "rw"),
        ("C[i + 0 * j][3] = alpha;", "C3", (("i", 60),), 8, "w"),
    ],
)
def test_affine_accesses(
    body: str, array: str, strides: tuple[tuple[str, int], ...], element_byte: int, use: str
) -> None:
    assert accesses(body)[array] == (strides, element_byte, use)


@pytest.mark.parametrize(
    ("body", "operations", "divisions", "calls"),
    [
        ("C[i][j] += alpha * A[i * m + j];", 2, 0, 0),
        ("count[i + j]++;", 1, 0, 0),
        ("C[i][j] = A[i];", 0, 0, 0),
        ("C[i][j] = 0.25 * (A[i] + A[i + 1] - A[j]) / alpha;", 3, 1, 0),
        ("C[i][j] = sqrt(A[i]) + fmax(A[j], 0.5) * exp(A[i]);", 2, 1, 1),
        ("C[i][j] = A[i] < A[j] ? A[i] * 2 : -A[j];", 4, 0, 0),
        ("{ double x = A[i] * A[j]; C[i][j] = x * x; }", 2, 0, 0),
        ("C[i][j] *= i / 2.0;", 1, 1, 0),
    ],
)
def test_operations_on_data_count_and_addresses_do_not(body: str, operations: int, divisions: int, calls: int) -> None:
    found = work(body)
    assert isinstance(found, IterationWork)
    assert (found.operations, found.divisions, found.calls) == (operations, divisions, calls)


def test_trips_and_steps() -> None:
    found = work("C[i][j] = A[j];", fors="for (int i = n - 1; i >= 2; i -= 3) for (long j = 1; j <= m * 2; j += 4)")
    assert isinstance(found, IterationWork)
    assert found.trips == (("i", 20), ("j", 15))
    assert found.accesses[1] == Access(
        array="C", element_byte=8, strides=(("i", -180), ("j", 4)), read=False, written=True
    )


@pytest.mark.parametrize(
    "body",
    [
        "C[i][index[j]] = 0;",
        "C[i][j * i] = 0;",
        "C[i][j / 2] = 0;",
        "C[i] = 0;",
        "C[i][j] = row[j];",
        "if (i > j) C[i][j] = 0;",
        "for (int k = 0; k < n; k++) C[i][j] += A[k];",
        "C[i][j] = g(A[i]);",
        "C[i][j] = *row;",
        "C[i][T] = 0;",
    ],
)
def test_a_guess_is_not_put_in_numbers(body: str) -> None:
    assert work(body) is None


def test_a_program_has_no_sizes() -> None:
    text = (
        '#pragma tunepass param T: ordinal(1, 8)\n#pragma tunepass run "./a.out"\n'
        "int main(int argc) {\n    double *a = b; static double b[64];\n#pragma tunepass loop(i) tile(i: T)\n"
        "    for (int i = 0; i < argc; i++) a[i] = i;\n    return 0;\n}\n"
    )
    (nest,) = CFrontend().parse(Source("t.c", text)).kernels[0].body_as(CKernel).scops
    assert not nest.works


def test_the_reference_to_an_element_is_counted_once() -> None:
    found = work("{ C[i][j] += A[j] * A[j]; C[i][j] += A[j]; }")
    assert isinstance(found, IterationWork) and [a.array for a in found.accesses] == ["A", "C"]


@pytest.mark.parametrize(
    "deep", ["(" * 190 + "m" + ")" * 190, "- " * 990 + "m", "(long)" * 490 + "m", "A[" * 190 + "0" + "]" * 190]
)
def test_what_is_nested_too_deeply_is_refused_at_its_place(deep: str) -> None:
    with pytest.raises(SourceError, match="nested too deeply"):
        work(f"C[i][j] += A[{deep}];")
