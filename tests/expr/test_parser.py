"""Text to tree: precedence, spans, and one diagnostic for every kind of mistake, quickly for hostile text."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import ExpressionError, Source
from tunepass.expr.nodes import BOOL, INTEGER, REAL, Binary, CategoryType, Compare, Constant, OrderType, Type, Unary
from tunepass.expr.parser import parse
from tunepass.expr.printer import to_text

NAMES: dict[str, Type] = {
    "tile": INTEGER,
    "unroll": INTEGER,
    "ratio": REAL,
    "pad": BOOL,
    "schedule": CategoryType(("static", "dynamic")),
    "order": OrderType((0, 1, 2)),
    "loops": OrderType(("i", "j", "k")),
}


@pytest.mark.parametrize(
    "text,grouped",
    [
        ("tile + unroll * 2", "tile + (unroll * 2)"),
        ("tile - unroll - 1", "(tile - unroll) - 1"),
        ("2 ** unroll ** 2", "2 ** (unroll ** 2)"),
        ("-tile ** 2", "-(tile ** 2)"),
        ("2 ** -unroll", "2 ** (-unroll)"),
        ("tile << 1 + 1", "tile << (1 + 1)"),
        ("not pad and tile == 1 or pad", "((not pad) and (tile == 1)) or pad"),
        ("not tile < 2", "not (tile < 2)"),
        ("tile % 2 == 0", "(tile % 2) == 0"),
        ("tile in [1, 2,]", "tile in {1, 2}"),
        ("tile not in (1, 2)", "not (tile in {1, 2})"),
        ("+tile == 0x10", "tile == 16"),
        ("true or False", "True or False"),
        ("order [ 1 ] == 2", "order[1] == 2"),
    ],
)
def test_precedence_is_pythons(text: str, grouped: str) -> None:
    assert parse(text, NAMES) == parse(grouped, NAMES)


def test_a_signed_number_is_a_constant_but_power_binds_first() -> None:
    assert parse("-3", {}) == Constant(-3, INTEGER)
    assert isinstance(parse("-3 ** 2", {}), Unary)
    assert parse("-9223372036854775808", {}) == Constant(-(2**63), INTEGER)


def test_a_chain_is_one_comparison() -> None:
    e = parse("1 < tile <= 8", NAMES)
    assert isinstance(e, Compare) and e.ops == ("<", "<=") and len(e.operands) == 3


def test_spans_point_into_the_source() -> None:
    source = Source("kernel.c", "line one\n  constraint (tile + 1) * 2 == 4\n")
    offset = source.text.index("(tile")
    e = parse("(tile + 1) * 2 == 4", NAMES, source=source, offset=offset)
    assert isinstance(e, Compare) and isinstance(e.operands[0], Binary)
    product = e.operands[0]
    assert product.span is not None and product.span.text == "(tile + 1) * 2"
    assert (product.span.line, product.span.column) == (2, 14)
    assert product.left.span is not None and product.left.span.text == "(tile + 1)"


@pytest.mark.parametrize(
    "text,column,message,hint",
    [
        ("tile % unrol == 0", 8, "unknown name `unrol`", "did you mean `unroll`?"),
        ("foor(ratio) == 0", 1, "unknown function `foor`", "did you mean `floor`?"),
        ("tile and pad", 1, "`and` needs a Bool, got an Integer", "x != 0"),
        ("gcd(tile, ratio) == 1", 11, "`gcd` needs an Integer, got a Real", "floor"),
        ("ceildiv(tile) == 1", 1, "`ceildiv` takes 2 arguments, got 1", None),
        ("if(pad, 1) == 1", 1, "`if` takes 3 arguments, got 2", None),
        ("max() == 1", 1, "`max` takes at least 1 argument, got 0", None),
        ("1 + schedule == 2", 5, "`+` needs a number, got a string", "=="),
        ('schedule < "static"', 1, "`<` does not apply to a string", "=="),
        ('schedule == "statc"', 13, '"statc" is not among the values', 'did you mean "static"?'),
        ('schedule in {"static", "x"}', 24, '"x" is not among the values', 'one of "static", "dynamic"'),
        ('tile == "static"', 1, "an Integer and a string cannot be compared", None),
        ("order == 1", 1, "`==` needs a number, got an order", "pos"),
        ("order[3] == 1", 7, "position 3 is outside `order`", "positions are 0 to 2"),
        ("tile[0] == 1", 1, "only an order", None),
        ("pos(order, 7) == 0", 12, "7 is not an item of `order`", "one of 0, 1, 2"),
        ('pos(loops, "l") == 0', 12, '"l" is not among the values', None),
        ("pos(loops, 1) == 0", 12, "`loops` orders strings, not an Integer", None),
        ("pos(tile, 1) == 0", 5, "first argument of `pos` must be an order", None),
        ("sqrt > 2", 1, "`sqrt` is a function", None),
        ("tile = 3", 6, "unexpected `=`", "`==`"),
        ("pad && pad", 5, "unexpected `&`", "`and`"),
        ("tile +", 7, "ends too early", None),
        ("", 1, "an expression is missing", None),
        ("(tile", 1, "this `(` is never closed", None),
        ("tile)", 5, "this `)` closes nothing", None),
        ("(tile]", 6, "this `]` closes nothing", None),
        ("tile unroll", 6, "unexpected `unroll`", "operator is missing"),
        ("'open", 1, "unexpected `'`", "not closed"),
        ("9223372036854775808", 1, "does not fit in 64 bits", None),
        ("1e999 < 2", 1, "too large", None),
    ],
)
def test_a_mistake_is_one_diagnostic_at_its_place(text: str, column: int, message: str, hint: str | None) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, NAMES)
    (found,) = caught.value.diagnostics
    assert message in found.message
    assert found.span is not None and found.span.column == column
    assert hint is None or hint in (found.hint or "")


@pytest.mark.parametrize(
    "text,message",
    [
        ("__import__('os').system('echo pwned')", "unexpected `.`"),
        ("(" * 10_000 + "1" + ")" * 10_000, "too long"),
        ("(" * 5_000 + "1" + ")" * 5_000, "nested too deeply"),
        ("1" * 1_000_000, "too long"),
        ('"' + "a" * 1_000_000 + '"', "too long"),
        ("1" * 10_000, "does not fit"),
        ("10**10**10", "overflow"),
        ("tile < 2 ** 9999999", "overflow"),
        ("1 << 999999999999", "overflow"),
        ("-" * 9_999 + "tile", "nested too deeply"),
        ("not " * 4_000 + "pad", "nested too deeply"),
        ("2 ** " * 3_000 + "2", "nested too deeply"),
        ("tile + " * 2_000 + "1", r"nested too deeply(.|\n)*put a long one into groups"),
        ("abs(" * 3_000 + "1" + ")" * 3_000, "nested too deeply"),
    ],
)
def test_hostile_text_is_a_diagnostic(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message) as caught:
        parse(text, NAMES)
    assert len(str(caught.value)) < 1_000


def test_what_is_allowed_stays_allowed() -> None:
    wide = " and ".join(f"tile != {i}" for i in range(500))  # wide is not deep
    assert to_text(parse(wide, NAMES)) == wide
    assert to_text(parse("(" * 150 + "tile" + ")" * 150, NAMES)) == "tile"
    assert to_text(parse(" + ".join(["tile"] * 150), NAMES)).count("tile") == 150


def test_the_order_of_strings_is_a_category() -> None:
    e = parse('loops[0] == "i" and pos(loops, "k") == 2', NAMES)
    assert e == parse('loops[0] == "i" and pos(loops, k) == 2', NAMES)
    assert to_text(e) == 'loops[0] == "i" and pos(loops, "k") == 2'
