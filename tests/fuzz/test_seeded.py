"""A few hundred cases of all kinds: enough to notice that one ends in an internal error. `make fuzz` has many more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import scaled
from tests.fuzz.kinds import KINDS, run_case
from tests.fuzz.oracle import Finding

SEED = 12
SMALL_SHARE = 0.7  # of the share that a whole run has: a few cases vary
COUNTS = {"c": 60, "spatial": 40, "yaml": 150, "lock": 40, "store": 25, "expression": 80, "data": 60}
FEW = 20  # of the kinds that call a preprocessor for each case, or read whole models


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow_but(4)
def test_no_internal_error(kind: str, tmp_path: Path) -> None:
    accepted = 0
    count = scaled(2 * COUNTS.get(kind, FEW))
    for index in range(count):
        folder = tmp_path / str(index)
        folder.mkdir()
        report = run_case(kind, SEED, index, folder)
        assert not isinstance(report.result, Finding), f"{kind} {index}: {report.result}\n{report.text}"
        accepted += report.result
    assert accepted >= SMALL_SHARE * KINDS[kind].accepted * count
