"""The parts of expressions in the order of the text."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.cfamily.syntax.expressions import parse_expression
from tunepass.frontends.cfamily.syntax.tree import Expression, Index, Lambda
from tunepass.frontends.cfamily.syntax.walk import declarations_in, names, same
from tunepass.frontends.cfamily.text.tokens import tokens


def expression(text: str) -> Expression:
    return parse_expression(list(tokens(text)))


def test_names_are_in_the_order_of_the_text() -> None:
    text = "a[i + 1] * (b ? c.x : f(d, -e)) + *(float *)g"
    assert list(names(expression(text))) == ["a", "i", "b", "c", "f", "d", "e", "g"]


def test_the_same_words_are_the_same_wherever_they_stand() -> None:
    assert same(expression("x[i + 1].y"), expression("  x[ i+1 ] . y"))
    for other in ("x[i + 2].y", "x[i - 1].y", "x[i + 1].z", "x[i + 1]"):
        assert not same(expression("x[i + 1].y"), expression(other))


def test_declarations_of_all_blocks() -> None:
    loop = "for (int b = 0; b < n; b++) { int c; if (n) { int d; } else { int e; } }"
    text = f"void f(int n) {{ int a; {loop} while (n) {{ int g; }} }}"
    (function,) = read(Source("f.c", text), (), "c").functions
    found = [d.name.text for one in declarations_in(function.body) for d in one.declarators]
    assert found == ["a", "b", "c", "d", "e", "g"]


def test_statements_in_brackets_are_read() -> None:
    (function,) = read(Source("f.c", "int f(int x) { return ({ int y = x; y[2]; }); }"), (), "c").functions
    value = function.body.statements[0].value  # type: ignore[union-attr]
    assert isinstance(value, Lambda) and len(value.body.statements) == 2
    assert isinstance(value.body.statements[1].expression, Index)  # type: ignore[union-attr]
