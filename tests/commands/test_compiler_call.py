from __future__ import annotations

from pathlib import Path
from shlex import split

import pytest

from tunepass.commands.compiler_call import analyse


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
    assert [str(source) for source in call.sources] == sources
    assert call.links == links


def test_only_one_source_remains() -> None:
    call = analyse(split("-c a.c b.c -O2"))
    assert call.only(call.at[1]) == ["-c", "b.c", "-O2"]


def test_compiling_leaves_linking_and_the_other_inputs_out() -> None:
    call = analyse(split("-O2 -Iinc -D N=3 -MMD -MF d a.c b.c c.o libx.a -L lib -lm -Wl,-s -o prog -shared -g"))
    words = call.compiling(call.at[0], Path("/tmp/t.o"))
    assert words == split("-O2 -Iinc -D N=3 a.c -g -c -o /tmp/t.o")
