from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.c.syntax.definitions import FunctionDefinition, canonical_type, definitions
from tunepass.frontends.c.syntax.lexical import scan


def found(text: str) -> dict[str, FunctionDefinition]:
    return {d.name: d for d in definitions(scan(Source("t.c", text)))}


@pytest.mark.parametrize(
    "text,name,prototype",
    [
        ("void f(int n) { n++; }", "f", "void f(int n)"),
        (
            "static inline double\nf(const double *x,\n  int n)\n{ return x[n]; }",
            "f",
            "static inline double f(const double *x, int n)",
        ),
        ("struct s { int a; };\nint g(struct s *p) { return p->a; }", "g", "int g(struct s *p)"),
        ("int a[] = {1, 2};\nint *h(void) { return a; }", "h", "int *h(void)"),
        ('extern "C" {\nvoid f(int n) { }\n}', "f", 'extern "C" void f(int n)'),
        ('extern "C" void f(int n) { }', "f", 'extern "C" void f(int n)'),
        ('extern "C" {\nint g(void);\n}\nvoid f(int n) { }', "f", "void f(int n)"),
        ("namespace a { namespace b {\nvoid f(int n) { } } }", "f", "void f(int n)"),
        ("__attribute__((noinline)) void f(int n) { if (n) { } }", "f", "__attribute__((noinline)) void f(int n)"),
        ("#define X {\nvoid /* c */ f(int n /* d */)\n#ifdef Y\n#endif\n{ }", "f", "void f(int n )"),
        ("void f(int (*call)(int, int), int n) { }", "f", "void f(int (*call)(int, int), int n)"),
        ("int f(int n) noexcept { return n; }", "f", "int f(int n)"),
    ],
)
def test_definitions_are_found(text: str, name: str, prototype: str) -> None:
    definition = found(text)[name]
    assert definition.prototype == prototype
    assert text[definition.name_start :].startswith(name)
    assert text[definition.body_start] == "{" and text[definition.body_end - 1] == "}"


def test_what_is_no_definition() -> None:
    text = "void f(int n);\nint x = (3);\nLOOP(i) { }\nstruct s { int f; };\nvoid g(void) { h(); if (a) { k(1); } }\n"
    assert set(found(text)) == {"g"}


def test_formals() -> None:
    text = (
        "void f(int n, const double *restrict A, double C[n][n], unsigned long, float *const p, size_t m, real_t *r) {}"
    )
    formals = found(text)["f"].formals
    assert [f.name for f in formals] == ["n", "A", "C", "", "p", "m", "r"]
    assert [f.pointer for f in formals] == [False, True, True, False, True, False, True]
    assert [f.element for f in formals] == ["int", "double", "double", "unsigned long", "float", "size_t", "real_t"]
    assert [f.constant for f in formals] == [False, True, False, False, False, False, False]


def test_void_means_no_formals() -> None:
    assert found("int f(void) { return 0; }")["f"].formals == ()
    assert found("int f() { return 0; }")["f"].formals == ()


@pytest.mark.parametrize(
    "text,expected",
    [
        ("long int", "long"),
        ("unsigned", "unsigned int"),
        ("signed", "int"),
        ("unsigned char", "unsigned char"),
        ("const double", "double"),
        ("long double", "long double"),
        ("long long", "long long"),
        ("uint32_t", "uint32_t"),
    ],
)
def test_canonical_type(text: str, expected: str) -> None:
    assert canonical_type(text) == expected


def test_what_other_files_cannot_call() -> None:
    text = "static int a(void) { }\ninline int b(void) { }\nnamespace n { int c(void) { } }\nint d(void) { }\n"
    assert [d.private for d in found(text).values()] == ["`static`", "`inline`", "in a namespace", ""]
