"""Kernels whose names are overloaded where they are declared: the entry calls the one that is tuned."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel

RIGHT = "{ for (int i = 0; i < n; i++) x[i] = 1; called = 1; }"
WRONG = "{ called += 2 + n + !x; }"
OBJECT = "C *make() { static char memory[sizeof(C)]; return reinterpret_cast<C *>(memory); }"
STATIC = {  # the kernel's name, and a source in which it is overloaded: no object is needed
    "a function declared with other parameters": (
        "f",
        f"void f(int n, float *x); static void f(int n, double *x) {RIGHT}",
    ),
    "a function that a using declaration overloads": (
        "a::f",
        f"namespace b {{ void f(int); }} namespace a {{ using b::f; void f(int n, double *x) {RIGHT} }}",
    ),
    "a name of the C library": ("abs", f"#include <cstdlib>\nstatic void abs(int n, double *x) {RIGHT}"),
    "a function defined outside of its namespace": (
        "a::f",
        f"namespace a {{ typedef double real; void f(int n, float *x); void f(int n, real *x); }}\n"
        f"void a::f(int n, real *x) {RIGHT}",
    ),
    "a template beside a function": (
        "f<double>",
        f"template <class T> void f(int n, T *x) {RIGHT}\nvoid f(int n, double *x) {WRONG}",
    ),
    "a function beside a template": (
        "f",
        f"template <class T> void f(int n, T *x) {WRONG}\nstatic void f(int n, double *x) {RIGHT}",
    ),
    "a static member beside others": (
        "C::f",
        f"class C {{ void f(int n, float *x); static void f(int n, double *x); }};\n"
        f"void C::f(int n, double *x) {RIGHT}",
    ),
    "a static member in its class": (
        "C::f",
        f"class C {{ void f(int) const; static void f(int n, double x[]) {RIGHT} void f(float *) const; }};",
    ),
    "a function that returns what is deduced": (
        "f",
        "void f(int n, float *x);\nstatic auto f(int n, double *x) "
        "{ for (int i = 0; i < n; i++) x[i] = 1; called = 1; return x[0]; }",
    ),
}
MEMBERS = {  # as above; `make` is the setup
    "a member declared with other parameters": (
        "C::f",
        f"class C {{ void f(int n); void f(int n, double *x); public: int k; }};\nvoid C::f(int n, double *x) {RIGHT}",
    ),
    "a member of a class that is neither copied nor made": (
        "C::f",
        f"class C {{ C(int); C(const C &) = delete; virtual void f(int) = 0; const int k; int &r;\n"
        f" protected: virtual void f(int n, double *x); virtual ~C(); }};\n"
        f"C::~C() {{}}\nvoid C::f(int n, double *x) {RIGHT}",
    ),
    "types of the class": (
        "C::f",
        f"struct B {{ typedef int length; }};\nclass C : B {{ using real = double; enum {{ SIZE = 4 }};\n"
        f"void f(int); void f(length n, real (&x)[SIZE]); }};\nvoid C::f(length n, real (&x)[SIZE]) {RIGHT}",
    ),
    "types of classes around the class": (
        "a::Outer::Inner::f",
        f"namespace a {{ struct Outer {{ typedef double real;\n"
        f"class Inner {{ void f(int); void f(int n, real *x); }}; }}; }}\n"
        f"void a::Outer::Inner::f(int n, real *x) {RIGHT}\ntypedef a::Outer::Inner C;",
    ),
    "a final class": (
        "C::f",
        f"class C final {{ void f(int); void f(int n, double *x); }};\nvoid C::f(int n, double *x) {RIGHT}",
    ),
    "types of a final class": (
        "C::f",
        f"struct B {{ typedef int length; }};\nclass C final : B {{ using real = double; static const int SIZE = 4;\n"
        f"struct P {{}}; void f(P); void f(length n, real (&x)[SIZE]); }};\n"
        f"void C::f(length n, real (&x)[SIZE]) {RIGHT}",
    ),
    "types of a union": (
        "a::Outer::C::f",
        f"namespace a {{ class Outer final {{ typedef double real; enum {{ SIZE = 4 }};\n"
        f"union C {{ template <class T> using array = T[SIZE]; void f(int); void f(int n, array<real> &x); }}; }}; }}\n"
        f"void a::Outer::C::f(int n, array<real> &x) {RIGHT}\ntypedef a::Outer::C C;",
    ),
    "a constant member beside another": (
        "C::f",
        f"class C {{ void f(int n, double *x); void f(int n, double *x) const noexcept; }};\n"
        f"void C::f(int n, double *x) const noexcept {RIGHT}",
    ),
    "a member beside a constant one": (
        "C::f",
        f"struct C {{ void f(int n, double *x) const {WRONG} void f(int n, double *x); }};\n"
        f"PRAGMA\nvoid C::f(int n, double *x) {RIGHT}",
    ),
    "a member for values that end": ("C::f", f"struct C {{ void f(int n, double *x) && {RIGHT} }};"),
    "a member for variables": (
        "C::f",
        f"struct C {{ void f(int n, double *x) && {WRONG} void f(int n, double *x) const &; }};\n"
        f"PRAGMA\nvoid C::f(int n, double *x) const & {RIGHT}",
    ),
    "a member beside an inherited one": (
        "C::f",
        f"struct B {{ void f(int n, float *x); }};\nstruct C : B {{ using B::f; void f(int n, double *x); }};\n"
        f"void C::f(int n, double *x) {RIGHT}",
    ),
    "a member beside a static one": (
        "C::f",
        f"class C {{ static void f(int n, float *x); void f(int n, double *x); }};\n"
        f"void C::f(int n, double *x) {RIGHT}",
    ),
    "a member of a class template": (
        "S<double>::f",
        f"template <class T> class S {{ typedef T *row; void f(T); void f(int n, row x); }};\n"
        f"template <class U> void S<U>::f(int n, row x) {RIGHT}\ntypedef S<double> C;",
    ),
    "a member of a class template, with its parameter": (
        "S<double, 2>::f",
        f"template <class T, int N> class S {{ void f(T); void f(int n, T *x); }};\n"
        f"template <class U, int M> void S<U, M>::f(int n, U *x) {RIGHT}\ntypedef S<double, 2> C;",
    ),
    "a member template": (
        "C::f<std::int64_t>",
        f"#include <cstdint>\n"
        f"class C {{ template <class T> void f(T); template <class T> void f(int n, double *x); }};\n"
        f"template <class T> void C::f(int n, double *x) {RIGHT}",
    ),
}


def status(folder: Path, pragma: str, text: str, compiler: str, set_up: str) -> int:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    head = '#pragma tunepass param OPT: categorical("-O1", "-O2") flag\nstatic int called = 0;\n'
    text = text if "PRAGMA" in text else f"PRAGMA\n{text}"
    source = Source("kernel.cpp", head + text.replace("PRAGMA", f"#pragma tunepass kernel {pragma}"))
    call = CFrontend().parse(source).kernels[0].body_as(CKernel).call
    assert call is not None and call.entry is not None
    main = (
        f"{call.entry.prototype};\nint main() {{ double x[4] = {{}}; {set_up} {call.entry.function}(3, x, 4); "
        "return called == 1 && x[2] == 1 && x[3] == 0 ? 0 : 1; }\n"
    )
    (folder / "kernel.cpp").write_text(source.text + call.entry.text + main)
    words = [compiler, "-Wall", "-Wextra", "-Werror", "-Weffc++", "-Wnon-virtual-dtor", "-Wno-unknown-pragmas"]
    words += [f"-Wno-{word}" for word in ("unused-function", "uninitialized", "unused-private-field")]
    words += [*call.entry.flags, "-std=c++14", "kernel.cpp", "-o", "program"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return subprocess.run([folder / "program"]).returncode


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("kind", STATIC)
@pytest.mark.each_value
def test_the_overload_that_is_tuned_is_called(kind: str, compiler: str, tmp_path: Path) -> None:
    name, text = STATIC[kind]
    assert status(tmp_path, f"{name}(n = 3, x: inout double[4])", text, compiler, "") == 0


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("kind", MEMBERS)
@pytest.mark.each_value
def test_the_overload_that_is_tuned_is_called_on_its_object(kind: str, compiler: str, tmp_path: Path) -> None:
    name, text = MEMBERS[kind]
    pragma = f"{name}(n = 3, x: inout double[4]) setup(make)"
    assert status(tmp_path, pragma, f"{text}\n{OBJECT}\n", compiler, "tunepass_set_up(1, 3);") == 0
