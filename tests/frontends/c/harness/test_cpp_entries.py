"""Kernels that only an entry after their source can call, compiled and run with their harness."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.examples import optimisation
from tunepass.diagnostics import Source
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.harness.source import harness_source
from tunepass.frontends.c.lowering import defines
from tunepass.ir.c_kernel import CKernel
from tunepass.space.configuration import Configuration

HEAD = """\
#include <cstddef>
#include <cstdint>
#ifndef WRONG
#define WRONG 0
#endif
"""
CALLED = {  # what the pragma says of the kernel, and the kernel; with WRONG it computes something else
    "namespace": (
        "blas::saxpy(n = 100, a = 2.5, x: in float[n], y: inout float[n])",
        "namespace blas { void saxpy(std::size_t n, float a, const float *x, float *y) {\n"
        " for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i] + WRONG; } }",
    ),
    "unnamed namespace": (
        "twice(n = 100, x: inout double[n])",
        "namespace { void twice(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 2 + WRONG; } }",
    ),
    "static": (
        "dot(n = 100, x: in double[n])",
        "static inline double dot(int n, const double *x) {\n"
        " double s = WRONG; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }",
    ),
    "static method": (
        "sim::Solver::step(n = 100, x: inout double[n])",
        "namespace sim { class Solver { public: static void step(int n, double *x); static const int k = 3; };\n"
        "void Solver::step(int n, double *x) { for (int i = 0; i < n; i++) x[i] += k + WRONG; } }",
    ),
    "template": (
        "blas::dot<float, 4>(n = 100, x: in float[n])",
        "namespace blas { template <class T, int N = 2> auto dot(int n, const T *x) -> T {\n"
        " T s = WRONG; for (int i = 0; i < n; i++) s += x[i] * N; return s; } }",
    ),
    "a typedef returned by a template": (
        "hashed<3>(n = 100, x: in word[n])",
        "typedef unsigned long long word; template <int K> word hashed(int n, const word *x) {\n"
        " word h = WRONG; for (int i = 0; i < n; i++) h = h * K + x[i]; return h; }",
    ),
    "class template": (
        "S<std::int32_t>::sum(n = 100, x: in std::int32_t[n], s: out std::int64_t[1])",
        "template <class T> struct S { template <class U> static void other(U) {}\n"
        " static void sum(int n, const T *x, std::int64_t *s) {\n"
        " *s = WRONG; for (int i = 0; i < n; i++) *s += x[i]; } };",
    ),
    "references": (
        "f(a = 0.5, A: in double[12], s: out double[1])",
        "void f(const double &a, const double (&A)[3][4], double &s) noexcept { s = a * A[1][2] + A[2][3] + WRONG; }",
    ),
    "vectors": (
        "own::scale(x: in double[1000], y: out double[1000])",
        "namespace own { using Vec = std::vector<double>;\n"
        " void scale(const Vec &x, std::vector<double> &y, double a = 3) {\n"
        " for (std::size_t i = 0; i < x.size(); i++) y[i] = a * x[i] + WRONG; } }",
    ),
    "resized vector": (
        "positive(x: in double[1000], y: out double[1000])",
        "void positive(const std::vector<double> &x, std::vector<double> &y) {\n"
        " y.clear(); for (double v : x) if (v > 0) y.push_back(v); if (WRONG) y.pop_back(); }",
    ),
    "moved vector": (
        "twice(x: inout int[1000])",
        "void twice(std::vector<int> &x) {\n"
        " std::vector<int> y(x); for (int &v : y) v = 2 * v + WRONG; x = std::move(y); }",
    ),
    "array and string": (
        "f(a: in float[8], s: in char[50] range(65, 90), y: out float[8])",
        "void f(std::array<float, 8> a, const std::string &s, std::array<float, 8> &y) {\n"
        " for (int i = 0; i < 8; i++) y[i] = a[i] * float(s[i] + s.size()) + WRONG; }",
    ),
    "standard type": (
        "count(n = 100, x: in double[n])",
        "std::uint16_t count(int n, const double *x) { return std::uint16_t((n + WRONG) * (x[0] < 2)); }",
    ),
    "overloaded template": (
        "own::twice<int>(x: inout int[100])",
        "namespace own { template <class T> std::vector<T> twice(std::vector<T> x) { return x; }\n"
        " template <class T> T *twice(std::vector<T> *x) { for (T &v : *x) v *= 2 + WRONG; return x->data(); } }",
    ),
    "overload": (
        "norm(n = 100, x: in float[n])",
        "double norm(int n, const double *x) { return x[n - 1]; }\n"
        "double norm(int n, const int *x) { return x[n - 1]; }\n"
        "double norm(int n, const float *x) {\n"
        " double s = WRONG; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }",
    ),
    "constexpr": (
        "sum(n = 100, x: in int[n])",
        "[[nodiscard]] constexpr int sum(int n, const int *x) noexcept {\n"
        " return n ? x[n - 1] + sum(n - 1, x) : WRONG; }",
    ),
    "complex": (
        "conjugate(x: inout std::complex<float>[100])",
        "void conjugate(std::vector<std::complex<float>> &x) {\n"
        " for (auto &v : x) v = std::conj(v) * float(1 + WRONG); }",
    ),
    "span": (
        "scale(x: in double[100], y: out double[100])",
        "void scale(std::span<const double> x, std::span<double, 100> y) {\n"
        " for (std::size_t i = 0; i < x.size(); i++) y[i] = 2 * x[i] + WRONG; }",
    ),
}


def outputs(folder: Path, text: str, *compiler: str) -> list[bytes]:
    """What the kernel writes with WRONG 0 and 1; the entry and the harness are held to -Wall -Wextra -Werror."""
    kernel = CFrontend().parse(Source("kernel.cpp", text)).kernels[0]
    call = kernel.body_as(CKernel).call
    assert call is not None and call.entry is not None
    (folder / "harness.cpp").write_text(harness_source(kernel))
    words = [*compiler, optimisation(), "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-function"]
    subprocess.run([*words, "-c", "harness.cpp"], cwd=folder, check=True)
    written = []
    for wrong in (0, 1):
        macros = defines(kernel, Configuration({"WRONG": wrong}))
        (folder / "kernel.cpp").write_text(text + call.entry.text)
        subprocess.run([*words, *macros, "kernel.cpp", "harness.o", "-o", "program"], cwd=folder, check=True)
        words_of_run = ["./program", "mode=check", "calls=2", "report=report", f"outputs=out{wrong}"]
        done = subprocess.run(words_of_run, cwd=folder)
        assert done.returncode == 0 and "done" in (folder / "report").read_text(), (folder / "report").read_text()
        written.append((folder / f"out{wrong}").read_bytes())
    return written


@pytest.mark.parametrize(
    "name,compiler",
    [
        *((name, "g++") for name in CALLED),
        *((name, "clang++") for name in ("class template", "resized vector", "span")),
    ],
)
@pytest.mark.one_in(3)
@pytest.mark.slow_but(4)
def test_kernels_as_cpp_writes_them(name: str, compiler: str, tmp_path: Path) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    pragma, kernel = CALLED[name]
    headers = "".join(
        f"#include <{word}>\n" for word in ("array", "complex", "span", "string", "vector") if word in kernel
    )
    text = (
        f"{HEAD}{headers}#pragma tunepass param WRONG: integer(0..1) = 0\n#pragma tunepass kernel {pragma}\n{kernel}\n"
    )
    right, wrong = outputs(tmp_path, text, compiler, "-std=c++20" if name == "span" else "-std=c++17")
    assert right[: len(right) // 2] == right[len(right) // 2 :] and right != wrong
