"""Which parameters are fixed first, and the boxes that splitting makes."""

from __future__ import annotations

import pytest

from tunepass.pruning.box_union import Box, volume
from tunepass.pruning.splits import fixed_first, is_linear, split, split_order
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Integer, Ordinal

PARAMETERS = (Integer("batch", 1, 256), Ordinal("width", [8, 16, 32]), Integer("depth", 1, 6), Ordinal("k", [1, 3]))


def first(*texts: str) -> list[str]:
    found = fixed_first(PARAMETERS, [Constraint.parse(text, PARAMETERS) for text in texts])
    return [PARAMETERS[i].name for i in found]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("batch + 3 * width <= 9",), []),
        (("batch * width <= 900",), ["width"]),
        (("batch * width + width * depth <= 900", "width * width <= 9"), ["width"]),
        (("batch * width <= 900", "batch * depth <= 9", "batch * k < 9"), ["k", "width", "depth"]),
        (("batch * width + depth * k <= 900",), ["k", "width"]),
        (("if(depth > 2, 3, 4) * batch <= 900",), []),
        (("batch / depth <= 9",), ["depth"]),
        (("batch % 8 == 0",), []),
        (("k ** 2 <= 9",), ["k"]),
        (("1 > 2",), []),
    ],
)
def test_the_fewest_values_that_leave_only_sums_are_fixed_first(texts: tuple[str, ...], expected: list[str]) -> None:
    assert first(*texts) == expected


def test_boxes_are_split_into_all_of_them_once() -> None:
    places = fixed_first(PARAMETERS, [Constraint.parse("batch * width <= 900", PARAMETERS)])
    pending: list[Box] = [((0, 255), (0, 2), (0, 5), (0, 1))]
    whole, ends = volume(pending[0]), set()
    while pending:
        box = pending.pop()
        if volume(box) == 1:
            ends.add(box)
        else:
            parts = split(box, places)
            assert sum(map(volume, parts)) == volume(box) and len(parts) > 1
            pending += parts
    assert len(ends) == whole


def test_what_makes_products_goes_first() -> None:
    places = fixed_first(PARAMETERS, [Constraint.parse("batch * width <= 900", PARAMETERS)])
    whole: Box = ((0, 255), (0, 2), (0, 5), (0, 1))
    assert not is_linear(whole, places)
    assert all(is_linear(part, places) for part in split(whole, places))
    assert split_order(whole, places) == [1, 0, 2, 3]
