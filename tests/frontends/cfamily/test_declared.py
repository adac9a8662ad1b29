from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.c.setup.elements import UnknownElement, leaves_of
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.types.declared import CType, Types, declared, declared_types, named_type
from tunepass.ir.c_kernel import Leaf

TEXT = """
typedef unsigned long ulong_t; typedef double real, *reals; typedef real row_t[4];
struct point { double x, y; int tag[3]; struct { float a; } in; };
typedef struct { double re, im; } cplx; enum color { RED = 1, GREEN };
typedef struct node { struct node *next; double (*f)(int); unsigned low : 3; } node_t;
union either { int i; float f; };
struct pair { cplx z[2]; float _Complex w; union either e; struct { char c; }; };
struct own { struct own it; };
"""


@pytest.fixture(scope="module")
def types() -> Types:
    return declared_types(read(Source("t.c", TEXT), (), "c"))


@pytest.mark.parametrize(
    "text,expected",
    [
        ("double x", CType("double")),
        ("unsigned long int n", CType("unsigned long")),
        ("const char *const *names", CType("char", 2)),
        ("double **restrict A", CType("double", 2)),
        ("char *argv[]", CType("char", 1, ("",))),
        ("double (*A)[n]", CType("double", 0, ("*", "n"))),
        ("const double A[N][M + 1]", CType("double", 0, ("N", "M + 1"))),
        ("double A[static n]", CType("double", 0, ("n",))),
        ("struct point *p", CType("struct point", 1)),
        ("float complex *z", CType("float _Complex", 1)),
        ("_Complex double z", CType("double _Complex")),
        ("int (*order)(const void *, const void *)", CType("int", 1, (), True)),
    ],
)
def test_a_declaration_has_a_name_and_a_type(text: str, expected: CType) -> None:
    unit = read(Source("t.c", f"void f(int n, {text});\n"), (), "c")
    (function,) = unit.globals[0].declarators
    assert function.parameters is not None
    (declarator,) = function.parameters[1].declarators
    assert declared(function.parameters[1], declarator).type == expected


def test_one_statement_declares_several_names() -> None:
    text = "static volatile int a = f(1, 2), *b[3] = {0, 0}, c;"
    (one,) = read(Source("t.c", text), (), "c").globals
    found = [declared(one, declarator) for declarator in one.declarators]
    assert [(d.name, d.type.depth, d.type.dims, d.initialised) for d in found] == [
        ("a", 0, (), True),
        ("b", 1, ("3",), True),
        ("c", 0, (), False),
    ]


def test_typedefs_are_resolved(types: Types) -> None:
    assert types.resolved(CType("ulong_t")) == CType("unsigned long")
    assert types.resolved(CType("reals", 1)) == CType("double", 2)
    assert types.resolved(CType("row_t")) == CType("double", 0, ("4",))
    assert types.resolved(CType("row_t", 1)) == CType("double", 0, ("*", "4"))
    assert types.resolved(CType("node_t")) == CType("struct node")
    assert types.resolved(CType("point")) == CType("struct point")
    assert types.resolved(CType("unknown_t")) == CType("unknown_t")


def test_numbers_of_a_struct(types: Types) -> None:
    assert leaves_of(CType("double"), types) == (Leaf("", "double"),)
    assert leaves_of(CType("struct point"), types) == (
        Leaf(".x", "double"),
        Leaf(".y", "double"),
        Leaf(".tag", "int"),
        Leaf(".in.a", "float"),
    )
    assert leaves_of(CType("struct pair"), types) == (
        Leaf(".z[0].re", "double"),
        Leaf(".z[0].im", "double"),
        Leaf(".z[1].re", "double"),
        Leaf(".z[1].im", "double"),
        Leaf(".w", "float", "real"),
        Leaf(".w", "float", "imaginary"),
        Leaf(".e", "unsigned char", "bytes"),
        Leaf(".c", "char"),
    )


@pytest.mark.parametrize(
    "name,problem",
    [
        ("struct unknown", "`struct unknown` is not defined in what the compiler reads"),
        ("struct node", "`low` is a bit-field"),
        ("struct own", "`struct own` holds itself"),
    ],
)
def test_what_cannot_be_compared_one_by_one(types: Types, name: str, problem: str) -> None:
    with pytest.raises(UnknownElement, match=problem):
        leaves_of(CType(name), types)


def test_enumerators(types: Types) -> None:
    assert types.enums["enum color"] == ("RED", "GREEN")


def test_headers_beside_the_source_are_read(tmp_path: Path) -> None:
    (tmp_path / "inner.h").write_text("typedef float real;\n")
    (tmp_path / "outer.h").write_text('#include "inner.h"\nstruct point { real x; };\n')
    text = '#include "outer.h"\n// #include "other.h"\nvoid f(struct point *p) {}\n'
    types = declared_types(read(Source(str(tmp_path / "main.c"), text), (), "c"))
    assert leaves_of(CType("struct point"), types) == (Leaf(".x", "float"),)


@pytest.mark.parametrize(
    "text,name",
    [
        ("static const unsigned", "unsigned int"),
        ("const struct point", "struct point"),
        ("long double complex", "long double _Complex"),
        ("_Bool", "bool"),
        ("std::vector<double>", "std::vector<double>"),
        ("", ""),
    ],
)
def test_type_names(text: str, name: str) -> None:
    assert named_type(text) == name


def test_functions_of_a_class_are_no_members_whatever_they_return() -> None:
    members = (
        "int n; double *row(int k), **table; double *(*make)(int); box *next() const; operator double *();"
        " double *operator[](int); double &at(int); double &(*at_)(int); int (cell)(int); const box &whole() const;"
        " virtual box *copy() = 0; double (*rows)[4], (*both())[4];"
    )
    types = declared_types(read(Source("t.cpp", f"struct box {{ {members} }};"), (), "c++"))
    assert [member.name for member in types.records["struct box"].members] == ["n", "table", "make", "at_", "rows"]


@pytest.mark.parametrize("dialect", ["c", "c++"])
def test_a_struct_with_a_name_inside_another_is_no_member(dialect: str) -> None:
    inner = "struct part { int a; }; struct { int b; }; union { int c; }; enum { A }; enum e { B }; struct part one;"
    types = declared_types(read(Source("t.c", f"struct box {{ {inner} }};"), (), dialect))
    assert [(m.name, m.type.base.split()[-1].partition("@")[0]) for m in types.records["struct box"].members] == [
        ("", "struct"), ("", "union"), ("one", "part")
    ]  # fmt: skip
