"""Constraints of numexpr: translated into tunepass's language, never evaluated, and refused at their place."""

from __future__ import annotations

import pytest

from tests.interchange.hypermapper.scenarios import scenario
from tunepass.diagnostics import SourceError
from tunepass.expr.printer import to_text
from tunepass.space.space import Space

PARAMETERS = {
    "a": {"parameter_type": "ordinal", "values": [1, 2, 4, 8]},
    "b-c": {"parameter_type": "integer", "values": [0, 3]},
    "if": {"parameter_type": "integer", "values": [1, 3]},
    "mode": {"parameter_type": "categorical", "values": ["x", "y"]},
    "p": {"parameter_type": "permutation", "values": [3]},
}


def parameters(text: str) -> dict[str, object]:
    return {**PARAMETERS, "z": {"parameter_type": "integer", "values": [0, 9], "constraints": [text]}}


@pytest.mark.parametrize(
    "text,expected",
    [
        ("z % a == 0", "z % a == 0"),
        ("(z < 3) & (a > 2)", "z < 3 and a > 2"),
        ("(z < 3) | (a > 2) | (a == 1)", "z < 3 or a > 2 or a == 1"),
        ("~(z < 3)", "not z < 3"),
        ("not z < 3 and a > 1 or a == 1", "not z < 3 and a > 1 or a == 1"),
        ("p_0 < p_i2", "p[0] < pos(p, 2)"),
        ("where(z > 1, a, -z) <= 4", "if(z > 1, a, -z) <= 4"),
        ("maximum(a, minimum(z, 3)) < 8", "max(a, min(z, 3)) < 8"),
        ("sqrt(abs(z)) + ceil(z / 2) < 5", "sqrt(abs(z)) + ceil(z / 2) < 5"),
        ("  2 ** z // 3 > -1", "2 ** z // 3 > -1"),
    ],
)
def test_translation(text: str, expected: str) -> None:
    (constraint,) = scenario(parameters(text)).constraints
    assert to_text(constraint.expression) == expected


@pytest.mark.parametrize(
    "text,message,marked",
    [
        ("not z", "not", None),
        ("1 < z < 3", "chained comparisons", "1 < z < 3"),
        ("a + min(z, 1) > 1", "`min` is not a function here", "min(z, 1)"),
        ("z in [1, 2]", "`in` and `is`", "z in [1, 2]"),
        ("(1 if z else 2) > 1", "conditional expressions are not", "1 if z else 2"),
        ("z == 'x'", "a text cannot stand in a constraint", "'x'"),
        ("mode == 1", "the categorical mode cannot stand in a constraint", "mode"),
        ("z < p", "the permutation p is no number", "p"),
        ("p_3 > 1", "items and positions 0 to 2", "p_3"),
        ("z > y", "no parameter `y`", "y"),
        ("z > 1 +", "not a constraint", None),
        ("z + 1", "true or false", None),
        ("(z & a) > 1", "and", None),
        ("é > 1", "ASCII", None),
    ],
)
def test_what_is_refused(text: str, message: str, marked: str | None) -> None:
    with pytest.raises(SourceError) as caught:
        scenario(parameters(text))
    diagnostic = caught.value.diagnostics[0]
    assert message in diagnostic.message and diagnostic.span is not None
    if marked is not None:
        assert diagnostic.span.text == marked


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os').system('touch /tmp/never') == 0",
        "(lambda: 1)() > 0",
        "[z for z in (1, 2)] == 1",
        "z.__class__ == 1",
        "open('never') == 1",
        "(z := 1) > 0",
        "9 ** 9 ** 9 ** 9 > z",
        "(" * 3000 + "z" + ")" * 3000 + " > 1",
        "+".join(["z"] * 5000) + " > 1",
        "z > 1" + " " * 20_000,
    ],
)
def test_code_is_never_run(code: str) -> None:
    with pytest.raises(SourceError):
        scenario(parameters(code))


def test_a_long_chain_is_one_condition() -> None:
    text = " & ".join(f"(z != {k})" for k in range(20, 1000))
    (constraint,) = scenario(parameters(text)).constraints
    assert len(constraint.expression.children) == 980


def test_constraints_hold_in_the_space() -> None:
    read = scenario(parameters("(z % a == 0) & (p_i0 < p_i2)"))
    space = Space([p.parameter for p in read.parameters], read.constraints)
    expected = sum(z % a == 0 for z in range(10) for a in (1, 2, 4, 8)) * 4 * 3 * 2 * 3
    assert space.size == expected
