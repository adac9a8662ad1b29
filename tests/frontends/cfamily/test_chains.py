"""Every `#if` with its other directives, and where its branches are."""

from __future__ import annotations

from tunepass.frontends.cfamily.preprocessing.chains import branch_around, chains
from tunepass.frontends.cfamily.text.raw import read_raw

TEXT = """#if A
#ifdef B
int b;
#elifndef C
int c;
#endif
#else
int d;
#endif
#ifndef E
int e;
"""


def test_conditions_are_those_of_the_branches_but_else() -> None:
    assert [chain.conditions for chain in chains(read_raw(TEXT).directives)] == [
        ("A",),
        ("defined(B)", "!defined(C)"),
        ("!defined(E)",),
    ]


def test_an_if_inside_another_stands_in_a_branch_of_it() -> None:
    listed = chains(read_raw(TEXT).directives)
    assert [chain.around for chain in listed] == [None, (0, 0), None]
    assert [chain.closed for chain in listed] == [True, True, False]


def test_the_innermost_branch_around_a_place() -> None:
    listed = chains(read_raw(TEXT).directives)
    places = {name: branch_around(listed, TEXT.index(f"int {name}")) for name in "bcde"}
    assert places == {"b": (1, 0), "c": (1, 1), "d": (0, 1), "e": (2, 0)}
    assert branch_around(listed, TEXT.index("#ifndef E") - 1) is None


def test_branches_end_at_the_next_directive() -> None:
    ends = [[end for _, end in chain.branches()] for chain in chains(read_raw(TEXT).directives)]
    assert ends == [[TEXT.index("#else"), TEXT.rindex("#endif")], [TEXT.index("#elifndef"), TEXT.index("#endif")], [-1]]
