"""Integer sums keep their values modulo 2**64, whatever is regrouped, and less depends on many names."""

from __future__ import annotations

import numpy as np
import pytest

from tunepass.expr.domain import Domain, Interval
from tunepass.expr.nodes import INTEGER, Type
from tunepass.expr.parser import parse
from tunepass.expr.vm import compiled_expressions
from tunepass.expr.vm.code import last_uses
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.expr.vm.lowering import Lowering
from tunepass.expr.vm.reassociation import Reassociation
from tunepass.expr.vm.tables import dependences

NAMES: dict[str, Type] = dict.fromkeys("abcdw", INTEGER)
FEW = tuple(range(1, 40))
BOX: dict[str, Domain] = dict.fromkeys("abcd", FEW) | {"w": Interval(-(10**9), 10**9)}


def regrouped(text: str) -> Reassociation:
    lowering = Lowering(BOX)
    value, _ = lowering.lower(parse(text, NAMES))
    axes = dependences(lowering.code, [frozenset([i]) for i in range(len(lowering.inputs))])
    sizes = [float("inf") if name == "w" else len(FEW) for name in lowering.inputs]
    return Reassociation(lowering.code, [("out", value, 0, 0)], axes, sizes)


@pytest.mark.parametrize(
    "text,wide",
    [
        ("a * b + w + c + a * 3 + (b + 1) * a", 2),  # one table of a and b, and c
        ("b * (c * d + a * a * a) + a * b * 2", 2),  # b * (c * d), and all of a and b added to it
        ("(w * a + w * b) * 2 - w * c", 2),  # a factor of w
        ("a * (w + b * (c - d)) - a * w", 2),  # a * b times c - d: what goes with w is 0
    ],
)
def test_how_many_operations_depend_on_more_than_two_names(text: str, wide: int) -> None:
    found = regrouped(text)
    live = [v for v in last_uses(found.code, found.tail) if v < len(found.code)]
    assert sum(len(found.axes[v]) > 2 for v in live) == wide


def test_a_wrap_on_the_way_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    e = parse("a * (w * 4000000000) + b * (w * 4000000000) - (a + b) * (w * 4000000000) + c", NAMES)
    rng = np.random.default_rng(0)
    found = {name: rng.choice(np.array(FEW), 999) for name in "abcd"} | {"w": rng.integers(-(10**6), 10**6, 999)}
    narrow = BOX | {"w": Interval(-(10**6), 10**6)}
    wanted = CompiledExpressions([e], narrow).run(found, 999)[0]
    monkeypatch.setattr(compiled_expressions, "WORTH", 0)
    assert np.array_equal(CompiledExpressions([e], narrow).run(found, 999)[0], wanted)
    assert np.array_equal(wanted, found["c"])
