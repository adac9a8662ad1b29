"""Sets of branches that parameters choose: their conditions, what is refused, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunepass.diagnostics import Diagnostic, Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.cfamily.branches.sets import BranchSet, branch_sets, refusals
from tunepass.frontends.cfamily.reading import read
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.integer import Integer
from tunepass.space.parameters.ordinal import Ordinal
from tunepass.space.parameters.permutation import Permutation

T = Ordinal("T", [1, 2, 4], default=2)
U = Ordinal("U", [1, 2], default=1)
FAST = Categorical("KIND", ["FAST", "SLOW"])
ON = Categorical("ON", [False, True])
ORDER = Permutation("ORDER", ["i", "j"])
SYMBOLS = {"T": 2, "U": 1, "KIND": 1, "ON": 0, "ORDER_i": 0, "ORDER_j": 1}


def sets(text: str, *parameters: Parameter) -> list[BranchSet]:
    return branch_sets(read(Source("f.c", text), (), "c", SYMBOLS), parameters)


def conditions(text: str, *parameters: Parameter) -> list[str]:
    return [to_text(chosen.condition) for chosen in sets(text, *parameters)]


def refusal(text: str, *parameters: Parameter) -> Diagnostic:
    with pytest.raises(SourceError) as caught:
        sets(text, *parameters)
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(
    "text,found",
    [
        ("#if T > 2\nint a;\n#endif\n", ["T > 2", "not T > 2"]),
        ("#if T == U\nint a;\n#endif\n", ["T == U", "not T == U"]),
        ("#if T == 1\nint a;\n#elif T == 2\nint b;\n#endif\n",
         ["T == 1", "not T == 1 and T == 2", "not T == 1 and not T == 2"]),
        ("#define WIDE (T > LEAST)\n#define LEAST 2\n#if WIDE\nint a;\n#endif\n", ["T > 2", "not T > 2"]),
        ("#if defined(T) && T > 2\nint a;\n#endif\n", ["T > 2", "not T > 2"]),
        ("#if T > 2\nint a;\n#endif\n#if T > 2\nint b;\n#endif\n", ["T > 2", "not T > 2"]),
        ("#ifdef T\nint a;\n#else\nint b;\n#endif\n", ["True"]),  # a candidate has a -D for every parameter
        ("#ifndef T\n#define T 1\n#endif\nint a;\n", ["True"]),
        ("#if T < 8\nint a;\n#endif\n", ["T < 8"]),
        ("#if OTHER\nint a;\n#endif\n", ["True"]),
        ("#define IS_WIDE(x) ((x) > 2)\n#if IS_WIDE(T)\nint a;\n#endif\n", ["T > 2", "not T > 2"]),
        ("#define TWICE (T * 2)\n#if TWICE > 4\nint a;\n#endif\n", ["T * 2 > 4", "not T * 2 > 4"]),
        ("#if T > 2\n#define WIDE\n#endif\n#ifdef WIDE\nint a;\n#endif\n", ["T > 2", "not T > 2"]),
        ("#if T > 2\n#define W 16\n#else\n#define W 4\n#endif\n#if W > 8\nint a;\n#endif\n", ["T > 2", "not T > 2"]),
        ("#define W 4\n#if T > 2\n#undef W\n#define W 16\n#endif\n#if W == 4\nint a;\n#endif\n",
         ["T > 2", "not T > 2"]),
        ("#ifndef W\n#if T > 2\n#define W 2\n#else\n#define W 1\n#endif\n#endif\n#if 1 < W\nint a;\n#endif\n",
         ["T > 2", "not T > 2"]),
        ("#define W 1\n#undef W\n#define W T\n#if W > 2\nint a;\n#endif\n", ["T > 2", "not T > 2"]),
        ("#ifdef NEVER\n#if T > 2\nint a;\n#endif\n#endif\n", ["True"]),
        ("#if 1\nint b;\n#else\n#if T > 2\nint a;\n#endif\n#endif\n", ["True"]),
        ("#if 0\n#if T < 4\nint a;\n#endif\n#endif\n", ["True"]),
    ],
)  # fmt: skip
def test_each_set_has_its_condition(text: str, found: list[str]) -> None:
    assert conditions(text, T, U) == found


def test_an_if_inside_another_counts_where_it_is_reached() -> None:
    text = "#if T > 2\n#if U == 1\nint a;\n#else\nint b;\n#endif\n#else\nint c;\n#endif\n"
    assert conditions(text, T, U) == ["T > 2 and U == 1", "T > 2 and not U == 1", "not T > 2"] or conditions(
        text, T, U
    ) == ["not T > 2", "T > 2 and U == 1", "T > 2 and not U == 1"]


WORDS = "#define FAST 1\n#define SLOW 2\n"


@pytest.mark.parametrize(
    "text,found",
    [
        (f"{WORDS}#if KIND == FAST\nint a;\n#endif\n", ['KIND == "FAST"', 'not KIND == "FAST"']),
        (f"{WORDS}#if KIND > 1\nint a;\n#endif\n", 2),
        ("#if KIND == FAST\nint a;\n#endif\n", 1),  # names without a macro are all 0
        ("#if ON\nint a;\n#endif\n", ["ON", "not ON"]),
        ("#if ON == 1\nint a;\n#endif\n", 2),
        ("#if ORDER_i < ORDER_j\nint a;\n#endif\n",
         ['pos(ORDER, "i") < pos(ORDER, "j")', 'not pos(ORDER, "i") < pos(ORDER, "j")']),
    ],
)  # fmt: skip
def test_choices_are_the_numbers_that_the_preprocessor_reads(text: str, found: list[str] | int) -> None:
    seen = conditions(text, FAST, ON, ORDER)
    assert (len(seen) if isinstance(found, int) else seen) == found


def test_the_sets_of_the_defaults_are_marked_and_have_their_lines() -> None:
    wide, narrow = sets("#if T > 2\nint a;\n#else\nint b;\n#endif\n", T)
    assert (wide.plain, dict(wide.configuration)) == (False, {"T": 4}) and narrow.plain
    assert [[line.text for line in s.lines] for s in (wide, narrow)] == [["#if T > 2"], ["#else"]]


def test_more_sets_than_the_limit_name_the_if_that_makes_them() -> None:
    names = "ABCDE"
    text = "".join(f"#if {n} == 1\nint {n.lower()};\n#endif\n" for n in names)
    parameters = [Ordinal(n, [0, 1], default=0) for n in names]
    with pytest.raises(SourceError) as caught:
        branch_sets(read(Source("f.c", text), (), "c", dict.fromkeys(names, 0)), parameters)
    (found,) = caught.value.diagnostics
    assert "make 32 sets over the parameters, more than 16" in found.message
    assert found.span is not None and (found.span.line, found.span.text) == (13, "#if E == 1")


def test_sets_that_few_of_many_values_choose_are_all_there() -> None:
    many = [Integer(n, 1, 100_000, default=1) for n in "AB"]
    text = "#if A == 77777 && B > 99998\nint a;\n#endif\n"
    plain, rare = sorted(
        branch_sets(read(Source("f.c", text), (), "c", {"A": 1, "B": 1}), many), key=lambda s: not s.plain
    )
    assert plain.plain and dict(rare.configuration) == {"A": 77777, "B": 99999}
    assert rare.is_chosen({"A": 77777, "B": 100_000}) and not rare.is_chosen({"A": 77777, "B": 1})


def test_values_of_a_set_differ_from_the_defaults_in_few_parameters() -> None:
    _, other = sorted(sets("#if T + U > 4\nint a;\n#endif\n", T, U), key=lambda s: not s.plain)
    assert dict(other.configuration) == {"T": 4, "U": 1}


def test_too_many_values_to_tell_apart_are_refused_at_the_if() -> None:
    many = [Integer(n, 1, 100_000, default=1) for n in "AB"]
    with pytest.raises(SourceError) as caught:
        branch_sets(read(Source("f.c", "#if A > B\n#endif\n"), (), "c", {"A": 1, "B": 1}), many)
    (found,) = caught.value.diagnostics
    assert found.message == "`A`, `B`, which `#if`s read, have more than 1048576 combinations of values"
    assert found.span is not None and found.span.text == "#if A > B"


def test_values_for_which_a_condition_has_none_are_in_no_set() -> None:
    zero = Ordinal("T", [0, 1, 4], default=1)
    found = sets("#if 8 / T > 2\nint a;\n#endif\n", zero)
    assert [s.is_chosen({"T": 0}) for s in found] == [False, False]


@pytest.mark.parametrize("condition", ['__has_include("x.h") && T', "JOIN(T, 1)"])
def test_a_condition_that_cannot_be_followed_is_refused_at_its_line(condition: str) -> None:
    text = f"#define JOIN(a, b) a##b\n#if {condition}\nint a;\n#endif\n"
    found = refusal(text, T)
    assert found.message.startswith(f"what `{condition}` is") and found.span is not None and found.span.line == 2


def test_an_if_in_a_header_chooses_branches(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "inner.h").write_text("#if T > 2\n#define WIDE\n#endif\n")
    (tmp_path / "outer.h").write_text('#ifndef OUTER_H\n#define OUTER_H\n#include "deep/inner.h"\n#endif\n')
    text = '#include "outer.h"\n#ifdef WIDE\nint a;\n#endif\n'
    unit = read(Source(str(tmp_path / "f.c"), text), (), "c", SYMBOLS)
    found = branch_sets(unit, [T])
    assert [to_text(chosen.condition) for chosen in found] == ["T > 2", "not T > 2"]
    assert found[0].lines[0].source.name.endswith("inner.h")


def test_values_that_an_error_refuses_choose_no_branch() -> None:
    text = "#if T == 1\nint a;\n#elif T == 2\nint b;\n#else\n#error no such T\n#endif\n"
    assert conditions(text, T) == ["T == 1", "not T == 1 and T == 2"]
    (constraint,) = refusals(read(Source("f.c", text), (), "c", SYMBOLS), [T], {})
    assert constraint.text == "not (not T == 1 and not T == 2)"
    assert constraint.span is not None and constraint.span.text == "#error no such T"


def test_an_error_over_other_parameters_has_their_fixed_values() -> None:
    text = "#if T * U > 4\n#error too many\n#endif\n"
    unit = read(Source("f.c", text), (), "c", SYMBOLS)
    assert [c.text for c in refusals(unit, [T, U], {"U": 2})] == ["not 2 * T > 4"]
