"""Arguments and variables of types that the compiler tells, or that the harness makes, compiled and run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.c.call.globals import exposing_text
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.harness.source import harness_source
from tunepass.ir.c_kernel import CKernel

HEAD = "#pragma tunepass param WRONG: integer(0..1) = 0\n#ifndef WRONG\n#define WRONG 0\n#endif\n"
HEADER = """
#include <time.h>
typedef double row[4];
typedef double (*unary)(double);
typedef double lanes __attribute__((vector_size(16)));
typedef struct { struct timespec at; struct { short x, y; } in[2]; union { int i; float f; } u; } event;
enum mode { ADD = 3, MUL };
"""
OF_C = {  # what the pragma says of the kernel, and the kernel; with WRONG it computes something else
    "three stars": (
        "f(n = 3, m = 4, k = 5, A: in double[n][m][k] fill(i), B: inout double[n][m][k])",
        "void f(int n, int m, int k, double ***A, double ***B) {\n"
        " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int l = 0; l < k; l++)\n"
        " B[i][j][l] = A[i][j][l] + WRONG; }",
    ),
    "pointers to arrays": (
        "f(n = 3, m = 4, A: inout double[n][m][4])",
        "void f(int n, int m, row **A) { for (int i = 0; i < n; i++) A[i][m - 1][3] += 1 + WRONG; }",
    ),
    "vectors": (
        "f(n = 9, p: in lanes[1], x: in lanes[n], y: out lanes[n])",
        "lanes *f(int n, lanes p, const lanes *x, lanes *y) { int i = 0;\n"
        " for (; i < n; i++) y[i] = x[i] + p + (double)WRONG;\n return y + i; }",
    ),
    "returned vector": (
        "f(x: in lanes[2])",
        "typedef double own __attribute__((vector_size(16)));\nown f(const lanes *x) { return x[1] + (double)WRONG; }",
    ),
    "returned pointer to arrays": (
        "f(n = 3, x: in double[n][4], y: out struct table[1])",
        "struct table { row (*rows)[2]; row *end; int n; };\n"
        "row *f(int n, row *x, struct table *y) { y->rows = 0, y->end = x + n, y->n = n; return x + WRONG; }",
    ),
    "struct by value": (
        "f(p: in struct pair[1], n = 9, y: out float[n])",
        "struct pair { float a, b; };\n"
        "void f(struct pair p, int n, float *y) { for (int i = 0; i < n; i++) y[i] = p.a * i + p.b + WRONG; }",
    ),
    "struct by value, static": (
        "f(p: in struct timespec[1], n = 9, y: out long[n])",
        "static void f(struct timespec p, int n, long *y) { for (int i = 0; i < n; i++) y[i] = p.tv_sec + WRONG; }",
    ),
    "complex by value": (
        "f(z: in double complex[1], n = 9, y: out double[n])",
        "#include <complex.h>\n"
        "void f(double complex z, int n, double *y) { for (int i = 0; i < n; i++) y[i] = cimag(z) + WRONG; }",
    ),
    "struct of a system header": (
        "f(n = 9, t: in struct timespec[n], e: out event[n])",
        "void f(int n, const struct timespec *t, event *e) { for (int i = 0; i < n; i++) {\n"
        " e[i].at = t[i]; e[i].in[0].x = e[i].in[1].y = i; e[i].in[0].y = e[i].in[1].x = WRONG; e[i].u.i = 1; } }",
    ),
    "variable of such a type": (
        "f(n = 9, x: in double[n])",
        "event last; row sums[2];\n"
        "void f(int n, const double *x) {\n"
        " for (int i = 0; i < n; i++) sums[1][i % 4] += x[i]; last.at.tv_sec = WRONG; }",
    ),
    "element that is an array": (
        "f(n = 9, x: in row[n], y: out double[n])",
        "void f(int n, const row *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i][3] + WRONG; }",
    ),
    "functions": (
        "f(g = twice, h = fabs, n = 9, y: inout double[n])",
        "#include <math.h>\nstatic double twice(double x) { return 2 * x; }\n"
        "void f(unary g, double (*h)(double), int n, double *y) {\n"
        " for (int i = 0; i < n; i++) y[i] = g(h(y[i])) + WRONG; }",
    ),
    "null and enumerator": (
        "f(m = MUL, context = NULL, n = 9, y: inout double[n])",
        "void f(enum mode m, void *context, int n, double *y) { for (int i = 0; i < n && !context; i++)\n"
        " y[i] = (m == MUL) + y[i] + WRONG; }",
    ),
    "work": (
        "f(w: work event[2], n = 9, y: inout double[n])",
        "void f(event *w, int n, double *y) { clock_gettime(CLOCK_MONOTONIC, &w[1].at);\n"
        " for (int i = 0; i < n; i++) y[i] = w[0].at.tv_sec + WRONG; w[0].at.tv_sec = 7; }",
    ),
}
OF_CPP = {
    "scopes": (
        "own::f(n = 9, p: in P[n], q: inout in::Q[n], k: in Kind[n])",
        "namespace own { struct P { double x; float y[2]; }; enum class Kind { A = 4, B };\n"
        "namespace in { struct Q { P p; }; }\n"
        "void f(int n, const P *p, in::Q *q, const Kind *k) { for (int i = 0; i < n; i++)\n"
        " q[i].p.x += p[i].y[1] + (k[i] != Kind::A && k[i] != Kind::B ? i : WRONG); } }",
    ),
    "class": (
        "G::f(n = 9, y: inout G::C[n])",
        "struct Base { int b; };\n"
        "struct G { class C : public Base { double v[2]; friend struct G; public: C() : v{} {} };\n"
        " static void f(int n, C *y) { for (int i = 0; i < n; i++) y[i].v[1] += 1 + WRONG; } };",
    ),
    "template's element": (
        "f<float, 4>(n = 9, y: inout Vec<float, 4>[n])",
        "template <class T, int N> struct Vec { T v[N]; };\n"
        "template <class T, int N> void f(int n, Vec<T, N> *y) {\n"
        " for (int i = 0; i < n; i++) y[i].v[N - 1] += 1 + WRONG; }",
    ),
    "static member": (
        "S::f(n = 9, x: in double[n]) globals(S::total)",
        "struct S { static double total; static void f(int n, const double *x) { for (int i = 0; i < n; i++)\n"
        " total += x[i] + WRONG; } };\ndouble S::total;",
    ),
    "returned struct": (
        "f(n = 9, x: in double[n])",
        "struct R { double s; int n; };\n"
        "static R f(int n, const double *x) { R r = {0, WRONG}; while (n--) r.s += x[n]; return r; }",
    ),
    "returned parameter of a class's template": (
        "S<long>::f<float>(n = 9, x: in float[n])",
        "template <class T> struct S { template <class A> static T f(int n, const A *x) {\n"
        " return x[n - 1] > 2 ? 7 : WRONG; } };",
    ),
    "returned typedef": (
        "f(n = 9, x: in double[n])",
        "using Sum = unsigned long;\nstatic Sum f(int n, const double *x) { return x[n - 1] > 2 ? 7 : WRONG; }",
    ),
    "function": (
        "f(n = 9, y: inout double[n], g = own::twice)",
        "namespace own { static double twice(double x) { return 2 * x; } }\n"
        "void f(int n, double *y, double (*g)(double)) { for (int i = 0; i < n; i++) y[i] = g(y[i]) + WRONG; }",
    ),
}


def outputs(folder: Path, pragma: str, code: str, compiler: str, suffix: str) -> list[bytes]:
    """What the kernel writes in two calls with WRONG 0 and 1. Its types are those of a header that `-I` names."""
    (folder / "inc").mkdir()
    (folder / "inc" / "types.h").write_text(HEADER)
    path = folder / f"kernel{suffix}"
    text = f"#include <types.h>\n{HEAD}#pragma tunepass kernel {pragma}\n{code}\n"
    words = [compiler, f"-I{folder / 'inc'}"]
    parsed = CFrontend().parse(Source(str(path), text), words=words)
    assert not parsed.warnings
    call = parsed.kernels[0].body_as(CKernel).call
    assert call is not None
    path.write_text(text + exposing_text(call.function, call.globals) + (call.entry.text if call.entry else ""))
    (folder / "plain").write_text(text)
    (folder / f"harness{suffix}").write_text(harness_source(parsed.kernels[0]))
    strict = ["-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused", "-Wno-misleading-indentation"]
    subprocess.run([*words, *strict, '-DTP_INCLUDE_SOURCE="plain"', "-c", f"harness{suffix}"], cwd=folder, check=True)
    written = []
    for wrong in (0, 1):
        linked = ["harness.o", "-Wl,--allow-multiple-definition", "-lm", "-o", "program"]
        subprocess.run([*words, "-w", f"-DWRONG={wrong}", path.name, *linked], cwd=folder, check=True)
        run = subprocess.run(
            ["./program", "mode=check", "calls=2", "report=report", f"outputs=out{wrong}"], cwd=folder, check=False
        )
        assert run.returncode == 0 and "done" in (folder / "report").read_text(), (folder / "report").read_text()
        written.append((folder / f"out{wrong}").read_bytes())
    return written


@pytest.mark.parametrize("name,compiler", [*((name, "gcc") for name in OF_C), ("struct of a system header", "clang")])
@pytest.mark.one_in(3)
def test_kernels_of_c(name: str, compiler: str, tmp_path: Path) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    right, wrong = outputs(tmp_path, *OF_C[name], compiler, ".c")
    assert right[: len(right) // 2] == right[len(right) // 2 :] and right != wrong


@pytest.mark.parametrize("name,compiler", [*((name, "g++") for name in OF_CPP), ("scopes", "clang++")])
@pytest.mark.one_in(3)
def test_kernels_of_cpp(name: str, compiler: str, tmp_path: Path) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    right, wrong = outputs(tmp_path, *OF_CPP[name], compiler, ".cpp")
    assert right[: len(right) // 2] == right[len(right) // 2 :] and right != wrong
