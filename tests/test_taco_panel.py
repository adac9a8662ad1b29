"""The tensors that `make bench-taco` is run on are those that families have."""

from __future__ import annotations

import pytest

from tests.benchmarks.taco_panel import PANEL
from tunepass.tensors.data.families.resolve import resolve


@pytest.mark.parametrize("kernel", PANEL)
def test_each_kernel_has_three_tensors_of_its_modes(kernel: str) -> None:
    panel = PANEL[kernel]
    assert len(panel.tensors) == 3
    for tensor in panel.tensors:
        assert len(panel.index) == len(panel.format.levels)
        assert len(panel.index) in resolve(tensor.generated()).modes


def test_a_statement_is_a_line_of_a_taco_file() -> None:
    assert PANEL["mttkrp"].tensors[0].statement() == "generate B = uber(scale = 0.1, seed = 1)"
