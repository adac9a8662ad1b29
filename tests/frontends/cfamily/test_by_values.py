"""Conditions that are decided value by value: the preprocessor itself says for which values each holds."""

from __future__ import annotations

import itertools
import re
import subprocess

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.frontends.cfamily.branches.by_values import condition_for, truths
from tunepass.frontends.cfamily.branches.sets import branch_sets
from tunepass.frontends.cfamily.reading import read
from tunepass.space.parameters.categorical import Categorical
from tunepass.space.parameters.integer import Integer
from tunepass.space.parameters.ordinal import Ordinal

U, W, ON = Ordinal("U", [1, 2, 4, 8]), Integer("W", -3, 3, default=1), Categorical("ON", [False, True])
CONDITIONS = [
    "(U ^ 4) == 0", "U & 4 && !(U ^ 4)", "U >> 2 & 1 || U == 1", "~U & 2", "(U | 1) != 0b101", "U & (W + 3)",
    "W / 2 == -1", "W % 2", "(W - 1) / 2 < 0", "W - 2u > 0", "-1 > 0u && W > 0", "W * W > 4", "U << 2 > 8 || W < 0",
    "ON ^ (U > 2)", "(W ? U : 3) & 1", "'a' == 97 && (U & 'b')", "IS(4) | IS(8)", "!(U & 6) == ON",
]  # fmt: skip
IS = "#define IS(x) (U == (x))\n"


def preprocessed(text: str, values: dict[str, int]) -> set[int]:
    """Which of the numbers that stand alone on a line the preprocessor leaves."""
    words = [f"-D{name}={value}" for name, value in values.items()]
    done = subprocess.run(["gcc", "-E", "-P", *words, "-"], input=text, capture_output=True, text=True, check=False)
    return {int(number) for number in re.findall(r"^(\d+)$", done.stdout, re.MULTILINE)}


def test_conditions_hold_for_the_values_for_which_they_hold_to_the_preprocessor() -> None:
    symbols = {"U": 1, "W": 1, "ON": 0}
    text = IS + "".join(f"#if {condition}\n{n}\n#endif\n" for n, condition in enumerate(CONDITIONS))
    single = [Source("f.c", f"{IS}#if {condition}\nint a;\n#endif\n") for condition in CONDITIONS]
    read_sets = [branch_sets(read(source, (), "c", symbols), (U, W, ON)) for source in single]
    for u, w, on in itertools.product([1, 2, 4, 8], range(-3, 4), [False, True]):
        holds = preprocessed(text, {"U": u, "W": w, "ON": int(on)})
        for n, sets in enumerate(read_sets):
            (chosen,) = [s for s in sets if s.is_chosen({"U": u, "W": w, "ON": on})]
            assert any(line.text.startswith("#if") for line in chosen.lines) == (n in holds), (CONDITIONS[n], u, w, on)


@pytest.mark.parametrize(
    "condition,text",
    [
        ("U & 6", "U >= 2 and U <= 4"),
        ("U & 13", "not U == 2"),
        ("W & 1 && W > 0 && U ^ 1", "U >= 2 and (W == 1 or W == 3)"),
        ("ON & 1", "ON"),
    ],
)
def test_values_of_one_parameter_are_told_by_comparisons(condition: str, text: str) -> None:
    source = Source("f.c", f"#if {condition}\nint a;\n#endif\n")
    sets = branch_sets(read(source, (), "c", {"U": 1, "W": 1, "ON": 0}), (U, W, ON))
    assert to_text(next(s.condition for s in sets if s.lines[0].text.startswith("#if"))) == text


def test_a_condition_of_too_many_values_is_refused_at_its_own_line() -> None:
    many = Integer("U", 1, 5000)
    text = "#if U == 3\nint a;\n#elif U == 4\nint b;\n#elif U & 1\nint c;\n#endif\n"
    with pytest.raises(SourceError, match="what `U & 1` is") as caught:
        branch_sets(read(Source("f.c", text), (), "c", {"U": 1}), (many,))
    assert caught.value.diagnostics[0].span is not None and caught.value.diagnostics[0].span.text == "#elif U & 1"
    odd = Integer("U", 1, 500)
    assert condition_for(truths([odd], lambda values: bool(int(values["U"]) & 1)), [odd]) is None  # type: ignore[arg-type]


def test_true_and_false_are_words_of_cpp_alone() -> None:
    for name, dialect, count in (("f.cpp", "c++", 2), ("f.c", "c", 1)):
        source = Source(name, "#if U > 2 && true\nint a;\n#endif\n")
        assert len(branch_sets(read(source, (), dialect, {"U": 1}), (U,))) == count  # type: ignore[arg-type]
