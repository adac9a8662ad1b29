"""Values of C's expressions over parameters."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source
from tunepass.expr.nodes import BOOL, INTEGER, CategoryType
from tunepass.expr.printer import to_text
from tunepass.frontends.cfamily.constants.named_numbers import constants
from tunepass.frontends.cfamily.constants.values import Values
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import Expression
from tunepass.frontends.cfamily.text.tokens import tokens

SYMBOLS = {"T": INTEGER, "U": INTEGER, "A": BOOL, "S": CategoryType(("CACHE", "SHARED"))}


def expression(text: str) -> Expression:
    return parse_expression(list(tokens(text)))


def half(name: str, count: int) -> tuple[list[str], Expression] | None:
    return (["n"], expression("n / 2")) if (name, count) == ("half", 1) else None


@pytest.mark.parametrize(
    "text,value",
    [
        ("0x10 + 017 + 1'000u", "1031"),
        ("-7 / 2", "-3"),
        ("-7 % 2", "-1"),
        ("1 << 4 | 3", "19"),
        ("~0", "-1"),
        ("'a'", "97"),
        ("(T + 1) * 2", "(T + 1) * 2"),
        ("T / U", "T // U"),
        ("T / 2.0f", "T / 2.0"),
        ("T % 4", "T % 4"),
        ("T << 2", "T << 2"),
        ("(int)T", "T"),
        ("int(2.5)", "2"),
        ("static_cast<unsigned>(T)", "T"),
        ("std::min(T, U)", "min(T, U)"),
        ("half(T + 2)", "(T + 2) // 2"),
        ("T > 2 ? T : U", "if(T > 2, T, U)"),
        ("sizeof(float) * T", "4 * T"),
        ("true ? T : n", "T"),
    ],
)
def test_numbers(text: str, value: str) -> None:
    found = Values(SYMBOLS, body=half).number(expression(text))
    assert found is not None and to_text(found) == value


@pytest.mark.parametrize(
    "text,value",
    [
        ("T", "T != 0"),
        ("!A", "not A"),
        ("A && T > U", "A and T > U"),
        ("S == SHARED", 'S == "SHARED"'),
        ("CACHE != S", 'S != "CACHE"'),
        ("0 && n", "False"),
        ("n || 1", "True"),
    ],
)
def test_conditions(text: str, value: str) -> None:
    found = Values(SYMBOLS).condition(expression(text))
    assert found is not None and to_text(found) in (value, value.replace("False", "0 != 0").replace("True", "1 != 0"))


@pytest.mark.parametrize("text", ["n", "n + T", "T / n", "1 / 0", "x[2]", "f(T)", "S == OTHER", "x = 3", "(float *)T"])
def test_what_only_the_run_knows_has_none(text: str) -> None:
    assert Values(SYMBOLS).value(expression(text)) is None


def test_constants_of_a_source() -> None:
    text = """
    #define ROWS (2 * COLUMNS)
    #define COLUMNS 4
    #define TUNED 8
    #define OF_TUNED (TUNED + 1)
    #if 0
    #define DEAD 1
    #endif
    enum { FIRST = 3, SECOND };
    static const int LENGTH = ROWS * SECOND;
    """
    names = ("ROWS", "TUNED", "OF_TUNED", "DEAD", "SECOND", "LENGTH")
    unit = read(Source("f.c", text), (), "c", {"TUNED": 8})
    assert constants(unit, names) == {"ROWS": 8, "SECOND": 4, "LENGTH": 32}
