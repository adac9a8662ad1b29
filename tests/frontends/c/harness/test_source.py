"""The generated harness, compiled and run as C and as C++: its data, its modes, its faults."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.examples import optimisation
from tunepass.diagnostics import Source
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.harness.source import harness_source
from tunepass.ir.kernel import Kernel

N = 40
DONE = ["done", 16 * "0"]  # no one asked for a word in it
GATHER = """
#pragma tunepass param P: integer(0..1) = 0
#pragma tunepass kernel gather(n = 40, scale = 2.5, \\
    a: in float[n] fill(i * scale % 7 + n // 3), b: in int[n] range(-3, 3), c: in unsigned char[n], \\
    d: in double[n], e: in long[n] fill(if(i % 2 == 0, -i, i ** 2)), f: in float[n] range(10, 20), \\
    sum: inout double[n], out: out double[6 * n]) tolerance(1e-9)
void gather(int n, double scale, const float *a, const int *b, const unsigned char *c, const double *d, const long *e,
            const float *f, double *sum, double *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = a[i], out[n + i] = b[i], out[2 * n + i] = c[i], out[3 * n + i] = d[i], out[4 * n + i] = e[i];
        out[5 * n + i] = f[i];
        sum[i] += scale + P;
    }
}
"""


def kernel_of(text: str, name: str = "gather.c") -> Kernel:
    return CFrontend().parse(Source(name, text)).kernels[0]


def build(folder: Path, text: str, compiler: str, *flags: str) -> Path:
    """The linked program; the harness is held to -Wall -Wextra -Werror."""
    suffix = ".cpp" if "++" in compiler else ".c"
    (folder / f"kernel{suffix}").write_text(text)
    (folder / f"harness{suffix}").write_text(harness_source(kernel_of(text, f"kernel{suffix}")))
    for name, strict in (("kernel", ["-w"]), ("harness", ["-Wall", "-Wextra", "-Werror"])):
        words = [compiler, optimisation(), *strict, "-DP=0", *flags, "-c", f"{name}{suffix}", "-o", f"{name}.o"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    subprocess.run([compiler, *flags, "kernel.o", "harness.o", "-lm", "-o", "program"], cwd=folder, check=True)
    return folder / "program"


def run(program: Path, *words: str) -> tuple[int, list[list[str]]]:
    """Status and report lines."""
    report = program.parent / "report"
    report.unlink(missing_ok=True)
    done = subprocess.run([program, *words, f"report={report}"], capture_output=True)
    return done.returncode, [line.split() for line in report.read_text().splitlines()]


@pytest.fixture(scope="module", params=["gcc", "g++", "clang", "clang++"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which(request.param):
        pytest.skip(f"no {request.param}")
    return build(tmp_path_factory.mktemp("harness"), GATHER, request.param)


def outputs(program: Path, *words: str) -> np.ndarray:
    """sum (n,) and out (6 n,) of each call, (calls, 7 n)."""
    path = program.parent / "outputs"
    status, report = run(program, *words, f"outputs={path}")
    assert status == 0 and report[-1] == DONE
    assert [line for line in report if line[0] == "array"] == [
        ["array", "sum", "f8", str(N)],
        ["array", "out", "f8", str(6 * N)],
    ]
    return np.fromfile(path).reshape(-1, 7 * N)


@pytest.mark.slow_but(2)
def test_the_data_is_what_the_pragma_says(program: Path) -> None:
    [_, a, b, c, d, e, f] = outputs(program, "mode=check", "seed=5")[0].reshape(7, N)
    i = np.arange(N)
    assert np.array_equal(a, (i * 2.5 % 7 + N // 3).astype("f4"))
    assert np.array_equal(e, np.where(i % 2 == 0, -i, i**2))
    assert set(np.unique(b)) == set(range(-3, 4))
    assert c.min() >= 0 and c.max() <= 127 and len(set(c)) > N / 2 and np.array_equal(c, np.floor(c))
    assert -1 <= d.min() < -0.5 and 0.5 < d.max() <= 1
    assert 10 <= f.min() < 13 and 17 < f.max() <= 20


def test_data_follows_the_seed_and_only_the_seed(program: Path) -> None:
    first, again, other = (outputs(program, "mode=check", f"seed={seed}") for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_inout_arrays_are_restored_between_calls(program: Path) -> None:
    calls = outputs(program, "mode=check", "seed=5", "calls=3")
    assert calls.shape[0] == 3 and np.array_equal(calls[0], calls[1]) and np.array_equal(calls[0], calls[2])


def test_timing_makes_the_calls_and_reports_a_sample_of_each(program: Path) -> None:
    status, report = run(program, "mode=time", "calls=6")
    samples = [line for line in report if line[0] == "sample"]
    assert status == 0 and len(samples) == 6
    assert all(float(s[1]) > 0 and int(s[2]) >= 0 and float(s[3]) > 0 for s in samples)


def test_a_plain_run_computes_the_same(program: Path) -> None:
    checked = outputs(program, "mode=check", "seed=5")
    assert np.array_equal(outputs(program, "mode=sanitize", "seed=5"), checked)


FAULTS = {
    "out[6 * n] = 1;": ["fault", "out_of_bounds", "out", str(8 * 6 * N), str(6 * N), "8"],
    "sum[-1] = 1;": ["fault", "out_of_bounds", "sum", "-8", str(N), "8"],
    "((double *)d)[0] = 1;": ["fault", "read_only", "d"],
    "sum[n + 100000] = 1;": ["fault", "out_of_bounds", "sum", str(8 * (N + 100000)), str(N), "8"],
}


@pytest.mark.parametrize("statement", FAULTS)
@pytest.mark.slow_but(2)
def test_faults_are_told_apart(tmp_path: Path, statement: str) -> None:
    program = build(tmp_path, GATHER.replace("{\n    for", "{\n    " + statement + "\n    for", 1), "gcc", "-w")
    status, report = run(program, "mode=check")
    assert status == 86 and report[-1] == FAULTS[statement]


@pytest.mark.parametrize("length", [1, 512, 513, 100_000])
@pytest.mark.slow_but(2)
def test_arrays_of_any_length_end_at_their_guard(tmp_path: Path, length: int) -> None:
    """One element past the end is always noticed: by the guard, or by the canary before it."""
    text = f"""
#pragma tunepass param P: integer(0..1) = 0
#pragma tunepass kernel f(n = {length}, x: out char[n])
void f(int n, char *x) {{ for (int i = 0; i < n + P; i++) x[i] = 1; }}
"""
    program = build(tmp_path, text, "gcc")
    assert run(program, "mode=check")[0] == 0
    subprocess.run(["gcc", "-w", "-DP=1", "kernel.c", "harness.o", "-lm", "-o", "program"], cwd=tmp_path, check=True)
    status, report = run(program, "mode=check")
    assert status == 86 and report[-1] == ["fault", "out_of_bounds", "x", str(length), str(length), "1"]


def test_a_type_of_the_source_is_found_by_including_it(tmp_path: Path) -> None:
    text = """
typedef struct { int unused; } other;
typedef float real;
#pragma tunepass param P: integer(0..1) = 0
#pragma tunepass kernel f(n = 4, x: out real[n])
void f(int n, real *x) { for (int i = 0; i < n; i++) x[i] = 7 + P; }
int main(void) { return 1; }
"""
    (tmp_path / "kernel.c").write_text(text)
    (tmp_path / "harness.c").write_text(harness_source(kernel_of(text)))
    included = f'-DTP_INCLUDE_SOURCE="{tmp_path / "kernel.c"}"'
    base = ["gcc", "-O2", "-DP=0", "-Wno-unknown-pragmas"]
    subprocess.run([*base, included, "-c", "harness.c"], cwd=tmp_path, check=True)
    subprocess.run([*base, "-Dmain=renamed", "-c", "kernel.c"], cwd=tmp_path, check=True)
    subprocess.run(
        ["gcc", "kernel.o", "harness.o", "-lm", "-Wl,--allow-multiple-definition", "-o", "program"],
        cwd=tmp_path,
        check=True,
    )
    _, report = run(tmp_path / "program", "mode=check")
    assert report == [["case", "0"], ["array", "x", "f4", "4"], DONE]


@pytest.mark.parametrize("name", ["matmul.c", "spmv.c", "stencil.c"])
@pytest.mark.slow_but(3)
def test_the_samples_have_a_harness_that_compiles(name: str, tmp_path: Path) -> None:
    text = (Path(__file__).parents[4] / "samples" / "c" / name).read_text()
    assert build(tmp_path, text, "gcc", "-fopenmp", "-Wno-unused-parameter").exists()
