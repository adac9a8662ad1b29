"""The parts of `make bench-trust` that need no quiet machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.benchmarks.trust import recording, simulated
from tests.benchmarks.trust.kernels import IDLE
from tunepass.space.configuration import Configuration

KINDS = {recording.kind: recording for recording in simulated.recordings()}


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.slow_but(3)
def test_recorded_rounds_of_a_kernel_that_nothing_changes_keep_the_default(kind: str) -> None:
    assert simulated.false_choices(KINDS[kind], 300) < 3  # 1 in 100


def test_a_gain_is_found_in_the_noise_that_was_recorded() -> None:
    chosen, rounds = simulated.found(KINDS["compute"], 1.1, 50)
    assert chosen == 50 and rounds <= 16
    assert simulated.found(KINDS["memory"], 1.25, 50)[0] >= 45


def test_rounds_are_recorded_beside_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(source: Path, compiler: object, choices: Sequence[Configuration], rounds: int) -> list[list[float]]:
        assert source.read_text() in IDLE.values()
        return [[1.23456] * rounds for _ in choices]

    monkeypatch.setattr(recording, "measured_in_turns", measured)
    file = tmp_path / "recorded.json"
    for _ in range(2):
        assert len(list(recording.record(tmp_path, file, 3))) == len(IDLE)
    assert [item["values"] for item in json.loads(file.read_text())] == [[[1.235] * 3] * recording.PROGRAMS] * 6
    assert simulated.recordings(file)[0].logs.shape == (recording.PROGRAMS, 3)
