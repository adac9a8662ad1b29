"""docs/kernel_tuner.md and the sample that it shows."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tunepass.evaluators.recorded.table import read
from tunepass.integrations.kernel_tuner import TunepassStrategy
from tunepass.study.outcome import Failed

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples" / "kernel_tuner"
TEXT = (ROOT / "docs" / "kernel_tuner.md").read_text()


def test_the_kinds_of_blocks() -> None:
    assert re.findall(r"^```(\w+)$", TEXT, re.MULTILINE) == ["text", "console"]
    assert "strategy=TunepassStrategy(seed=1)" in TEXT and TunepassStrategy(seed=1).strategy == "auto"


@pytest.mark.skipif(importlib.util.find_spec("kernel_tuner") is None, reason="needs the extra kernel-tuner")
def test_the_sample(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", str(SAMPLE / "simulated.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    (shown,) = re.findall(r"^```console\n\$ .*?\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert done.stdout == shown


def test_the_samples_cache_file_is_replayed() -> None:
    table = read(SAMPLE / "scale.json")
    assert table.space.size == 36 and table.optimum(table.objectives[0]) == 1.25
    assert any(isinstance(outcome, Failed) for outcome in table.outcomes.values())
    assert json.loads((SAMPLE / "scale.json").read_text())["problem_size"] == 4096
