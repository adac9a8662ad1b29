"""Which functions of C++ have C's linkage: what the harness calls them by."""

from __future__ import annotations

from pathlib import Path

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.functions.definitions import definitions
from tunepass.frontends.cfamily.reading import read


def prototypes(text: str, folder: Path = Path()) -> list[str]:
    unit = read(Source(str(folder / "k.cpp"), text), (), "c++")
    assert not unit.faults
    return [definition.prototype for definition in definitions(unit)]


def test_a_header_may_give_c_linkage(tmp_path: Path) -> None:
    guarded = '#ifdef __cplusplus\nextern "C" {\n#endif\nvoid f(int n);\n#ifdef __cplusplus\n}\n#endif\n'
    (tmp_path / "k.h").write_text(guarded)
    assert prototypes('#include "k.h"\nvoid f(int n) { }\n', tmp_path) == ['extern "C" void f(int n)']


def test_overloads_of_a_c_function_have_linkage_of_cpp() -> None:
    text = 'extern "C" int f(int n);\nint f(int n) { return n; }\nint f(int n, int m) { return n + m; }\n'
    assert prototypes(text) == ['extern "C" int f(int n)', "int f(int n, int m)"]


def test_cpp_linkage_may_be_stated_inside() -> None:
    assert prototypes('extern "C" { void f(); extern "C++" { void g() { } } void h() { } }') == [
        "void g()",
        'extern "C" void h()',
    ]


def test_members_and_templates_never_have_c_linkage() -> None:
    text = 'extern "C" int f(int n);\nstruct S { static int f(int n) { return n; } };\n'
    text += "template <class T> T f(T n) { return n; }\n"
    assert prototypes(text) == ["static int f(int n)", "T f(T n)"]


def test_an_alias_of_an_array_keeps_its_length() -> None:
    unit = read(Source("k.cpp", "using Key = unsigned[4];\ntypedef unsigned Row[8];\n"), (), "c++")
    assert unit.aliases["Key"].declarators[0].lengths == ("4",)
    assert unit.aliases["Row"].declarators[0].lengths == ("8",)
