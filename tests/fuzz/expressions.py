"""Expressions by the grammar, and such that are hardly any: parsed, printed, written as C, counted as a constraint."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.fuzz.mutation import ODD, mutated
from tunepass.expr.emit_c import to_c
from tunepass.expr.nodes import BoolType
from tunepass.expr.numpy_eval import satisfied
from tunepass.expr.parser import parse
from tunepass.expr.printer import to_text
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Integer, Ordinal, Permutation
from tunepass.space.space import Space

PARAMETERS = (
    Integer("A", 1, 6),
    Ordinal("B", [1, 2, 4, 2.5]),
    Ordinal("C", [0, 8, 1 << 40]),
    Categorical("S", ["static", "x y", "é"]),
    Categorical("F", [True, False]),
    Permutation("P", ["i", "j", "k"]),
)
NAMES = {p.name: p.type for p in PARAMETERS}
FUNCTIONS = (
    "min",
    "max",
    "abs",
    "ceil",
    "floor",
    "round",
    "sqrt",
    "exp",
    "log",
    "log2",
    "ceildiv",
    "gcd",
    "lcm",
    "__import__",
)
ONE, WHOLE = ("abs", "ceil", "floor", "round", "sqrt", "exp", "log", "log2"), ("ceildiv", "gcd", "lcm")
NUMBERS = ("0", "1", "2", "3", "7", "8", "0.5", "1e3", "1e308", "0x1f", "9223372036854775807", "-1")
ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>")
COMPARED = ("<", "<=", "==", "!=", ">", ">=")
DEPTH = (1, 2, 3, 4, 6)


def case(rng: random.Random) -> str:
    """Mostly what types allow; of any names, functions and operators otherwise, or changed by hand."""
    match rng.randrange(10):
        case 0 | 1:
            return _any(rng, rng.choice(DEPTH))
        case 2:
            text = condition(rng, rng.choice(DEPTH))
            return mutated(rng, text, [text])
        case 3:
            return _value(rng, rng.choice(DEPTH), ("A", "B", "C"))
    return condition(rng, rng.choice(DEPTH))


def condition(rng: random.Random, depth: int, names: Sequence[str] = ("A", "B", "C")) -> str:
    """True or false, of numbers called `names` and, where those are ours, of the other parameters."""
    if depth <= 0 or rng.random() < 0.1:
        others = (
            'S == "static"',
            'S in {"x y", "é"}',
            "F",
            'P[0] == "i"',
            "pos(P, j) < A",
            "ispow2(A)",
            "A in {1, 2, 5}",
        )
        return rng.choice(others if "A" in names else (f"{rng.choice(names)} >= 0",))
    a, b = condition(rng, depth - 1, names), _value(rng, depth - 1, names)
    match rng.randrange(7):
        case 0:
            return f"not {a}" if rng.random() < 0.5 else f"({a})"
        case 1 | 2:
            return f"{a} {rng.choice(('and', 'or'))} {condition(rng, depth - 1, names)}"
        case 3:
            return f"{b} <= {rng.choice(names)} < {_value(rng, depth - 1, names)}"
        case 4:
            return f"{b} in {{{rng.choice(NUMBERS)}, {rng.choice(NUMBERS)}}}"
    return f"{b} {rng.choice(COMPARED)} {_value(rng, depth - 1, names)}"


def _value(rng: random.Random, depth: int, names: Sequence[str]) -> str:
    if depth <= 0 or rng.random() < 0.2:
        return rng.choice((*names, *names, rng.choice(NUMBERS)))
    a, b = (_value(rng, depth - 1, names) for _ in range(2))
    match rng.randrange(8):
        case 0:
            return f"{rng.choice(ONE)}({a})"
        case 1:
            return f"{rng.choice(('min', 'max'))}({a}, {b})"
        case 2:
            return f"{rng.choice(WHOLE)}(floor({a}), {rng.choice(names)})"
        case 3:
            return f"if({condition(rng, depth - 1, names)}, {a}, {b})"
        case 4:
            return f"-({a})"
        case 5:
            return f"({a})"
    return f"{a} {rng.choice(ARITHMETIC)} {b}"


def check(text: str) -> None:
    """Raises TunepassError for what is none; AssertionError where two readers disagree."""
    expression = parse(text, NAMES)
    printed = to_text(expression)
    assert to_text(parse(printed, NAMES)) == printed, f"printed as {printed}"
    to_c(expression)
    if isinstance(expression.type, BoolType):
        _check_count(Constraint.parse(text, PARAMETERS))


def _check_count(constraint: Constraint) -> None:
    everything = Space(PARAMETERS)
    columns = everything.columns(list(everything.enumerate()))
    expected = int(satisfied(constraint.expression, columns, everything.dense).sum())
    used = tuple(p for p in PARAMETERS if p.name in {name.name for name in constraint.names})
    others = everything.dense
    for parameter in used:
        others //= len(parameter.domain)
    assert not used or Space(used, [constraint]).size * others == expected, (
        f"{expected} of {everything.dense} by reading"
    )


def _any(rng: random.Random, depth: int) -> str:
    if depth <= 0 or rng.random() < 0.15:
        return rng.choice((*NAMES, *NAMES, *NUMBERS, '"static"', "'i'", "True", rng.choice(ODD)))
    inner = [_any(rng, depth - 1) for _ in range(3)]
    match rng.randrange(12):
        case 0:
            return f"{rng.choice(('-', '+', 'not '))}{inner[0]}"
        case 1 | 2:
            return f"({inner[0]})"
        case 3 | 4:
            return f"{rng.choice(FUNCTIONS)}({', '.join(inner[: rng.choice((1, 2, 2, 3, 0))])})"
        case 5:
            return f"{inner[0]} in {{{', '.join(inner[1:])}}}"
        case 6:
            return f"P[{inner[0]}] == {inner[1]}"
        case 7:
            return f"{inner[0]} <= {inner[1]} < {inner[2]}"
    return f"{inner[0]} {rng.choice((*ARITHMETIC, *COMPARED, 'and', 'or', 'in', 'not in'))} {inner[1]}"
