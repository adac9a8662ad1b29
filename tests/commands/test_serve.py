"""`tunepass serve`: lines in, lines out, until the input ends."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tunepass.cli import main

SAMPLE = Path(__file__).parents[2] / "samples" / "dnn" / "mnist_keras.py"


def test_each_line_is_answered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    questions = ['{"ask": "space", "id": 1}', "", "no question", '{"ask": "sample", "n": 2, "id": "b"}']
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(questions)))
    assert main(["serve", str(SAMPLE), "--device", "phone", "--limit", "flops=60M"]) == 0
    space, wrong, sample = map(json.loads, capsys.readouterr().out.splitlines())
    assert space["id"] == 1 and space["left"] == 18
    assert [limit["limit"] for limit in space["limits"]][-1] == "flops=60M"
    assert "not JSON" in wrong["error"]
    assert sample["id"] == "b" and len(sample["configurations"]) == 2


def test_nothing_left_is_told_before_any_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"ask": "space"}\n'))
    assert main(["serve", str(SAMPLE), "--limit", "weights=1K"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "the space is empty" in printed.err
