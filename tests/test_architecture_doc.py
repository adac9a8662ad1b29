"""docs/architecture.md and its picture say of the rooms what tests/test_architecture.py checks."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.test_architecture import MAY_IMPORT

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
NOT_SHOWN = {"_native", "cli", "extension", "testing", "__main__", "__init__"}  # the C, and what only opens the rooms


@pytest.fixture(scope="module")
def house() -> ModuleType:
    """The program that draws the picture."""
    spec = importlib.util.spec_from_file_location("house", ROOT / "docs" / "images" / "house.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_the_one_that_is_checked() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .*? \| (.*?) ?\|$", PAGE.read_text(), re.MULTILINE)
    documented = {room: set(re.findall(r"`(\w+)`", allowed)) for room, allowed in rows}
    assert len(documented) == len(rows)
    assert documented == {room: allowed for room, allowed in MAY_IMPORT.items() if room != "_native"}


def test_the_picture_shows_every_room_above_what_it_imports(house: ModuleType) -> None:
    level = {room: i for i, row in enumerate(house.ROWS) for names, _ in row for room in names}
    assert set(level) == set(MAY_IMPORT) - NOT_SHOWN
    for room in level:
        assert all(level[room] < level[below] for below in MAY_IMPORT[room]), room
    assert {room for room, _ in house.STEPS} <= set(level)


def test_the_picture_is_what_its_program_draws(house: ModuleType) -> None:
    assert (ROOT / "docs" / "images" / "house.svg").read_text() == house.picture()
