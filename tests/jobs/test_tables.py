"""Numbers as cells: whole ones may be of either type of Python's."""

from __future__ import annotations

import pytest

from tunepass.jobs.tables import number, tidy


@pytest.mark.parametrize("value, text", [(1392680, "1,392,680"), (1392680.0, "1,392,680"), (0.123456, "0.1235")])
def test_a_number_as_people_read_it(value: float, text: str) -> None:
    """Bounds of a resource are integers where only bounds are known; `int.is_integer` came with Python 3.12."""
    assert number(value) == text


def test_whole_numbers_have_no_point() -> None:
    assert [repr(tidy(value)) for value in (3, 3.0, 0.5)] == ["3", "3", "0.5"]
