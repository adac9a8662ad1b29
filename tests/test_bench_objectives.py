from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import bench_objectives
from tests.benchmarks.search.objective_peers import PEERS, default_row, losses_of
from tests.benchmarks.search.objective_problems import CORNERS, MORE, PROBLEMS


def test_every_problem_has_a_corner_behind_losses_that_are_worth_something() -> None:
    for problem in MORE:
        corner, volume = CORNERS[problem.name]
        low, high = np.array(problem.bounds, np.float64).T
        losses = problem.losses(low + (high - low) * np.random.default_rng(0).random((2000, len(low))))
        assert losses.shape == (2000, problem.objectives) == (2000, len(corner)) and volume > 0
        assert (losses < corner).all(axis=1).any()


def test_moved_fronts_are_off_the_default() -> None:
    moved, middle = PROBLEMS["DTLZ2 moved of 4"], PROBLEMS["DTLZ2 of 4"]
    assert np.linalg.norm(losses_of(middle, default_row(middle))) == pytest.approx(1.0)
    assert np.linalg.norm(losses_of(moved, default_row(moved))) > 1.003


def test_runs_are_kept_and_tabled(tmp_path: Path) -> None:
    pytest.importorskip("moocore")
    problems = [PROBLEMS["RE61 water"]]
    text = bench_objectives.table(tmp_path, problems, ["random"], range(2), 6)
    assert text.splitlines()[2].startswith("| RE61 water | random | 0.") and len(list(tmp_path.rglob("*.json"))) == 2
    losses, seconds = bench_objectives.kept_run(tmp_path, problems[0], "random", 0, 6)
    assert losses.shape == (6, 6) and seconds > 0
    assert bench_objectives.table(tmp_path, problems, ["random"], range(2), 6) == text


def test_peers_that_are_missing_are_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PEERS, "SMAC", ("no_such_module", PEERS["SMAC"][1]))
    assert not bench_objectives._installed("SMAC")
    assert "SMAC left out: no_such_module is not installed" in capsys.readouterr().err
