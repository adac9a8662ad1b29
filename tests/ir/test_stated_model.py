"""Models that sources state, read without a frontend."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.printer import to_text
from tunepass.ir.stated_model import StatedModel, check_objectives
from tunepass.space.parameter import Integer

SOURCE = Source("m", "time = n * TILE")


def test_sizes_are_replaced_and_the_span_is_the_name() -> None:
    span = SOURCE.span(0, 4)
    model = StatedModel.parse("time", "n * TILE", [Integer("TILE", 1, 8)], {"n": 6}, source=SOURCE, offset=7, span=span)
    assert to_text(model.expression) == "6 * TILE" and model.span == span


def test_objectives_are_measured_and_named_once() -> None:
    time, rate = SOURCE.span(0, 4), SOURCE.span(7, 8)
    check_objectives([("time", time), ("rate", rate)], ("rate", "time"))
    with pytest.raises(SourceError, match="`rate` is not measured here"):
        check_objectives([("time", time), ("rate", rate)], ("time",))
    with pytest.raises(SourceError, match="`time` is given twice") as caught:
        check_objectives([("time", time), ("time", rate)], ("time",))
    assert caught.value.diagnostics[0].span == rate
