"""Code that cannot be read is refused at its place."""

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.cfamily.reading import read

CASES = [
    ("void f() { x = 1 }\n", 1, "expected `;`"),
    ("void f() {\n  x = 1\n}\n", 2, "expected `;`"),
    ("void f() {\n  x = ;\n}\n", 2, "cannot be read"),
    ("void f() {\n  x = (1;\n}\n", 2, "`)`"),
    ("void f() {\n  for (int i = 0; i < 4; i++ x[i] = 0;\n}\n", 2, "`(` is not closed"),
    ("void f() {\n  if (x) {\n    x = 0;\n}\n", 1, "`{` is not closed"),
    ("void f() {\n  x = 0;\n}\n}\n", 4, "`}` closes no bracket"),
    ("#define ADD(x) x\nvoid f() {\n  y = ADD(3;\n}\n", 3, "arguments of macro `ADD` are not closed"),
]


@pytest.mark.parametrize("text,line,message", CASES, ids=[message for *_, message in CASES])
def test_a_fault_is_told_at_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        unit = read(Source("t.c", text), (), "c")
        for function in unit.functions:
            assert function.body
        raise unit.unreadable(unit.faults[0])
    (problem,) = caught.value.diagnostics
    assert message in problem.message
    assert problem.span is not None and problem.span.line == line


def test_a_name_that_the_grammar_misses_is_a_fault() -> None:
    text = "struct S { enum class : int { A }; };\nenum struct : int { B };\nint f() { return 1; }\n"
    unit = read(Source("t.cpp", text), (), "c++")
    assert len(unit.faults) == 2 and all("expected `type_identifier`" in fault.message for fault in unit.faults)
    assert [f.name.text for f in unit.functions] == ["f"]


def test_an_unnamed_enumeration_may_have_a_type() -> None:
    text = "struct S { enum : unsigned char { FEW = 2, MANY }; int f() { return MANY; } };\nenum : long { LAST };\n"
    unit = read(Source("t.cpp", text), (), "c++")
    assert not unit.faults and {"FEW", "MANY", "LAST"} <= set(unit.enumerators)
    assert [f.name.text for f in unit.functions] == ["f"]
