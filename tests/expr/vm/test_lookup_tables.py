"""Programs that have worked long enough read tables: the same results, by fewer operations."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.diagnostics import ExpressionError
from tunepass.expr.domain import Domain, Interval
from tunepass.expr.nodes import BOOL, INTEGER, REAL, CategoryType, Name, Type
from tunepass.expr.parser import parse
from tunepass.expr.vm import compiled_expressions, lookup_tables
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.expr.vm.lookup_tables import Places

NAMES: dict[str, Type] = {
    "a": INTEGER,
    "b": INTEGER,
    "w": INTEGER,
    "x": REAL,
    "on": BOOL,
    "s": CategoryType(("u", "v")),
}
BOX: dict[str, Domain] = {
    "a": (1, 2, 4, 8, 1024),
    "b": Interval(-3, 12),
    "w": Interval(-(2**40), 2**40),
    "x": (0.5, 1.5),
    "on": (False, True),
    "s": ("u", "v"),
}
ROWS = 2000


@pytest.fixture
def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "a": rng.choice(np.array(BOX["a"]), ROWS),
        "b": rng.integers(-3, 13, ROWS),
        "w": rng.integers(-(2**40), 2**40, ROWS),
        "x": rng.choice([0.5, 1.5], ROWS),
        "on": rng.random(ROWS) < 0.5,
        "s": rng.integers(0, 2, ROWS),
    }


TEXTS = (
    "w + ceildiv(a * a * b + 7, a + 3) * (b * b + a % 5) + gcd(a, b + 20)",
    "sqrt(a * 1.5 + b * b) * x + exp(b * 0.1) + log(a)",
    'if(on and s == "v", a // 3 + lcm(a, 6), b ** 2 - gcd(b, 12)) + w',
    "(gcd(a, 24) + b ** 2) % 7 == 3 or w > 5",
)


def test_tables_give_the_same_bits_by_fewer_operations(monkeypatch, columns):
    exprs = [parse(text, NAMES) for text in TEXTS]
    plain = CompiledExpressions(exprs, BOX)
    wanted, before = plain.run(columns, ROWS), plain.instructions
    monkeypatch.setattr(compiled_expressions, "WORTH", 0)
    program = CompiledExpressions(exprs, BOX)
    for got, want in zip(program.run(columns, ROWS), wanted):
        assert got.tobytes() == want.tobytes()
    assert program.instructions < 0.8 * before


def test_a_program_changes_to_tables_after_enough_work(monkeypatch, columns):
    monkeypatch.setattr(compiled_expressions, "WORTH", ROWS * 200)
    program = CompiledExpressions([parse(TEXTS[0], NAMES)], BOX)
    counts = []
    for _ in range(15):
        program.run(columns, ROWS)
        counts.append(program.instructions)
    assert counts[0] > counts[-1] and sorted(counts, reverse=True) == counts


def test_checks_go_where_tables_show_that_nothing_fails(monkeypatch, columns):
    e = parse("w + ceildiv(100, a * a - 3 * a)", NAMES)
    box = BOX | {"a": (4, 8, 1024)}
    columns = columns | {"a": np.full(ROWS, 8)}
    program = CompiledExpressions([e], box)
    wanted = program.run(columns, ROWS)
    assert program.checked == 1  # intervals alone cannot tell that the divisor is never 0
    monkeypatch.setattr(compiled_expressions, "WORTH", 0)
    found = CompiledExpressions([e], box).evaluate(columns, ROWS)
    assert found[0].values.tobytes() == wanted[0].tobytes() and found[0].defined.all()


def test_an_overflow_in_a_table_is_raised_only_where_it_occurs(monkeypatch, columns):
    monkeypatch.setattr(compiled_expressions, "WORTH", 0)
    program = CompiledExpressions([parse("if(a > 8, 1, 2) * (2 ** (a // 8 * 40)) > w", NAMES)], BOX)
    few = {name: c[columns["a"] <= 8] for name, c in columns.items()}
    program.run(few, len(few["a"]))
    with pytest.raises(ExpressionError, match="overflow"):
        program.run(columns, ROWS)


def test_a_value_outside_its_domain_reads_nothing_outside_a_table(monkeypatch, columns):
    monkeypatch.setattr(compiled_expressions, "WORTH", 0)
    wild = np.array([-(2**63), -1, 0, 3, 1025, 2**31, 2**40, 2**63 - 1])
    program = CompiledExpressions([parse(TEXTS[0], NAMES), parse(TEXTS[2], NAMES)], BOX)
    found = program.run(
        {name: c[: len(wild)] for name, c in columns.items()} | {"a": wild, "b": wild[::-1].copy()}, len(wild)
    )
    assert [len(values) for values in found] == [len(wild)] * 2  # of no meaning, but from inside the tables


def test_which_names_have_places():
    inputs = [Name(name, NAMES[name]) for name in NAMES]
    sizes = Places.of(inputs, BOX | {"b": Interval(5, 4 + lookup_tables.WIDEST)}).sizes
    assert sizes == [5, lookup_tables.WIDEST, np.inf, np.inf, 2, 2]
    assert Places.of(inputs, {"b": Interval(5, 5 + lookup_tables.WIDEST)}).sizes == [np.inf] * 6


def test_what_is_undefined_whatever_its_input_is(monkeypatch, columns):
    exprs = [parse("b // 0", NAMES)]
    wanted = CompiledExpressions(exprs, BOX).evaluate(columns, ROWS)
    monkeypatch.setattr(compiled_expressions, "WORTH", 0)
    evaluated = CompiledExpressions(exprs, BOX).evaluate(columns, ROWS)
    assert not wanted[0].defined.any() and not evaluated[0].defined.any()
