"""`tunepass serve`: lines in, lines out, until the input ends."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import NoReturn

import pytest

from tunepass.cli import main
from tunepass.jobs import serving

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


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_numbers_that_json_lacks_are_told_and_the_next_line_is_answered(
    number: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (f'{{"ask": "space", "id": {number}}}', '{"ask": "none", "id": "\\ud800"}', '{"ask": "space", "id": 2}')
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    assert main(["serve", str(SAMPLE)]) == 0
    out = capsys.readouterr().out
    wrong, half, right = map(json.loads, out.encode().decode().splitlines())
    assert f"{number} is no finite number" in wrong["error"] and half["id"] == "\ud800" and right["id"] == 2


def test_a_fault_of_one_answer_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> NoReturn:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setitem(serving.ASKS, "sample", fail)
    monkeypatch.setattr("sys.stdin", io.StringIO('{"ask": "sample", "id": 1}\n{"ask": "space", "id": 2}'))
    assert main(["serve", str(SAMPLE)]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == {"id": 1, "error": "internal error: ZeroDivisionError: division by zero"} and second["id"] == 2


def test_bytes_that_are_not_utf8_and_lines_without_end_are_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = b'\xff\xfe\n{"ask": "none", "id": "\xe9"}\n' + b"x" * 5_000_000 + b'\n{"ask": "space", "id": 2}\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines), "utf-8", "strict"))
    assert main(["serve", str(SAMPLE)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "not JSON" in answers[0]["error"] and "`ask` is one of" in answers[1]["error"]
    assert "at most 1,048,576 characters" in answers[2]["error"] and answers[3]["id"] == 2 and len(answers) == 4
