from __future__ import annotations

from shlex import split

import pytest

from tunepass.launcher.compiler_call import STDIN, analyse


@pytest.mark.parametrize(
    "words,sources,links",
    [
        ("-O2 -c matmul.c -o matmul.o", ["matmul.c"], False),
        ("a.c b.cpp c.o -o prog -lm", ["a.c", "b.cpp"], True),
        ("-include config.c -I src.c -D X.c -MF deps.c -c a.c", ["a.c"], False),
        ("-o out.c -E in.c", ["in.c"], False),
        ("--version", [], True),
        ("", [], True),
        ("-MMD -MP -MT t.o -fsyntax-only k.cc", ["k.cc"], False),
        ("-x c - -o a", [], True),
        ("main.o util.a -o a", [], True),
        ("-o", [], True),
    ],
)
def test_sources_are_found_among_the_options(words: str, sources: list[str], links: bool) -> None:
    call = analyse(split(words))
    assert [source.name for source in call.sources if source.name != STDIN] == sources
    assert call.links == links


def test_only_one_source_remains() -> None:
    call = analyse(split("-c a.c b.c -O2"))
    assert call.only(call.sources[1].place) == ["-c", "b.c", "-O2"]


def test_compiling_leaves_linking_and_the_other_inputs_out() -> None:
    call = analyse(split("-O2 -Iinc -D N=3 -MMD -MF d a.c b.c c.o libx.a -L lib -lm -Wl,-s -o prog -shared -g"))
    words = call.compiling(call.sources[0].place, "/tmp/t.o")
    assert words == split("-O2 -Iinc -D N=3 a.c -g -c -o /tmp/t.o")


@pytest.mark.parametrize(
    "words,inputs",
    [
        ("-c -x c a.inc -xc++ b -x none c.c d.o", [("a.inc", "c"), ("b", "c++"), ("c.c", "c"), ("d.o", "")]),
        ("--language=c a --language assembler b", [("a", "c"), ("b", "assembler")]),
        ("a.s b.S c.i d.h e.cc - f.so", ["assembler", "assembler-with-cpp", "cpp-output", "c-header", "c++", "c", ""]),
        ("-c -- a.c -b.c @c.c -", [("a.c", "c"), ("./-b.c", "c"), ("./@c.c", "c"), ("-", "c")]),
        ("-o -- -c a.c", [("a.c", "c")]),
    ],
)
def test_inputs_have_languages(words: str, inputs: list[object]) -> None:
    found = [(given.name, given.language) for given in analyse(split(words)).inputs]
    assert inputs in (found, [language for _, language in found])


def test_an_x_reaches_the_source_that_is_compiled_alone() -> None:
    call = analyse(split("-O2 -x c a.inc b.inc -x none c.c d.o -o prog"))
    a, b, c = (source.place for source in call.sources)
    assert call.compiling(b, "t.o") == split("-O2 -x c b.inc -c -o t.o")
    assert call.compiling(c, "t.o") == split("-O2 c.c -c -o t.o")
    assert call.only(a) == split("-O2 -x c a.inc -x none d.o -o prog")
    assert call.replaced({a: "a.o"}) == split("-O2 -x c -x none a.o -x c b.inc -x none c.c d.o -o prog")


def test_what_the_command_line_includes_and_where_it_looks() -> None:
    call = analyse(split("-include a.h -includeb.h --include=c.h -include-pch d -imacros e.h -Iinc -I f -iquoteq x.c"))
    assert call.included == ("a.h", "b.h", "c.h", "e.h") and call.folders == ("inc", "f", "q")
