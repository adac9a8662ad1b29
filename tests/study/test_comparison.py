from __future__ import annotations

import pytest

from tunepass.space.configuration import Configuration
from tunepass.study.comparison.final_round import Comparison, comparison_of
from tunepass.study.storage.checked import Damage

TWO = [Configuration({"ORDER": ("i", "k"), "TILE": 8}), Configuration({"ORDER": ("k", "i"), "TILE": 1})]
COMPARISON = comparison_of("time", [2.0, 2.5], TWO, [[1.0, 1.5], []])


def test_a_comparison_is_read_back_as_it_was_written() -> None:
    assert Comparison.decode(COMPARISON.encode()) == COMPARISON and COMPARISON.rounds == 2


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", COMPARISON.encode().replace("2.5", '"2.5"'), COMPARISON.encode().replace('"time"', "3")],
)
def test_what_is_no_comparison_is_damage(text: str) -> None:
    with pytest.raises(Damage):
        Comparison.decode(text)
