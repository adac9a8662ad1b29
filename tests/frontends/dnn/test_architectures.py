"""Twelve architectures of our own writing, each in Keras and in PyTorch, against what the frameworks count of the same
files. `python -m tests.benchmarks.dnn.architectures --update` writes the table anew where they are installed."""

from __future__ import annotations

import pytest

from tests.benchmarks.dnn.architectures import differs, rows
from tests.frontends.dnn.counts import FOLDER, count

ROWS = rows()


def test_every_file_is_in_the_table() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(ROWS)
    assert len({name.rpartition("_")[0] for name in ROWS}) == 12


@pytest.mark.parametrize("name", sorted(ROWS))
@pytest.mark.slow_but(3)
def test_weights_shapes_and_operations_are_the_frameworks(name: str) -> None:
    assert differs(count(name), ROWS[name]) == []
