"""`tunepass replay` on a table of six rows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tunepass import cli

ROWS = """\
x,y,time,time_std,valid,invalid_reason
1,off,9,0.5,1,
2,off,6,0.5,1,
4,off,4,0.5,1,
1,on,8,0.5,1,
2,on,,,0,CompilationFailedConfig
4,on,3,0.5,1,
"""
STATED = {
    "schema": "tunepass-recorded-space/1",
    "name": "tiny",
    "coverage": "complete: brute force",
    "n_rows": 6,
    "parameters": [
        {"name": "x", "kind": "ordinal", "domain": [1, 2, 4], "default": 1, "scale": "log2"},
        {"name": "y", "kind": "categorical", "domain": ["off", "on"]},
    ],
    "constraints": [],
    "objectives": [{"name": "time", "unit": "ms", "direction": "min"}],
}


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    (tmp_path / "tiny.json").write_text(json.dumps(STATED))
    (tmp_path / "tiny.csv.gz").write_bytes(gzip.compress(ROWS.encode()))
    return str(tmp_path / "tiny.json")


def test_json_has_the_course_of_every_seed(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["replay", recorded, "--strategy", "random", "--max-evals", "6", "--seeds", "0..2", "--format", "json"]
    assert cli.main(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["optimum"], report["size"], report["space"], report["unit"]) == (3.0, 6, "stated", "ms")
    assert [run["seed"] for run in report["runs"]] == [0, 1, 2]
    for run in report["runs"]:
        assert run["best_so_far"][0] == 9.0 and run["best_so_far"][-1] == 3.0 and len(run["best_so_far"]) == 6
        assert run["failures"] == {"compile": 1} and len(run["strategy_s"]) == 6


def test_people_read_a_line_a_seed(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", recorded, "--strategy", "exhaustive", "--seeds", "3,1", "--max-evals", "6"]) == 0
    head, titles, *lines = capsys.readouterr().out.splitlines()
    assert head == "tiny: time, optimum 3 ms, 6 configurations (the stated space)"
    assert titles.split()[:2] == ["seed", "evaluations"]
    assert [line.split()[:7] for line in lines] == [
        ["3", "6", "3", "100.0", "%", "1", "compile"],
        ["1", "6", "3", "100.0", "%", "1", "compile"],
    ]


def test_noise_replays_with_recorded_noise(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["replay", recorded, "--strategy", "random", "--max-evals", "5", "--noise", "--format", "json"]
    assert cli.main(words) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["noise"] and set(first["runs"][0]["best_so_far"]) <= {9.0, 8.0, 6.0, 4.0, 3.0}


@pytest.mark.parametrize(
    "words,message",
    [
        (["--strategy", "rondom"], "did you mean 'random'?"),
        (["--objective", "tmie"], "did you mean 'time'?"),
        (["--max-evals", "0"], "at least 1"),
        (["--seeds", "x"], "seeds are written like"),
    ],
)
def test_mistakes_are_status_2(
    recorded: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["replay", recorded, *words]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_no_recorded_space(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.json").write_text("[]")
    assert cli.main(["replay", str(tmp_path / "other.json")]) == 2
    assert "not a recorded space" in capsys.readouterr().err
