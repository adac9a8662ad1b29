"""C++ host programs: lambdas, objects made from products, neighbouring strings, headers that are not here."""

from __future__ import annotations

from pathlib import Path
from shutil import which

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.tree import Binary, Declaration, Declarator, Items, Lambda, Opaque, Text


def declared(text: str) -> dict[str, Declarator]:
    """The declarators in the body of `main`, by name."""
    unit = read(Source("host.cpp", f"int main() {{ {text} }}"), (), "c++")
    (main,) = unit.functions
    statements = [s for s in main.body.statements if isinstance(s, Declaration)]
    return {d.name.text: d for s in statements for d in s.declarators}


def test_a_lambda_has_parameters_and_a_body() -> None:
    value = declared("auto f = [&](const List<int> &v, int n) -> bool { return v[0] > n; };")["f"].value
    assert isinstance(value, Lambda)
    assert [p.declarators[0].name.text for p in value.parameters] == ["v", "n"]
    assert len(value.body.statements) == 1


def test_a_lambda_without_parameters() -> None:
    value = declared("auto f = [] { return 1; };")["f"].value
    assert isinstance(value, Lambda) and value.parameters == ()


def test_lambdas_nested_deeply_are_opaque_inside() -> None:
    value = declared(f"auto f = {'[] { return ' * 40}1{'; }' * 40};")["f"].value
    depth = 0
    while isinstance(value, Lambda):
        (statement,) = value.body.statements
        depth, value = depth + 1, statement.value  # type: ignore[union-attr]
    assert isinstance(value, Opaque) and 5 < depth < 40


@pytest.mark.parametrize("argument, op", [("n * m", "*"), ("n & m", "&")])
def test_an_object_made_from_an_expression_of_variables(argument: str, op: str) -> None:
    made = declared(f"int n = 2, m = 3; Field<float> x({argument});")["x"]
    assert made.parameters is None and isinstance(made.value, Items)
    (value,) = made.value.parts
    assert isinstance(value, Binary) and value.op == op


def test_a_prototype_stays_one() -> None:
    assert declared("struct S; int f(S *n);")["f"].parameters is not None


def test_neighbouring_strings_are_one() -> None:
    value = declared('const char *x = "a" "b" "c";')["x"].value
    assert isinstance(value, Text) and value.token.text == '"abc"'


def test_headers_that_are_not_here_are_named(tmp_path: Path) -> None:
    text = '#include <Absent.h>\n#include "../near/absent.h"\n#include "here.h"\nint n = SIZE;'
    (tmp_path / "here.h").write_text("#define SIZE 3\n")
    source = Source(str(tmp_path / "host.cpp"), text)
    with pytest.raises(SourceError, match=r"Absent\.h"):
        read(source, (), "c++")
    unit = read(source, (), "c++", lenient=True)
    assert unit.text.missing == ("Absent.h", "../near/absent.h")
    assert [d.declarators[0].name.text for d in unit.globals] == ["n"]


@pytest.mark.parametrize(
    "compiler", ["gcc", pytest.param("clang", marks=pytest.mark.skipif(not which("clang"), reason="no clang"))]
)
def test_a_header_in_the_working_directory_hides_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "absent.h").write_text("int wrong;")
    (tmp_path / "beside.h").write_text("int wrong;")
    (tmp_path / "sub" / "beside.h").write_text("int right;")
    monkeypatch.chdir(tmp_path)
    text = '#include "absent.h"\n#include "beside.h"\nint n;'
    unit = read(Source("sub/host.cpp", text), (compiler,), "c++", lenient=True)
    assert unit.text.missing == ("absent.h",)
    assert [d.declarators[0].name.text for d in unit.globals] == ["right", "n"]
