"""What has no name: bit-fields that fill a struct, and parameters of definitions."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.functions.definitions import definitions
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.types.declared import declared_types
from tunepass.frontends.cfamily.unit import Unit


def unit_of(text: str, dialect: str) -> Unit:
    name = "k.cpp" if dialect == "c++" else "k.c"
    return read(Source(name, text), (), dialect)  # type: ignore[arg-type]


MEMBERS = {
    "int a : 3; int : 5; int b; unsigned : 0; double c;": ["a", "b", "c"],
    "int : 5, x : 3; int b;": ["x", "b"],
    "const int : 5; struct { int : 2; int z; } in; int b;": ["in", "b"],
    "enum e : 4; int b;": ["b"],
    "int : 5;": [],
}


@pytest.mark.parametrize("dialect", ["c", "c++"])
@pytest.mark.parametrize("members", MEMBERS)
def test_members_beside_bit_fields_without_a_name(members: str, dialect: str) -> None:
    unit = unit_of(f"enum e {{ A }};\nstruct s {{ {members} }};\nint f(void) {{ return 0; }}\n", dialect)
    assert [member.name for member in declared_types(unit).records["struct s"].members] == MEMBERS[members]


FORMALS = {
    "template <class T> T f(T x);\ntemplate <> float f<float>(float x) { return x; }": [("x", "float")],
    "template <class T> T f(T x);\ntemplate <> float f<float>(const float x) { return x; }": [("x", "float")],
    "template <class T, int N> T f(T x);\ntemplate <> float f<float, 3>(float x) { return x; }": [("x", "float")],
    "int g(double y) { return (int)(y) + (int)y + (unsigned const)(y); }": [("y", "double")],
    "void f(int n, int, int = 3, double * = nullptr) { }": [("n", "int"), ("", "int"), ("", "int"), ("", "double")],
}


@pytest.mark.parametrize("text", FORMALS)
def test_formals_of_definitions(text: str) -> None:
    formals = definitions(unit_of(text, "c++"))[-1].formals
    assert [(formal.name, formal.type.base) for formal in formals] == FORMALS[text]


def test_a_member_without_a_length_is_refused() -> None:
    text = (
        "#pragma tunepass param P: integer(0..1) = 0\n#pragma tunepass kernel f(s: inout struct s[1])\n"
        "struct s { int n; double v[]; };\nint p = P;\nvoid f(struct s *s) { s->n = 3; }\n"
    )
    with pytest.raises(SourceError, match="cannot be compared one by one") as error:
        CFrontend().parse(Source("k.c", text))
    assert "`v` has no length" in (error.value.diagnostics[0].hint or "")


ATTRIBUTES = [
    "[[maybe_unused]] static int g(void) { return 1; }\nvoid f(int n) { }",
    "[[gnu::noinline]] void f([[maybe_unused]] int n) { [[maybe_unused]] int m [[gnu::aligned(8)]] = 1; }",
    "struct [[gnu::packed]] s { int a; };\nvoid f(int n) { }",
    "int k [[maybe_unused]] = 3;\nvoid f [[gnu::hot]] (int n) { }",
]


@pytest.mark.parametrize("dialect", ["c", "c++"])
@pytest.mark.parametrize("text", ATTRIBUTES)
def test_attributes_in_double_brackets(text: str, dialect: str) -> None:
    unit = unit_of(text + "\n", dialect)
    assert not unit.faults and [f.name for f in definitions(unit)][-1] == "f"
