"""The bench of others' scenarios counts those that run, and says of the rest why they do not."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.bench_scenarios import report, scenarios

TILE = {"parameter_type": "ordinal", "values": [8, 16, 32]}
SCENARIO = {
    "application_name": "tiles",
    "optimization_objectives": ["time"],
    "optimization_iterations": 500,
    "input_parameters": {"tile": TILE, "order": {"parameter_type": "categorical", "values": ["ij", "ji"]}},
}


def test_those_that_run_are_counted(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "examples").mkdir(parents=True)
    client = {**SCENARIO, "hypermapper_mode": {"mode": "client-server"}}
    wrong = {**SCENARIO, "resample_mean": True}
    for name, content in {"plain": SCENARIO, "client": client, "wrong": wrong, "no_scenario": {"values": [1]}}.items():
        (checkout / "examples" / f"{name}.json").write_text(json.dumps(content))
    assert [path.stem for path in scenarios(checkout)] == ["client", "plain", "wrong"]
    why, count = report([checkout], evaluations=2).splitlines()
    assert count == "checkout: 2 of 3 ran"
    assert why.startswith("examples/wrong.json: ") and "no field `resample_mean`" in why
    assert json.loads((checkout / "examples" / "plain.json").read_text()) == SCENARIO, "a copy is run"
