"""A recorded space whose parameters have conditions: cells of inactive parameters are empty."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from tunepass.evaluators.recorded.table import read
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Measured

PARAMETERS = [
    {"name": "mode", "kind": "categorical", "domain": ["plain", "tree"]},
    {"name": "depth", "kind": "int", "domain": [1, 2, 3], "when": "mode == 'tree'"},
]


def write(folder: Path, coverage: str) -> Path:
    stated = {
        "schema": "tunepass-recorded-space/1",
        "name": "tiny",
        "coverage": coverage,
        "n_rows": 3,
        "parameters": PARAMETERS,
        "objectives": [{"name": "time", "unit": "ms", "direction": "min"}],
    }
    (folder / "tiny.json").write_text(json.dumps(stated))
    with gzip.open(folder / "tiny.csv.gz", "wt", newline="") as file:
        csv.writer(file).writerows([["mode", "depth", "time"], ["plain", "", 4], ["tree", 2, 3], ["tree", 1, 5]])
    return folder / "tiny.json"


@pytest.mark.parametrize(("coverage", "size"), [("complete", 4), ("a sample", 3)])
def test_rows_are_programs(coverage: str, size: int, tmp_path: Path) -> None:
    table = read(write(tmp_path, coverage))
    assert table.space.size == size
    assert table.outcome(Configuration({"mode": "plain"})) == Measured({"time": 4.0})
    assert table.outcome(Configuration({"mode": "tree", "depth": 2})) == Measured({"time": 3.0})
    assert all(table.space.contains(c) for c in table.outcomes)
