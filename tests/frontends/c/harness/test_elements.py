"""Elements that are no plain numbers, and what a kernel returns: filled, restored and written number by number."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.c.harness.test_source import DONE, build, kernel_of, run
from tunepass.frontends.c.harness.source import harness_source

N = 24
TYPES = """
struct point { double x; char c; float v[3]; struct { int a; short b; } in; };
enum color { RED = 1, GREEN = 4, BLUE = 9 };
"""
TEXT = f"""
{TYPES}
#pragma tunepass param P: integer(0..1) = 0
#pragma tunepass kernel mix(n = {N}, p: inout struct point[n], q: out struct point[n], z: inout double _Complex[n], \\
    c: in enum color[n], copy: out int[n], l: inout long double[n])
const double *mix(int n, struct point *p, struct point *q, double _Complex *z, const enum color *c, int *copy,
                  long double *l)
{{
    for (int i = 0; i < n; i++) {{
        q[i] = p[i];
        p[i].in.a += 100;
        ((double *)z)[2 * i + 1] += 10;
        copy[i] = c[i] + P;
        l[i] += 1;
    }}
    return &p[3].x;
}}
"""
FIELDS = [
    ("p.x", "f8", N),
    ("p.c", "i1", N),
    ("p.v", "f4", 3 * N),
    ("p.in.a", "i4", N),
    ("p.in.b", "i2", N),
    ("q.x", "f8", N),
    ("q.c", "i1", N),
    ("q.v", "f4", 3 * N),
    ("q.in.a", "i4", N),
    ("q.in.b", "i2", N),
    ("z.real", "f8", N),
    ("z.imaginary", "f8", N),
    ("copy", "i4", N),
    ("l", "f16", N),
    ("&return", "i8", 1),
]


@pytest.fixture(scope="module", params=["gcc", "g++", "clang", "clang++"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which(request.param):
        pytest.skip(f"no {request.param}")
    folder = tmp_path_factory.mktemp("elements")
    return build(folder, TEXT, request.param, *including(folder, TEXT))


def including(folder: Path, text: str) -> list[str]:
    """The words with which a harness is compiled that needs types of the source."""
    (folder / "source").write_text(text)
    return ['-DTP_INCLUDE_SOURCE="source"', "-Wno-unknown-pragmas"]


def outputs(program: Path, *words: str) -> list[dict[str, np.ndarray]]:
    """By name, of each call."""
    path = program.parent / "outputs"
    status, report = run(program, *words, f"outputs={path}")
    assert status == 0 and report[-1] == DONE, report
    shapes = [(line[1], line[2], int(line[3])) for line in report if line[0] == "array"]
    assert shapes == FIELDS
    record = np.dtype([(name, dtype, count) for name, dtype, count in FIELDS])
    return [{name: call[name] for name, _, _ in FIELDS} for call in np.fromfile(path, record)]


@pytest.mark.slow_but(2)
def test_each_number_is_filled_restored_and_written(program: Path) -> None:
    first, second = outputs(program, "mode=check", "seed=5", "calls=2")
    for name, values in first.items():
        assert np.array_equal(values, second[name]), name
    for name in ("x", "c", "v", "in.b"):
        assert np.array_equal(first[f"p.{name}"], first[f"q.{name}"])
    assert np.array_equal(first["p.in.a"], first["q.in.a"] + 100)
    assert np.abs(first["p.x"]).max() <= 1 and len(set(first["p.v"])) == 3 * N
    assert len(set(first["q.in.a"])) > N / 2 and first["q.in.a"].max() <= 255
    assert np.abs(first["z.real"]).max() <= 1 and 9 <= first["z.imaginary"].min() <= first["z.imaginary"].max() <= 11
    assert set(first["copy"]) == {1, 4, 9}
    assert 0 <= first["l"].min() < first["l"].max() <= 2


def test_a_pointer_is_told_as_what_it_points_into(program: Path) -> None:
    (call,) = outputs(program, "mode=check", "seed=5")
    size = np.dtype(
        {"names": ["x", "c", "v", "a", "b"], "formats": ["f8", "i1", "3f4", "i4", "i2"]}, align=True
    ).itemsize
    assert call["&return"] == (1 << 40) + 3 * size


def test_padding_is_not_among_what_is_written(program: Path) -> None:
    one = outputs(program, "mode=check", "cases=5:0:0:0:0:0:0")
    other = outputs(program, "mode=check", "cases=5:0:0:1:0:0:0")  # outputs hold something else before
    assert all(np.array_equal(one[0][name], other[0][name]) for name, _, _ in FIELDS)


@pytest.mark.parametrize(
    "prototype,value,kind",
    [
        ("int f(double *y)", "7", "i4"),
        ("unsigned char f(double *y)", "7", "u1"),
        ("static_result f(double *y)", "7", "f4"),
        ("_Bool f(double *y)", "1", "b1"),
        ("enum color f(double *y)", "BLUE", "u4"),
        ("__attribute__((noinline)) long double f(double *y)", "7", "f16"),
    ],
)
@pytest.mark.slow_but(3)
def test_what_is_returned_is_an_output(tmp_path: Path, prototype: str, value: str, kind: str) -> None:
    types = f"typedef float static_result;{TYPES}"
    text = (
        "#pragma tunepass param P: integer(0..1) = 0\n#pragma tunepass kernel f(y: out double[1])\n"
        f"{types}{prototype}\n{{ y[0] = P; return {value}; }}\n"
    )
    program = build(tmp_path, text, "gcc", *including(tmp_path, text))
    _, report = run(program, "mode=check", f"outputs={tmp_path / 'outputs'}")
    assert ["array", "return", kind, "1"] in report
    returned = np.frombuffer((tmp_path / "outputs").read_bytes(), "?" if kind == "b1" else kind, 1, 8)
    assert returned[0] == {"BLUE": 9}.get(value, int(value) if value.isdigit() else 0)


def test_a_returned_struct_that_nobody_knows_is_a_warning() -> None:
    text = (
        "#pragma tunepass param P: integer(0..1) = 0\n#pragma tunepass kernel f(y: out double[1])\n"
        "struct far f(double *y) { y[0] = P; return far_away(); }\n"
    )
    kernel = kernel_of(text)
    assert "tp_returned" not in harness_source(kernel)


ROWS = """
#pragma tunepass param P: integer(0..3) = 0
#pragma tunepass kernel rows(n = 6, m = 4, A: in float[n][m] fill(i), B: inout double[n][m] fill(100 * i), \\
    apart: out long[1])
void rows(int n, int m, const float *const *A, double *B[], long *apart)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            B[i][j] += A[i][j];
    apart[0] = B[1] - B[0];
    if (P == 1) {
        double *kept = B[0];
        B[0] = B[n - 1];
        B[n - 1] = kept;
    }
    if (P == 2) {
        static double others[4];
        B[1] = others;
    }
}
"""


def rows_of(program: Path, *words: str) -> tuple[np.ndarray, int]:
    """B (6, 4), and how far its second row is from the first."""
    path = program.parent / "outputs"
    status, report = run(program, *words, f"outputs={path}")
    assert status == 0 and report[-1] == DONE
    assert [line[1:] for line in report if line[0] == "array"] == [["B", "f8", "24"], ["apart", "i8", "1"]]
    return np.fromfile(path, "f8", 24).reshape(6, 4), int(np.fromfile(path, "i8")[24])


@pytest.mark.parametrize("compiler", ["gcc", "clang++"])
def test_rows_are_pieces_of_memory_of_their_own(tmp_path: Path, compiler: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    program = build(tmp_path, ROWS, compiler)
    computed, apart = rows_of(program, "mode=check", "seed=5")
    assert np.array_equal(computed, 101.0 * np.arange(24).reshape(6, 4)) and apart == -8
    plain, apart = rows_of(program, "mode=sanitize", "seed=5")
    assert np.array_equal(plain, computed) and apart == 4


@pytest.mark.parametrize(
    "macro,row", [("-DP=1", [2020.0, 2121.0, 2222.0, 2323.0]), ("-DP=2", [0.0, 101.0, 202.0, 303.0])]
)
def test_rows_are_read_where_the_kernel_left_their_pointers(tmp_path: Path, macro: str, row: list[float]) -> None:
    program = build(tmp_path, ROWS, "gcc", "-UP", macro)
    computed, _ = rows_of(program, "mode=check", "seed=5")
    assert computed[0].tolist() == row
    assert np.isnan(computed[1]).all() == (macro == "-DP=2")
