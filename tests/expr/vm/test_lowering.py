"""Code for the machine: shared subexpressions, folded constants, checks only where intervals prove nothing."""

from __future__ import annotations

from tunepass.expr.domain import Domain, Interval
from tunepass.expr.nodes import INTEGER, Type
from tunepass.expr.parser import parse
from tunepass.expr.vm.lowering import Lowering

NAMES: dict[str, Type] = {"a": INTEGER, "b": INTEGER}
SMALL: dict[str, Domain] = {"a": Interval(1, 100), "b": Interval(1, 100)}


def operations(text: str, box: dict[str, Domain]) -> list[str]:
    lowering = Lowering(box)
    lowering.lower(parse(text, NAMES))
    return [op for op, *_ in lowering.code if op not in ("input", "constant")]


def test_equal_subexpressions_are_computed_once() -> None:
    assert operations("a * b + a * b", SMALL).count("mul") == 1
    assert operations("(a + b) * (b + a)", SMALL).count("add") == 1


def test_constants_fold() -> None:
    assert operations("(3 * 4 == 12) and 2 > 1", SMALL) == []
    assert operations("a < 200", SMALL) == []


def test_checks_remain_where_a_domain_does_not_exclude_failure() -> None:
    assert not any("check" in op or op == "or_else" for op in operations("a * b % b", SMALL))
    assert len(operations("a * b % b", {})) > len(operations("a * b % b", SMALL))
