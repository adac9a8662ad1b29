"""Pragmas stand among the statements where the source has them, those of headers too."""

from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.preprocessing.alignment import INCLUDED_LIMIT
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.tree import Block, For, If, Jump, PragmaWords, Statement
from tunepass.frontends.cfamily.unit import Unit


def unit_of(text: str, name: str = "t.cpp") -> Unit:
    return read(Source(name, text), (), "hls")


def kinds(statements: tuple[Statement, ...]) -> list[str]:
    return [s.kind if isinstance(s, Jump) else type(s).__name__ for s in statements]


def body(text: str) -> tuple[Statement, ...]:
    (function,) = unit_of(f"void f(int n) {{\n{text}\n}}").functions
    return function.body.statements


def test_a_pragma_between_a_label_and_its_loop_stays_between_them() -> None:
    text = "rows:\n#pragma HLS pipeline\nfor (int i = 0; i < n; i++) n--;"
    assert kinds(body(text)) == ["label", "PragmaWords", "For"]


def test_a_pragma_between_a_header_and_a_body_begins_the_body() -> None:
    (loop,) = body("for (int i = 0; i < n; i++)\n#pragma HLS unroll\n{ n--; n++; }")
    assert isinstance(loop, For) and isinstance(loop.body, Block)
    assert kinds(loop.body.statements)[0] == "PragmaWords"


def test_pragmas_of_branches_stay_in_their_branches() -> None:
    (branch,) = body("if (n)\n#pragma A one\nn--;\nelse\n#pragma A two\nn++;")
    assert isinstance(branch, If)
    for side, word in ((branch.then, "one"), (branch.other, "two")):
        assert isinstance(side, Block)
        (pragma, _) = side.statements
        assert isinstance(pragma, PragmaWords) and pragma.words[1].text == word


def test_macros_in_pragmas_are_expanded_and_keep_their_place() -> None:
    source = "#define W 8\nvoid f() {\n#pragma HLS unroll factor=W\n}\n"
    (function,) = unit_of(source).functions
    (pragma,) = function.body.statements
    assert isinstance(pragma, PragmaWords)
    word = pragma.words[-1]
    assert (word.text, word.start) == ("8", source.index("W\n}"))


def test_pragmas_of_an_included_file_stand_in_its_functions(tmp_path: Path) -> None:
    (tmp_path / "inner.h").write_text("void g(int n) {\n#pragma HLS inline\n  n++;\n#pragma HLS latency min=2\n}\n")
    unit = unit_of('#include "inner.h"\nvoid f() { g(1); }\n', str(tmp_path / "t.cpp"))
    inner = next(f for f in unit.functions if f.name.text == "g")
    assert kinds(inner.body.statements) == ["PragmaWords", "Evaluated", "PragmaWords"]
    assert inner.in_header


def test_an_included_file_that_is_too_long_is_left_out_whole(tmp_path: Path) -> None:
    (tmp_path / "types.h").write_text("typedef int word;\n")
    long = "\n".join(f"int value_{n}(void);" for n in range(INCLUDED_LIMIT // 16))
    text = f'extern "C" {{\nint first(void);\n#include "types.h"\n{long}\n}}\n'
    (tmp_path / "long.h").write_text(text)
    unit = unit_of('#include "long.h"\nvoid f(word n) { n++; }\n', str(tmp_path / "t.cpp"))
    assert [f.name.text for f in unit.functions] == ["f"]
    assert {Path(name).name for name in unit.text.skipped} == {"long.h"}
    assert "word" in unit.aliases


def test_headers_that_are_not_here_are_named(tmp_path: Path) -> None:
    unit = unit_of("#include <ap_int.h>\n#include <vendor/device.h>\nvoid f(ap_int<4> n) { n++; }\n")
    assert unit.text.missing == ("ap_int.h", "vendor/device.h")
    assert [f.name.text for f in unit.functions] == ["f"]


@pytest.mark.parametrize(
    "text,types",
    [
        ("#ifdef WIDE\nvoid f(long x) {}\n#else\nvoid f(int x) {}\n#endif", [("int",)]),
        ("void f(long x) {}\nvoid f(int x) {}", [("long",), ("int",)]),
        ("namespace a { void f(char x) {} }\nvoid f(int x) {}", [("char",), ("int",)]),
    ],
)
def test_functions_of_one_name_are_told_apart_by_their_places(text: str, types: list[tuple[str, ...]]) -> None:
    functions = unit_of(text).functions
    assert [f.formals[0].words for f in functions] == types
    assert [f.name.text for f in functions] == ["f"] * len(types)
    starts = [f.name.start for f in functions]
    assert starts == sorted(starts) and all(text[start] == "f" for start in starts)
